import type { Graphemes } from './graphemes.ts'

/**
 * Text by display columns. A cell is one grapheme cluster and is never split.
 *
 * Loading `Intl.Segmenter` and `string-width` takes longer than all the rest of the popup, and most
 * text does not need them: for SIMPLE text, clusters and widths follow from a few rules on which the
 * two agree (the tests compare). Other text is measured roughly until `loadWantedGraphemes` is done.
 */
export type Cell = { text: string; width: number }

const EMOJI = '[\\p{Emoji}&&\\p{Extended_Pictographic}]'
const EMOJI_PART = `${EMOJI}(?:\\ufe0f|(?<=\\p{Emoji_Modifier_Base})\\p{Emoji_Modifier})?`
const EMOJI_CELL = `${EMOJI_PART}(?:\\u200d${EMOJI_PART}){0,5}`
const KEYCAP_CELL = '[0-9#*]\\ufe0f?\\u20e3'
// Latin, Greek, Cyrillic, Hebrew, Arabic; symbols; kana, ideographs, Hangul, full-width forms.
const LETTER_CELL = `[[${[
  '\\u0020-\\u007e\\u00a0-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0373\\u0391-\\u03a1\\u03a3-\\u0482\\u048a-\\u052f',
  '\\u05d0-\\u05ea\\u0621-\\u063a\\u0641-\\u064a\\u0660-\\u0669\\u0671-\\u06d3\\u1e00-\\u1eff',
  '\\u2010-\\u2027\\u2030-\\u205e\\u2070\\u2071\\u2074-\\u208e\\u20a0-\\u20c0\\u2100-\\u218b',
  '\\u2190-\\u2328\\u232b-\\u2426\\u2440-\\u244a\\u2460-\\u2b73',
  '\\u3000-\\u3029\\u3041-\\u3096\\u309b-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60',
].join('')}]--${EMOJI}][\\u0300-\\u036f]{0,4}`
const CELL = `${KEYCAP_CELL}|${EMOJI_CELL}|${LETTER_CELL}`
const SIMPLE = new RegExp(`^(?:${CELL})*$`, 'v')
const SIMPLE_CELL = new RegExp(CELL, 'gv')
// Every UTF-16 unit is one column: the popup's own text, and most of what it shows.
const NARROW =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u25b8\u2768-\u2794]*$/
const WIDE =
  /^[\u2630-\u2637\u268a-\u268f\u3000-\u30ff\u3297\u3299\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60\u{1f202}\u{1f237}]|^\p{Emoji_Presentation}|^.(?:\ufe0f|\u200d|\u20e3|\p{Emoji_Modifier})/u

let graphemes: Graphemes | undefined
let isWanted = false

/** After a rough measurement: resolves when text can be measured exactly. */
export function loadWantedGraphemes(): Promise<void> | undefined {
  if (!isWanted) return undefined
  isWanted = false
  return loadGraphemes()
}

export async function loadGraphemes(): Promise<void> {
  graphemes = await import('./graphemes.ts')
}

export function isExact(): boolean {
  return graphemes !== undefined
}

/** Whether every UTF-16 unit is one column. */
export function isNarrow(text: string): boolean {
  return NARROW.test(text)
}

export function cellsOf(line: string): Cell[] {
  if (!isSimple(line)) return graphemes ? graphemes.graphemeCells(line) : roughCells(line)
  return (line.match(SIMPLE_CELL) ?? []).map((text) => ({ text, width: simpleWidth(text) }))
}

export function widthOf(line: string): number {
  if (NARROW.test(line)) return line.length
  return cellsOf(line).reduce((sum, cell) => sum + cell.width, 0)
}

/** At most `columns` wide; an ellipsis marks a cut. */
export function cut(line: string, columns: number): string {
  if (columns <= 0) return ''
  if (NARROW.test(line)) {
    return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`
  }
  const cells = cellsOf(line)
  let width = 0
  let kept = ''
  let keptBeforeEllipsis = ''
  for (const cell of cells) {
    width += cell.width
    if (width > columns) return `${keptBeforeEllipsis}…`
    kept += cell.text
    if (width < columns) keptBeforeEllipsis = kept
  }
  return kept
}

/** The same for a name, cut in the middle: names that begin alike differ at their end. */
export function cutMiddle(name: string, columns: number): string {
  if (widthOf(name) <= columns || columns < 5) return cut(name, columns)
  const cells = cellsOf(name)
  const head = Math.ceil((columns - 1) / 3)
  const start = takeWhileNarrow(cells, head)
  const end = takeWhileNarrow(cells.toReversed(), columns - 1 - head).toReversed()
  return `${textOf(start)}…${textOf(end)}`
}

function takeWhileNarrow(cells: Cell[], columns: number): Cell[] {
  let width = 0
  const end = cells.findIndex((cell) => {
    width += cell.width
    return width > columns
  })
  return end < 0 ? cells : cells.slice(0, end)
}

function textOf(cells: Cell[]): string {
  return cells.map(({ text }) => text).join('')
}

/** Exactly `columns` wide. */
export function fitTo(line: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const kept = cut(line, columns)
  const padding = ' '.repeat(Math.max(0, columns - widthOf(kept)))
  return side === 'left' ? kept + padding : padding + kept
}

function isSimple(text: string): boolean {
  return NARROW.test(text) || SIMPLE.test(text)
}

function simpleWidth(cell: string): number {
  return WIDE.test(cell) ? 2 : 1
}

const ROUGH_CELL =
  /\p{Regional_Indicator}{2}|[^\p{M}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}](?:\u200d\p{Extended_Pictographic}|[\p{M}\u200c\u200d]){0,12}/gu

function roughCells(line: string): Cell[] {
  isWanted = true
  return (line.match(ROUGH_CELL) ?? []).map((text) => {
    const spacingMarks = text.match(/\p{Mc}/gu)?.length ?? 0
    return { text, width: simpleWidth(text) + spacingMarks }
  })
}
