import { createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { samplesOf } from '../../render/prometheus-text.ts'

export async function metrics(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const text = await client.metrics()
  if (options.json) return printJson({ samples: samplesOf(text) })
  print(text.trimEnd())
}
