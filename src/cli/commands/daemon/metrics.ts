import type { Command } from 'commander'
import { createContext } from '../../context/context.ts'
import { printJson, printVerbatim } from '../../context/output.ts'
import { running } from '../../context/run-command.ts'
import { samplesOf } from '../../render/prometheus-text.ts'

export function addTo(program: Command): void {
  program
    .command('metrics')
    .description('print the figures for Prometheus')
    .option('--json', 'print JSON')
    .action(running(metrics))
}

async function metrics(options: { json?: boolean }): Promise<void> {
  const { client } = createContext()
  const text = await client.metrics()
  if (options.json) return printJson({ samples: samplesOf(text) })
  printVerbatim(text.trimEnd())
}
