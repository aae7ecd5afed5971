const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const IN_ONE_LINE = new RegExp(`${BEGIN.source}.{0,20000}?${END.source}`, 'g')
/** The same where the text was cut before its end. */
const CUT_IN_ONE_LINE = new RegExp(
  `${BEGIN.source}(?:\\\\{1,8}[nr]|[A-Za-z0-9+/= ]){24,20000}…?`,
  'g',
)

/**
 * A screen may show any part of a private key: its beginning, its end, or all of it. Text about keys, such as
 * code that searches for one, is not key material and stays.
 */
export function withoutPrivateKeys(text: string, mark: string): string {
  if (!text.includes('PRIVATE KEY')) return text
  const lines = text
    .replace(IN_ONE_LINE, (block) => (hasMaterial(block) ? mark : block))
    .replace(CUT_IN_ONE_LINE, (block) => (hasMaterial(block) ? mark : block))
    .split('\n')
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const begin = BEGIN.exec(line)
    const end = END.exec(line)
    if (end && !begin && isMaterial(kept.at(-1) ?? '')) {
      while (isMaterial(kept.at(-1) ?? '')) kept.pop()
      kept.push(mark + line.slice(end.index + end[0].length))
    } else if (begin && !end && isMaterial(bodyAfter(lines, at))) {
      const last = lastOfBlock(lines, at)
      kept.push(line.slice(0, begin.index) + mark + afterEnd(lines[last] ?? ''))
      at = last
    } else {
      kept.push(line)
    }
  }
  return kept.join('\n')
}

const LEAST_LINES = 3

/**
 * A screen may also show the middle of a key alone. Several lines of the same length that are nothing but
 * base64 are one, unless a line above names them something else: a certificate, a public key.
 */
export function withoutKeyParts(text: string, mark: string): string {
  if (!/[A-Za-z0-9+/]{60}/.test(text)) return text
  const lines = text.split('\n')
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const end = endOfPart(lines, at)
    if (end - at < LEAST_LINES || /-----BEGIN /.test(lines[at - 1] ?? '')) {
      kept.push(...lines.slice(at, Math.max(end, at + 1)))
    } else kept.push(mark)
    at = Math.max(end, at + 1) - 1
  }
  return kept.join('\n')
}

function endOfPart(lines: readonly string[], start: number): number {
  const { length } = bare(lines[start] ?? '')
  let at = start
  while (at < lines.length && isPartOfKey(bare(lines[at] ?? ''), length)) at++
  return at
}

function isPartOfKey(line: string, length: number): boolean {
  if (line.length !== length || length < 60 || length > 80) return false
  const isMixed = /\d/.test(line) && /[a-z]/.test(line) && /[A-Z]/.test(line)
  return isMixed && /^[A-Za-z0-9+/]+$/.test(line)
}

/** The first line of the key itself: some begin with headers and an empty line. */
function bodyAfter(lines: readonly string[], begin: number): string {
  return lines.slice(begin + 1, begin + 6).find((line) => !isHeader(line)) ?? ''
}

function lastOfBlock(lines: readonly string[], begin: number): number {
  let at = begin
  while (at + 1 < lines.length) {
    const next = lines[at + 1] ?? ''
    if (END.test(next)) return at + 1
    if (!isMaterial(next) && !isHeader(next) && !isRest(next)) return at
    at++
  }
  return at
}

function afterEnd(line: string): string {
  const end = END.exec(line)
  return end ? line.slice(end.index + end[0].length) : ''
}

function isMaterial(line: string): boolean {
  return /^[A-Za-z0-9+/]{16,}={0,2}$/.test(bare(line))
}

/** The last line of a key can be any length. */
function isRest(line: string): boolean {
  return /^(?=\S*[\d+/=])[A-Za-z0-9+/]{1,64}={0,2}$/.test(bare(line))
}

function isHeader(line: string): boolean {
  return /^(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): .*)?$/.test(bare(line))
}

function hasMaterial(block: string): boolean {
  return /[A-Za-z0-9+/]{24}/.test(block)
}

/** Without frame, line number or diff sign. */
function bare(line: string): string {
  return line
    .replace(/^[^A-Za-z0-9+/]*(?:\d{1,5}[^A-Za-z0-9+/]+)?\+?[^A-Za-z0-9+/]*/, '')
    .replace(/[^A-Za-z0-9+/=]+$/, '')
}
