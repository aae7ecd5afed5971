import stringWidth from 'string-width'
import type { Cell } from './columns.ts'

export type Graphemes = typeof import('./graphemes.ts')

// No emoji or syllable is this long; a longer cluster stacks marks over its neighbours' rows.
const MAX_CLUSTER_LENGTH = 32

const segmenter = new Intl.Segmenter()

// The same lines are drawn repeatedly, and segmenting is slow: about 5 µs per cluster.
const known = new Map<string, Cell[]>()
const MAX_KNOWN = 500

/** The visible clusters; joined, and with spaces around them, they stay the same clusters. */
export function graphemeCells(line: string): Cell[] {
  const cells = known.get(line) ?? segmented(line)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(line, cells)
  return cells
}

function segmented(line: string): Cell[] {
  const cells = Array.from(segmenter.segment(line), ({ segment }) => cellOf(segment))
  const kept = cells.filter(({ width }) => width > 0)
  if (kept[0] && merges(` ${kept[0].text}`, 1)) kept.shift()
  const last = kept.at(-1)
  if (last && merges(`${last.text} `, last.text.length)) kept.pop()
  // Neighbours may merge once the cell between them is gone.
  return kept.length === cells.length ? kept : segmented(textOf(kept))
}

function cellOf(cluster: string): Cell {
  if (cluster.length > MAX_CLUSTER_LENGTH) return { text: '\ufffd', width: 1 }
  return { text: cluster, width: stringWidth(cluster) }
}

function textOf(cells: Cell[]): string {
  return cells.map(({ text }) => text).join('')
}

function merges(text: string, boundary: number): boolean {
  return segmenter.segment(text).containing(boundary)?.index !== boundary
}
