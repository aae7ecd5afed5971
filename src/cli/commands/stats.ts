import { supervisorClient } from '../../client/supervisor-client.ts'
import { createContext } from '../context.ts'
import { print, printJson } from '../output.ts'
import { paintFor } from '../paint.ts'
import { statsText } from '../stats-text.ts'

export async function stats(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const view = await supervisorClient(client).stats()
  if (options.json) return printJson(view)
  print(statsText(view, { now: Date.now(), paint: paintFor() }))
}
