import type { Command } from 'commander'
import { createContext } from '../../context/context.ts'
import { printJson, printVerbatim } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { samplesOf } from '../../render/prometheus-text.ts'

export function addTo(program: Command): void {
  addCommand(program, 'metrics', 'print the metrics for Prometheus', metrics)
}

async function metrics(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const text = await client.metrics()
  if (options.json) return printJson({ samples: samplesOf(text) })
  printVerbatim(text.trimEnd())
}
