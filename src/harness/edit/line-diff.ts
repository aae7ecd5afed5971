import { displayText } from '../../core/text.ts'

/**
 * How a file changes, for reading: each change with three lines around it. `undefined` means that the
 * file is not there. Empty when nothing changes.
 */
export function lineDiff(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): string {
  const lines = compare(linesOf(before), linesOf(after))
  const isChanged = lines.some(({ mark }) => mark !== ' ')
  if (!isChanged && Boolean(before) === Boolean(after)) return ''
  return [
    `--- ${before ? path : '/dev/null'}`,
    `+++ ${after ? path : '/dev/null'}`,
    ...hunks(lines).flatMap(({ from, to }) => [
      header(lines, from, to),
      ...shortened(lines.slice(from, to)).map(({ mark, text }) => mark + text),
    ]),
    '',
  ].join('\n')
}

type Line = { mark: ' ' | '-' | '+'; text: string }

const CONTEXT = 3

/** The last line of a file that ends in no newline is another line than the same with one. */
function linesOf(bytes: Buffer | undefined): string[] {
  if (!bytes || bytes.length === 0) return []
  const lines = bytes.toString().split('\n')
  const last = lines.pop()!
  const whole = lines.map((line) => displayText(line).replaceAll('\n', ''))
  return last === '' ? whole : [...whole, `${displayText(last)}\n\\ No newline at end of file`]
}

/** Keeps the longest run of common lines, which is what a person would call unchanged. */
function compare(old: string[], now: string[]): Line[] {
  const start = commonPrefix(old, now)
  const end = commonPrefix(old.slice(start).reverse(), now.slice(start).reverse())
  const same = (text: string): Line => ({ mark: ' ', text })
  return [
    ...old.slice(0, start).map(same),
    ...compareMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ]
}

function compareMiddle(old: string[], now: string[]): Line[] {
  const removed = old.map((text): Line => ({ mark: '-', text }))
  const added = now.map((text): Line => ({ mark: '+', text }))
  if (old.length * now.length > MAX_CELLS) return [...removed, ...added]
  const common = commonTable(old, now)
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ mark: ' ', text: old[i++]! })
      j++
    } else if (j === now.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(removed[i++]!)
    } else {
      lines.push(added[j++]!)
    }
  }
  return lines
}

/** A file that is new from end to end needs no table of every line against every other. */
const MAX_CELLS = 4_000_000

/** How many lines the rest of both has in common, from every pair of places on. */
function commonTable(old: string[], now: string[]): Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const isSame = old[i] === now[j]
      table[i]![j] = isSame
        ? table[i + 1]![j + 1]! + 1
        : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
    }
  }
  return table
}

/** Stretches of lines that are shown; changes with little between them go together. */
function hunks(lines: Line[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    const last = found.at(-1)
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)]
    if (last && from <= last.to) last.to = to
    else found.push({ from, to })
  }
  return found.length > 0 ? found : [{ from: 0, to: 0 }]
}

function header(lines: Line[], from: number, to: number): string {
  const range = (other: Line['mark']) => {
    const count = (part: Line[]) => part.filter(({ mark }) => mark !== other).length
    const length = count(lines.slice(from, to))
    return `${count(lines.slice(0, from)) + (length === 0 ? 0 : 1)},${length}`
  }
  return `@@ -${range('+')} +${range('-')} @@`
}

/** A long line that changes in one place, as in a file of one line, shows that place. */
function shortened(lines: Line[]): Line[] {
  return lines.map((line, index) => {
    if (line.text.length <= LONG) return line
    const partner = line.mark === '-' ? lines[index + 1] : lines[index - 1]
    const isPair =
      line.mark !== ' ' && partner && partner.mark !== ' ' && partner.mark !== line.mark
    if (!isPair) return line
    const same = commonPrefix([...line.text], [...partner.text])
    const from = same - SHOWN
    const text = from <= 0 ? line.text : `… ${[...line.text].slice(from).join('')}`
    return { ...line, text }
  })
}

const LONG = 300
const SHOWN = 40

function commonPrefix(one: string[], other: string[]): number {
  const different = one.findIndex((line, index) => line !== other[index])
  return different === -1 ? one.length : different
}
