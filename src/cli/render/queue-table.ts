import type { QueueItem } from '../../contract/responses.ts'
import { itemNames } from '../../core/identity/item-names.ts'
import { displayLine, displaySummary } from '../../core/text.ts'
import { cutMiddle } from '../../text/columns.ts'
import { ageText } from '../../text/duration.ts'
import { LABEL_TONES, type Tone } from '../../text/paint.ts'
import type { Reader } from '../../text/reader.ts'
import { returnText } from '../../text/return-time.ts'
import { type Column, table } from '../../text/table.ts'
import { shownHarness } from '../../tui/model/harness-name.ts'

/** From this width on there is room for: harness and pane; every branch; a column for each. */
const MEDIUM_COLUMNS = 70
const ROOMY_COLUMNS = 100
const WIDE_COLUMNS = 120
const TITLE_COLUMNS = 160

const quiet = () => 'quiet' as const

/** No two rows look the same: the name of an item has as much in it as that takes. */
export function queueTable(items: readonly QueueItem[], reader: Reader): string {
  // In a pipe nothing is cut.
  const { now, width = Number.POSITIVE_INFINITY } = reader
  const isWide = width >= WIDE_COLUMNS
  const tone = (of?: (item: QueueItem) => Tone) => (item: QueueItem) =>
    isInLine(item) ? of?.(item) : 'quiet'
  const branch: Column<QueueItem> = ['BRANCH', (item) => branchText(item, width), { tone: tone() }]
  const title: Column<QueueItem> = ['TITLE', (item) => titleText(item, width), { tone: tone() }]
  const hasBranch = isWide && items.some((item) => item.branch)
  const hasTitle = width >= TITLE_COLUMNS && items.some((item) => item.title)
  const names = namesOf(items, width)
  return table(items, reader, [
    ['', (item) => placeOf(item, items), { tone: quiet }],
    ['AGE', ({ since }) => ageText(since, now), { tone: quiet }],
    [
      'HARNESS',
      ({ program, harness }) =>
        cutMiddle(
          displayLine(program ?? shownHarness(harness)),
          Math.max(14, Math.floor(width / 8)),
        ),
      { tone: quiet, from: MEDIUM_COLUMNS },
    ],
    ['PROJECT', (item) => names.get(item) ?? '-', { tone: tone() }],
    ...(hasBranch ? [branch] : []),
    ...(hasTitle ? [title] : []),
    ['WHY', (item) => whyOf(item, now), { tone: tone(({ label }) => LABEL_TONES[label]) }],
    isWide
      ? ['WHERE', (item) => whereText(item, width), { tone: quiet }]
      : ['PANE', paneText, { tone: quiet, from: MEDIUM_COLUMNS }],
    ['ASK', askOf, { tone: tone() }],
  ])
}

function namesOf(items: readonly QueueItem[], width: number): Map<QueueItem, string> {
  const isWide = width >= WIDE_COLUMNS
  const most = Math.max(18, Math.floor(width * (isWide ? 0.2 : 0.3)))
  const names = itemNames(items, {
    shorten: (name) => cutMiddle(name, most),
    isRoomy: !isWide && width >= ROOMY_COLUMNS,
    beside: (item) => (isWide ? `${branchText(item, width)}\n${whereText(item, width)}` : ''),
  })
  return new Map(items.map((item, index) => [item, names[index] ?? '']))
}

function branchText({ branch }: QueueItem, width: number): string {
  return cutMiddle(displayLine(branch ?? '-'), Math.floor(width / 6))
}

function titleText({ title }: QueueItem, width: number): string {
  return cutMiddle(displayLine(title ?? '-'), Math.floor(width / 6))
}

/** The pane's id is short, and other commands take it. */
function whereText(item: QueueItem, width: number): string {
  const pane = paneText(item)
  if (!item.pane || !item.window) return pane
  return `${cutMiddle(displayLine(item.window), Math.floor(width / 8))} ${pane}`
}

function placeOf(item: QueueItem, items: readonly QueueItem[]): string {
  return isInLine(item) ? String(items.indexOf(item) + 1) : '-'
}

function isInLine({ ready, dismissedAt }: QueueItem): boolean {
  return ready && dismissedAt === undefined
}

function whyOf({ ready, label, readyAt, dismissedAt }: QueueItem, now: number): string {
  if (dismissedAt !== undefined) return `${label}, dismissed`
  return ready ? label : `${label}, back ${returnText(readyAt ?? now, now)}`
}

function paneText({ pane, open, decision }: QueueItem): string {
  return pane?.id ?? (decision ? 'decide' : open ? 'background' : 'no pane')
}

/** Some asks begin with their tool already. */
function askOf({ ask: { tool, text } }: QueueItem): string {
  const isNamed = !tool || text.startsWith(tool)
  return displaySummary((isNamed ? text : `${tool}: ${text}`).slice(0, 500))
}
