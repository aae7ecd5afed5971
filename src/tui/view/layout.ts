import { isExact } from '../../text/columns.ts'
import { wrap } from '../../text/wrap.ts'
import { askTextOf, type Entry } from '../model/entry.ts'
import { type Model, type Size, selectedEntry, visibleEntries } from '../model/model.ts'

const BESIDE_MIN_COLUMNS = 120
const ROOMY_MIN_ROWS = 20
const MIN_LIST_ROWS = 4

/** The size of each part of the screen, without header and footer. */
export type Layout = {
  kind: 'stacked' | 'beside'
  /** An empty row below the header, if there is room for it. */
  spacerRows: number
  list: Size
  preview: Size
  /** One of the preview's rows is its title and one the pane's; these are the others. */
  askRows: number
  paneRows: number
}

/** Header and footer take one row each; a key must not act on something without a row. */
export function bodyRowsOf({ rows }: Size): number {
  return Math.max(Math.min(rows, 1), rows - 2)
}

export function layoutOf(model: Model): Layout {
  const { columns, rows } = model.size
  const spacerRows = rows >= ROOMY_MIN_ROWS ? 1 : 0
  const bodyRows = bodyRowsOf(model.size) - spacerRows
  const regions =
    columns >= BESIDE_MIN_COLUMNS
      ? besideRegions(columns, bodyRows)
      : stackedRegions(columns, bodyRows, visibleEntries(model).length)
  return { spacerRows, ...regions, ...previewRows(regions.preview, selectedEntry(model), model) }
}

/** The ask as the preview shows it, with one free column on each side. */
export function askLines(entry: Entry, previewColumns: number): string[] {
  const columns = Math.max(1, previewColumns - 2)
  const isSame = wrapped?.entry === entry && wrapped.columns === columns
  if (!wrapped || !isSame || wrapped.exact !== isExact()) {
    wrapped = { entry, columns, exact: isExact(), lines: wrap(askTextOf(entry), columns) }
  }
  return wrapped.lines
}

/** Layout and view need the same lines several times per frame. */
let wrapped: { entry: Entry; columns: number; exact: boolean; lines: string[] } | undefined

export function maxAskTop(model: Model): number {
  const entry = selectedEntry(model)
  const { askRows, preview } = layoutOf(model)
  return entry ? Math.max(0, askLines(entry, preview.columns).length - askRows) : 0
}

type Regions = Pick<Layout, 'kind' | 'list' | 'preview'>

function besideRegions(columns: number, bodyRows: number): Regions {
  const listColumns = Math.min(100, Math.floor(columns * 0.48))
  return {
    kind: 'beside',
    list: { columns: listColumns, rows: bodyRows },
    // One column is the line between them.
    preview: { columns: columns - listColumns - 1, rows: bodyRows },
  }
}

function stackedRegions(columns: number, bodyRows: number, count: number): Regions {
  const most = Math.max(MIN_LIST_ROWS, Math.floor(bodyRows * 0.4))
  const wanted = Math.min(most, Math.max(MIN_LIST_ROWS, count))
  const hasPreview = bodyRows >= MIN_LIST_ROWS + 2
  const listRows = hasPreview ? wanted : bodyRows
  return {
    kind: 'stacked',
    list: { columns, rows: listRows },
    preview: { columns, rows: bodyRows - listRows },
  }
}

function previewRows(preview: Size, entry: Entry | undefined, model: Model) {
  if (!entry || preview.rows < 2) return { askRows: 0, paneRows: 0 }
  const withoutPane = preview.rows - 1
  const content = preview.rows - 2
  if (content < 2) return { askRows: withoutPane, paneRows: 0 }
  const wanted = askLines(entry, preview.columns).length
  const captured = model.captures.get(entry.key)?.lines?.length ?? content
  // The ask takes what it needs up to half, plus what the pane leaves over.
  const half = Math.max(1, Math.ceil(content / 2))
  const askRows = Math.min(wanted, Math.max(half, content - Math.max(1, captured)))
  return { askRows, paneRows: content - askRows }
}
