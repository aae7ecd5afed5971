import stringWidth from 'string-width'
import { displayLine } from '../core/text.ts'

/**
 * Left-aligned columns; the last one is cut to what is left of the terminal's width. In a file of its
 * own because loading `string-width` takes longer than all else that the popup and the keys load.
 */
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
