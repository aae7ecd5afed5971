import { itemNames } from '../../core/identity/item-names.ts'
import type { WaitLabel } from '../../core/session/wait-label.ts'
import { cutMiddle, fitTo, isExact, widthOf } from '../../text/columns.ts'
import { durationText } from '../../text/duration.ts'
import { returnText } from '../../text/return-time.ts'
import { paintBar, paintLine, type Span } from '../../text/spans.ts'
import type { Entry } from '../model/entry.ts'
import { type Model, type Size, visibleEntries } from '../model/model.ts'

/** How wide each column is; 0 leaves it out. */
type Columns = { age: number; harness: number; name: number; label: number; gap: number }

const ROOMY_COLUMNS = 90
const NARROW_COLUMNS = 64
const TINY_COLUMNS = 45
const SHORT_LABEL: Record<WaitLabel, string> = {
  asks: 'asks',
  permission: 'perm',
  finished: 'done',
  error: 'err',
  interrupted: 'intr',
  stalled: 'hang',
  waits: 'wait',
}

/** The rows of the list that are on screen, padded with empty ones. */
export function listLines(model: Model, size: Size): string[] {
  const entries = visibleEntries(model)
  const names = namesOf(model.entries, size.columns)
  const columns = columnsFor(entries, names, model.now, size.columns)
  return Array.from({ length: size.rows }, (_, row) => {
    const index = model.listTop + row
    const entry = entries[index]
    if (!entry) return ' '.repeat(size.columns)
    const spans = rowSpans(entry, names.get(entry) ?? '', index, columns, model)
    if (entry.key === model.selected) return paintBar('selected', spans, size.columns, model.color)
    if (!entry.item.ready) return paintBar('dim', spans, size.columns, model.color)
    return paintLine(spans, size.columns, model.color)
  })
}

function rowSpans(
  entry: Entry,
  name: string,
  index: number,
  columns: Columns,
  model: Model,
): Span[] {
  const gap = ' '.repeat(columns.gap)
  const number = index < 9 ? String(index + 1) : ' '
  const age = durationText(model.now - entry.item.since)
  const spans: Span[] = [
    ['plain', `${entry.key === model.selected ? '▸' : ' '}${' '.repeat(columns.gap - 1)}`],
    ['dim', `${number}  `],
    ['plain', `${fitTo(age, columns.age, 'right')}${gap}`],
  ]
  if (columns.harness > 0) {
    spans.push(['dim', fitTo(shortHarness(entry.harness, columns.harness), columns.harness) + gap])
  }
  spans.push(['strong', fitTo(name, columns.name) + gap])
  if (columns.label > 0) {
    const { label } = entry.item
    const word = widthOf(label) <= columns.label ? label : SHORT_LABEL[label]
    spans.push([label, fitTo(word, columns.label) + gap])
  }
  return [...spans, ['plain', askText(entry, model.now)], ['plain', ' ']]
}

function askText(entry: Entry, now: number): string {
  const { readyAt, ready, pane, open, decision } = entry.item
  const parts: string[] = []
  if (!ready) parts.push(readyAt === null ? 'skipped' : `back ${returnText(readyAt, now)}`)
  if (!pane && !decision) parts.push(open ? 'background' : 'no pane')
  return [...parts, entry.askLine].join(' · ')
}

/** Names that tell all entries apart, whatever the filter shows of them. */
function namesOf(entries: Entry[], columns: number): Names {
  const isSame = named?.entries === entries && named.columns === columns
  if (!named || !isSame || named.exact !== isExact()) {
    const most = mostNameColumns(columns)
    const names = itemNames(
      entries.map(({ item }) => item),
      { shorten: (name) => cutMiddle(name, most), isRoomy: columns >= ROOMY_COLUMNS },
    )
    const byEntry = new Map(entries.map((entry, index) => [entry, names[index] ?? '']))
    named = { entries, columns, exact: isExact(), names: byEntry }
  }
  return named.names
}

type Names = ReadonlyMap<Entry, string>

/** Each frame needs them, and only the queue and the width change them. */
let named: { entries: Entry[]; columns: number; exact: boolean; names: Names } | undefined

function mostNameColumns(columns: number): number {
  if (columns < TINY_COLUMNS) return 10
  if (columns < NARROW_COLUMNS) return 16
  return Math.max(18, Math.floor(columns * (columns < ROOMY_COLUMNS ? 0.3 : 0.38)))
}

/** As wide as their widest content, so that short names leave room for the ask. */
function columnsFor(entries: Entry[], names: Names, now: number, columns: number): Columns {
  const isNarrow = columns < NARROW_COLUMNS
  const isTiny = columns < TINY_COLUMNS
  const widest = (text: (entry: Entry) => string, most: number) =>
    Math.min(most, Math.max(0, ...entries.map((entry) => widthOf(text(entry)))))
  const harness = isNarrow ? 8 : Math.max(11, Math.floor(columns * 0.14))
  return {
    age: Math.max(
      3,
      widest((entry) => durationText(now - entry.item.since), 6),
    ),
    harness: isTiny ? 0 : widest((entry) => shortHarness(entry.harness, harness), harness),
    name: widest((entry) => names.get(entry) ?? '', columns),
    label: isTiny ? 0 : isNarrow ? 4 : widest((entry) => entry.item.label, 11),
    gap: isNarrow ? 1 : 2,
  }
}

function shortHarness(harness: string, columns: number): string {
  if (widthOf(harness) <= columns) return harness
  const [first = harness] = harness.split('-')
  return cutMiddle(first, columns)
}
