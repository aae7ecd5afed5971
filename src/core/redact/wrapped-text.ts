/** A screen's text with its wrapped lines joined, and where to break it again. */
export type Unwrapped = { text: string; breaks: readonly { at: number; gap: string }[] }

/** On a screen that wraps nothing, a line is rarely this long and also as long as the longest. */
const LEAST_WIDTH = 40
/** The frame that a program draws around its text, and the indentation within. */
const GAP =
  /(?<=[^\s│┃║|])([ \t]*(?:[│┃║|][ \t]*)?\n[ \t]*(?:(?:[│┃║|]|>(?=[ \t]))[ \t]*)?)(?=[^\s│┃║|─━═])/g
const ANY_GAP = new RegExp(`${GAP.source}|\\n`, 'g')

/**
 * Joins lines where a screen wraps: at its width, if that is known, and where a line that is as long as the
 * longest one ends within a word.
 */
export function unwrapped(text: string, columns = Number.POSITIVE_INFINITY): Unwrapped {
  const longest = Math.max(0, ...text.split('\n').map((line) => line.trimEnd().length))
  const width = Math.min(columns, longest < LEAST_WIDTH ? columns : longest - 1)
  if (longest < width || !text.includes('\n')) return { text, breaks: [] }
  const breaks: { at: number; gap: string }[] = []
  let removed = 0
  const join = (at: number, gap: string) => {
    breaks.push({ at: at - removed, gap })
    removed += gap.length
  }
  const gaps = Number.isFinite(columns) ? ANY_GAP : GAP
  const joined = text.replace(gaps, (gap: string, word: unknown, at: number) => {
    const end = at + gap.indexOf('\n')
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
    const line = text.slice(start, end).trimEnd()
    if (line.length >= columns) {
      // The screen broke it, and so the spaces are its own.
      join(end, '\n')
      return gap.replace('\n', '')
    }
    if (word === undefined || line.length < width) return gap
    join(at, gap)
    return ''
  })
  return { text: joined, breaks }
}

/** Restores the lines. `text` has the same length as the joined text. */
export function wrappedAgain(text: string, { breaks }: Unwrapped): string {
  let from = 0
  const pieces = breaks.map(({ at, gap }) => {
    const piece = text.slice(from, at) + gap
    from = at
    return piece
  })
  return pieces.join('') + text.slice(from)
}

/** The numbers of the lines that were joined with the one before or after them. */
export function joinedLines({ text, breaks }: Unwrapped): ReadonlySet<number> {
  const joined = new Set<number>()
  let line = 0
  let from = 0
  for (const { at } of breaks) {
    line += countOfBreaks(text, from, at)
    joined.add(line).add(line + 1)
    line += 1
    from = at
  }
  return joined
}

function countOfBreaks(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) {
    count += 1
  }
  return count
}
