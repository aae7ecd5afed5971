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
  const title = titleSpans(entry, model.now, preview.columns)
  const body = shown.map((text): Span[] => [[styleOf(text, entry), ` ${text}`]])
  return [rule(title, positions, preview.columns), ...body]
}

/** Its identity first: what its row in the list says as well gives way to that. */
function titleSpans(entry: Entry, now: number, columns: number): Span[] {
  const { item, project, identity, harness, tool } = entry
  const label: Span = [item.label, item.label]
  const age = durationText(now - item.since)
  const more = item.decision?.more ?? 0
  const behind = more > 0 ? `${more} more behind it` : ''
  const name: Span[] = [['strong', project], ...dim(...identity)]
  const [whole = [], ...shorter]: Span[][] = [
    [...dim(harness), label, ...dim(tool, age, behind)],
    [label, ...dim(tool, age, behind)],
    [label, ...dim(tool, behind)],
    dim(tool, behind),
    [],
  ].map((rest) => joined([...name, ...rest]))
  const hasRoom = (spans: Span[]) => spansWidth(spans) + FRAME_COLUMNS <= columns
  return identity.length === 0 ? whole : ([whole, ...shorter].find(hasRoom) ?? joined(name))
}

/** What a rule has around its title, with a mark for "there is more". */
const FRAME_COLUMNS = 7

function dim(...texts: string[]): Span[] {
  return texts.filter(Boolean).map((text) => ['dim', text])
}

function joined(spans: Span[]): Span[] {
  return spans.flatMap((span, index): Span[] => (index === 0 ? [span] : [['dim', ' · '], span]))
}

function spansWidth(spans: Span[]): number {
  return widthOf(spans.map(([, text]) => text).join(''))
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

/** A horizontal line, with a title near its start and the first remark that fits near its end. */
function rule(title: Span[], remarks: string[], columns: number): Span[] {
  const titleWidth = spansWidth(title) + 3
  const ends = remarks.map((remark) => ` ${remark} ─`)
  const end = ends.find((candidate) => titleWidth + widthOf(candidate) < columns) ?? ''
  const rest = Math.max(0, columns - titleWidth - widthOf(end))
  return [['dim', '─ '], ...title, ['dim', ` ${'─'.repeat(rest)}${end}`]]
}
