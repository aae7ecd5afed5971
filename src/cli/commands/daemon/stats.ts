import type { Command } from 'commander'
import { supervisorClient } from '../../../client/supervisor-client.ts'
import { createContext } from '../../context/context.ts'
import { printView } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { statsText } from '../../render/stats-text.ts'

export function addTo(program: Command): void {
  addCommand(program, 'stats', 'show how much you answered, and how fast', stats)
}

async function stats(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  await printView(await supervisorClient(client).stats(), options, statsText)
}
