import stringWidth from 'string-width'
import { displayLine } from '../core/text.ts'

/** Gives what a cell says its colour. */
export type PaintCell = (cell: string, row: number, column: number) => string

/**
 * Left-aligned columns; the last one is cut to what is left of the terminal's width. In a file of its
 * own because loading `string-width` takes longer than all else that the popup and the keys load.
 */
export function table(
  rows: string[][],
  width = process.stdout.columns ?? 120,
  paint: PaintCell = (cell) => cell,
): string {
  const safe = rows.map((row) => row.map((cell) => displayLine(cell)))
  const columns = Math.max(0, ...safe.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(0, ...safe.map((row) => stringWidth(row[index] ?? ''))),
  )
  const lastBegins = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0)
  const padding = (cell: string, index: number) =>
    index === columns - 1 ? '' : ' '.repeat((widths[index] ?? 0) - stringWidth(cell))
  return safe
    .map((row, at) => {
      // Where not even the last column begins within the width, a colour might be cut in two.
      if (lastBegins >= width) {
        return cut(
          row
            .map((cell, index) => cell + padding(cell, index))
            .join(GAP)
            .trimEnd(),
          width,
        )
      }
      const cells = row.map((cell, index) => {
        const kept = index === columns - 1 ? cut(cell, width - lastBegins) : cell
        return (kept && paint(kept, at, index)) + padding(kept, index)
      })
      return cells.join(GAP).trimEnd()
    })
    .join('\n')
}

const GAP = '  '

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
