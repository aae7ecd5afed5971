import { displayLine } from '../core/text.ts'
import { cut, widthOf } from './columns.ts'
import { plain, type Tone } from './paint.ts'
import type { Reader } from './reader.ts'

/** A column is left out if the terminal is narrower than `from`. */
export type Column<Row> = readonly [
  head: string,
  text: (row: Row) => string,
  look?: { tone?: (row: Row) => Tone | undefined; from?: number },
]

const GAP = '  '

/** Left-aligned columns below their heads; the last one is cut to the remaining width. */
export function table<Row>(
  rows: readonly Row[],
  layout: Pick<Reader, 'width' | 'paint'> & { header?: boolean },
  columns: readonly Column<Row>[],
): string {
  const { width = Number.POSITIVE_INFINITY, paint = plain, header = true } = layout
  const shown = columns.filter(([, , look]) => width >= (look?.from ?? 0))
  type Cell = [text: string, tone: Tone | undefined]
  const heads = shown.map(([head]): Cell => [displayLine(head), 'heading'])
  const body = rows.map((row) =>
    shown.map(([, text, look]): Cell => [displayLine(text(row)), look?.tone?.(row)]),
  )
  const lines = header ? [heads, ...body] : body
  const widths = shown.map((_, index) =>
    Math.max(0, ...lines.map((cells) => widthOf(cells[index]?.[0] ?? ''))),
  )
  const lastBegins = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0)
  const last = shown.length - 1
  const padding = (cell: string, index: number) =>
    index === last ? '' : ' '.repeat((widths[index] ?? 0) - widthOf(cell))
  return lines
    .map((cells) => {
      // If not even the last column begins within the width, a colour might be cut in two.
      if (lastBegins >= width) {
        const line = cells.map(([cell], index) => cell + padding(cell, index)).join(GAP)
        return cut(line.trimEnd(), width)
      }
      const painted = cells.map(([cell, tone], index) => {
        const kept = index === last ? cut(cell, width - lastBegins) : cell
        return (kept && tone ? paint(tone, kept) : kept) + padding(kept, index)
      })
      return painted.join(GAP).trimEnd()
    })
    .join('\n')
}
