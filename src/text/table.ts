import { displayLine } from '../core/text.ts'
import { cut, widthOf } from './columns.ts'

/** Gives what a cell says its colour. */
export type PaintCell = (cell: string, row: number, column: number) => string

/** Left-aligned columns; the last one is cut to what is left of the width. */
export function table(
  rows: string[][],
  width = Number.POSITIVE_INFINITY,
  paint: PaintCell = (cell) => cell,
): string {
  const safe = rows.map((row) => row.map((cell) => displayLine(cell)))
  const columns = Math.max(0, ...safe.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(0, ...safe.map((row) => widthOf(row[index] ?? ''))),
  )
  const lastBegins = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0)
  const padding = (cell: string, index: number) =>
    index === columns - 1 ? '' : ' '.repeat((widths[index] ?? 0) - widthOf(cell))
  return safe
    .map((row, at) => {
      // Where not even the last column begins within the width, a colour might be cut in two.
      if (lastBegins >= width) {
        const line = row.map((cell, index) => cell + padding(cell, index)).join(GAP)
        return cut(line.trimEnd(), width)
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
