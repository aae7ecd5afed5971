/**
 * The records of one line of a JSON Lines file, which several writers may have damaged: usually one. A line can
 * hold records joined without a newline, a truncated record with the next one appended to it, or runs of NUL
 * bytes. It finds what is intact and leaves out the rest, which `damaged` reports.
 */
export function recordsInLine(line: string): { records: unknown[]; damaged: boolean } {
  const hasNul = line.includes('\0')
  const text = (hasNul ? line.replaceAll('\0', '') : line).trim()
  if (text === '') return { records: [], damaged: hasNul }
  const whole = parsed(text)
  if (whole !== undefined) return { records: [whole], damaged: hasNul }
  return { records: salvaged(text), damaged: true }
}

/** We stop reading a line that makes no sense after this many steps. */
const MAX_STEPS = 16 * 1024 * 1024
const MAX_TRIES = 10_000

/**
 * Records begin with `{"`, which no JSON string can contain: its quotes are escaped. What follows
 * an object shows whether it is a record or inside a truncated one: a record ends the line or meets the next.
 */
function salvaged(text: string): unknown[] {
  const records: unknown[] = []
  let steps = 0
  let from = text.indexOf('{"')
  for (let tries = 0; from !== -1 && tries < MAX_TRIES && steps < MAX_STEPS; tries++) {
    const end = objectEnd(text, from)
    steps += (end === -1 ? text.length : end) - from
    const follows = end === -1 ? '' : text.slice(end, end + 64).trimStart()
    const ends = end !== -1 && (follows === '' || follows.startsWith('{'))
    const record = ends ? parsed(text.slice(from, end)) : undefined
    if (record !== undefined) records.push(record)
    from = text.indexOf('{"', record === undefined ? from + 1 : end)
  }
  return records
}

/** Where the object that begins at `from` closes; -1 if it does not. */
function objectEnd(text: string, from: number): number {
  let depth = 0
  let inString = false
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (inString) {
      if (unit === BACKSLASH) i++
      else if (unit === QUOTE) inString = false
    } else if (unit === QUOTE) inString = true
    else if (unit === OPEN) depth++
    else if (unit === CLOSE && --depth === 0) return i + 1
  }
  return -1
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
