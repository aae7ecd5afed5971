import type { QueueItem } from '../../contract/responses.ts'
import { displaySummary } from '../../core/text.ts'
import { shownHarness } from '../../tui/harness-name.ts'
import { createContext } from '../context.ts'
import { age, note, print, printJson } from '../output.ts'
import { table } from '../table.ts'

export async function list(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const { items } = await client.queue()
  if (options.json) return printJson({ items })
  if (items.length === 0) return note('Nothing is stuck.')
  const header = ['', 'AGE', 'HARNESS', 'PROJECT', 'WHY', 'PANE', 'ASK']
  print(table([header, ...items.map(row)]))
}

function row(item: QueueItem, index: number): string[] {
  const place = item.ready ? String(index + 1) : '-'
  const ask = item.ask.tool ? `${item.ask.tool}: ${item.ask.text}` : item.ask.text
  return [
    place,
    age(item.since),
    item.program ?? shownHarness(item.harness),
    item.project ?? '-',
    item.ready ? item.label : `${item.label}, back in ${secondsUntil(item.readyAt)}s`,
    item.pane?.id ?? 'no pane',
    displaySummary(ask.slice(0, 500)),
  ]
}

function secondsUntil(at: number | null): number {
  return at === null ? 0 : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}
