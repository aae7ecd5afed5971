import { widthOf } from '../../text/columns.ts'
import { durationText } from '../../text/duration.ts'
import { paintLine, type Span } from '../../text/spans.ts'
import type { Entry } from '../model/entry.ts'
import { type Model, selectedEntry } from '../model/model.ts'
import { askLines, type Layout } from './layout.ts'

/** The whole ask of the selected session, and below it the last lines of the live pane. */
export function previewLines(model: Model, layout: Layout): string[] {
  const { columns, rows } = layout.preview
  const entry = selectedEntry(model)
  if (rows === 0) return []
  const lines = entry
    ? [...askSection(model, layout, entry), ...paneSection(model, layout, entry)]
    : []
  return Array.from({ length: rows }, (_, row) => paintLine(lines[row] ?? [], columns, model.color))
}

function askSection(model: Model, layout: Layout, entry: Entry): Span[][] {
  const { preview, askRows } = layout
  const lines = askLines(entry, preview.columns)
  const shown = lines.slice(model.askTop, model.askTop + askRows)
  const isScrollable = lines.length > askRows
  const last = Math.min(lines.length, model.askTop + askRows)
  const positions = isScrollable ? [`${model.askTop + 1}–${last} of ${lines.length}`, '↕'] : []
  const title: Span[] = [
    ['strong', entry.project],
    ['dim', ` · ${entry.harness} · `],
    [entry.item.label, entry.item.label],
    ['dim', `${entry.tool && ` · ${entry.tool}`} · ${durationText(model.now - entry.item.since)}`],
    ['dim', moreText(entry)],
  ]
  const body = shown.map((text): Span[] => [[styleOf(text, entry), ` ${text}`]])
  return [rule(title, positions, preview.columns), ...body]
}

function paneSection(model: Model, layout: Layout, entry: Entry): Span[][] {
  const { preview, paneRows } = layout
  if (paneRows === 0) return []
  const { pane, open } = entry.item
  const elsewhere = entry.item.decision ? 'asks through Trail Boss' : 'in the background'
  const place = pane ? `live pane ${entry.pane}` : open ? elsewhere : 'no pane'
  const title: Span[] = [['dim', place]]
  return [rule(title, [], preview.columns), ...paneBody(model, entry, paneRows)]
}

function paneBody(model: Model, entry: Entry, rows: number): Span[][] {
  if (!entry.item.pane) return [[['dim', ` ${noPaneText(entry)}`]]]
  const capture = model.captures.get(entry.key)
  if (!capture || capture.pane !== entry.pane) return []
  if (!capture.lines) return [[['dim', ' The pane could not be read.']]]
  return capture.lines.slice(-rows).map((line) => [['plain', ' '], ...line])
}

function noPaneText({ item }: Entry): string {
  if (item.decision)
    return 'It has no pane: Enter shows all of it in a new window, and takes the answer.'
  if (item.open) return 'It runs in the background: Enter shows it in a new window.'
  return (item.about?.kind ?? 'session') === 'session'
    ? 'Trail Boss knows of no tmux pane for this session.'
    : 'There is no pane to show for this.'
}

/** A change of a text is shown as a diff. */
function styleOf(line: string, { permission }: Entry): Span[0] {
  const mark = permission === undefined ? undefined : /^ *([-+]) /.exec(line)?.[1]
  return mark === undefined ? 'plain' : mark === '+' ? 'finished' : 'error'
}

function moreText({ item }: Entry): string {
  const more = item.decision?.more ?? 0
  return more > 0 ? ` · ${more} more behind it` : ''
}

/** A horizontal line, with a title near its start and the first remark that fits near its end. */
function rule(title: Span[], remarks: string[], columns: number): Span[] {
  const titleWidth = widthOf(title.map(([, text]) => text).join('')) + 3
  const ends = remarks.map((remark) => ` ${remark} ─`)
  const end = ends.find((candidate) => titleWidth + widthOf(candidate) < columns) ?? ''
  const rest = Math.max(0, columns - titleWidth - widthOf(end))
  return [['dim', '─ '], ...title, ['dim', ` ${'─'.repeat(rest)}${end}`]]
}
