import type { Command } from 'commander'
import { supervisorClient } from '../../../client/supervisor-client.ts'
import { createContext } from '../../context/context.ts'
import { printFor, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { statsText } from '../../render/stats-text.ts'

export function addTo(program: Command): void {
  addCommand(program, 'stats', 'show how much you answered, and how fast', stats)
}

async function stats(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const view = await supervisorClient(client).stats()
  if (options.json) return printJson(view)
  await printFor((reader) => statsText(view, reader))
}
