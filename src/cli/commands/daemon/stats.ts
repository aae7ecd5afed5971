import { supervisorClient } from '../../../client/supervisor-client.ts'
import { paintFor } from '../../../text/paint.ts'
import { createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { statsText } from '../../render/stats-text.ts'

export async function stats(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const view = await supervisorClient(client).stats()
  if (options.json) return printJson(view)
  print(statsText(view, { now: Date.now(), paint: paintFor() }))
}
