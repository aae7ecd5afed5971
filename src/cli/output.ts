import stringWidth from 'string-width'
import { displayLine } from '../core/text.ts'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Notes, progress and warnings: everything that is not the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Left-aligned columns; the last one is cut to what is left of the terminal's width. */
export function table(rows: string[][], width = process.stdout.columns ?? 120): string {
  const safe = rows.map((row) => row.map((cell) => displayLine(cell)))
  const columns = Math.max(0, ...safe.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(0, ...safe.map((row) => stringWidth(row[index] ?? ''))),
  )
  return safe
    .map((row) => {
      const cells = row.map((cell, index) =>
        index === columns - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - stringWidth(cell)),
      )
      return cut(cells.join('  ').trimEnd(), width)
    })
    .join('\n')
}

/** How long ago, in the largest unit that says enough: 42s, 7m, 3h, 2d. */
export function age(since: number | null, now = Date.now()): string {
  if (since === null) return '-'
  const seconds = Math.max(0, Math.floor((now - since) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

function cut(line: string, width: number): string {
  if (stringWidth(line) <= width) return line
  let kept = ''
  let used = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    used += stringWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
