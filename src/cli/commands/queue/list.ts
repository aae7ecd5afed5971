import type { Command } from 'commander'
import type { QueueItem } from '../../../contract/responses.ts'
import { displayLine, displaySummary } from '../../../core/text.ts'
import { cutMiddle } from '../../../text/columns.ts'
import { ageText, remainingText } from '../../../text/duration.ts'
import { LABEL_TONES, type Tone } from '../../../text/paint.ts'
import type { Reader } from '../../../text/reader.ts'
import { table } from '../../../text/table.ts'
import { shownHarness } from '../../../tui/model/harness-name.ts'
import { createContext } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'

export function addTo(program: Command): void {
  addCommand(program, 'list', 'print the queue, head first', list)
}

async function list(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const { items } = await client.queue()
  if (options.json) return printJson({ items })
  if (items.length === 0) return note('Nothing is stuck.')
  await printFor((reader) => queueTable(items, reader))
}

function queueTable(items: QueueItem[], reader: Reader): string {
  const { now, width = 120 } = reader
  const tone = (of?: (item: QueueItem) => Tone) => (item: QueueItem) =>
    item.ready ? of?.(item) : 'quiet'
  return table(items, reader, [
    ['', (item) => placeOf(item, items), { tone: () => 'quiet' }],
    ['AGE', ({ since }) => ageText(since, now), { tone: () => 'quiet' }],
    [
      'HARNESS',
      ({ program, harness }) =>
        cutMiddle(displayLine(program ?? shownHarness(harness)), Math.max(14, width >> 3)),
      { tone: () => 'quiet', from: 70 },
    ],
    [
      'PROJECT',
      ({ agent, project }) =>
        cutMiddle(displayLine(agent ?? project ?? '-'), Math.max(18, width >> 2)),
      { tone: tone() },
    ],
    ['WHY', (item) => whyOf(item, now), { tone: tone(({ label }) => LABEL_TONES[label]) }],
    ['PANE', paneText, { tone: () => 'quiet', from: 70 }],
    ['ASK', askOf, { tone: tone() }],
  ])
}

function placeOf(item: QueueItem, items: QueueItem[]): string {
  return item.ready ? String(items.indexOf(item) + 1) : '-'
}

function whyOf({ ready, label, readyAt }: QueueItem, now: number): string {
  return ready ? label : `${label}, back in ${remainingText(readyAt ?? now, now)}`
}

function paneText({ pane, open, decision }: QueueItem): string {
  return pane?.id ?? (decision ? 'decide' : open ? 'background' : 'no pane')
}

function askOf({ ask: { tool, text } }: QueueItem): string {
  return displaySummary((tool ? `${tool}: ${text}` : text).slice(0, 500))
}
