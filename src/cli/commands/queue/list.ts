import type { Command } from 'commander'
import type { QueueItem } from '../../../contract/responses.ts'
import { displayLine, displaySummary } from '../../../core/text.ts'
import { cutMiddle } from '../../../text/columns.ts'
import { ageText, remainingText } from '../../../text/duration.ts'
import { LABEL_TONES, plain } from '../../../text/paint.ts'
import type { Reader } from '../../../text/reader.ts'
import { type PaintCell, table } from '../../../text/table.ts'
import { shownHarness } from '../../../tui/model/harness-name.ts'
import { createContext } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { running } from '../../context/run-command.ts'

export function addTo(program: Command): void {
  program
    .command('list')
    .description('print the queue, head first')
    .option('--json', 'print JSON')
    .action(running(list))
}

async function list(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const { items } = await client.queue()
  if (options.json) return printJson({ items })
  if (items.length === 0) return note('Nothing is stuck.')
  await printFor((reader) => queueTable(items, reader))
}

function queueTable(items: QueueItem[], reader: Reader): string {
  const header = ['', 'AGE', 'HARNESS', 'PROJECT', 'WHY', 'PANE', 'ASK']
  const rows = items.map((item, index) => row(item, index, reader))
  return table([header, ...rows], reader.width, painted(items, reader))
}

const PROJECT_COLUMN = 3
const WHY_COLUMN = 4
const ASK_COLUMN = 6

function painted(items: QueueItem[], { paint = plain }: Reader): PaintCell {
  return (cell, at, column) => {
    const item = items[at - 1]
    if (!item) return paint('heading', cell)
    if (!item.ready) return paint('quiet', cell)
    if (column === WHY_COLUMN) return paint(LABEL_TONES[item.label], cell)
    return column === ASK_COLUMN || column === PROJECT_COLUMN ? cell : paint('quiet', cell)
  }
}

function row(item: QueueItem, index: number, { now, width = 120 }: Reader): string[] {
  const place = item.ready ? String(index + 1) : '-'
  const ask = item.ask.tool ? `${item.ask.tool}: ${item.ask.text}` : item.ask.text
  return [
    place,
    ageText(item.since, now),
    cutMiddle(displayLine(item.program ?? shownHarness(item.harness)), Math.max(14, width >> 3)),
    cutMiddle(displayLine(item.project ?? '-'), Math.max(18, width >> 2)),
    item.ready ? item.label : `${item.label}, back in ${remainingText(item.readyAt ?? now, now)}`,
    item.pane?.id ?? 'no pane',
    displaySummary(ask.slice(0, 500)),
  ]
}
