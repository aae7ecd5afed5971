import { createContext } from '../context.ts'
import { print, printJson } from '../output.ts'
import { samplesOf } from '../prometheus-text.ts'

export async function metrics(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const text = await client.metrics()
  if (options.json) return printJson({ samples: samplesOf(text) })
  print(text.trimEnd())
}
