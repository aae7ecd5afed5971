import type { Command } from 'commander'
import { createContext } from '../../context/context.ts'
import { note, printFor, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { queueTable } from '../../render/queue-table.ts'

export function addTo(program: Command): void {
  addCommand(program, 'list', 'print the queue, head first', list).option(
    '--all',
    'also what you dismissed',
  )
}

async function list(options: { json?: boolean; all?: boolean }): Promise<void> {
  const { client } = createContext()
  const { items } = await client.queue({ dismissed: options.all === true })
  if (options.json) return printJson({ items })
  if (items.length === 0) return note('Nothing is stuck.')
  await printFor((reader) => queueTable(items, reader))
}
