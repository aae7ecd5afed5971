import type { Command } from 'commander'
import { requireTmux } from '../../../tmux/version.ts'
import { running } from '../../context/run-command.ts'
import { checkDemo } from '../../demo/check.ts'
import { showDemo } from '../../demo/live.ts'

export function addTo(program: Command): void {
  program
    .command('demo')
    .description('try the keys on scripted agents')
    .option('--check', 'run the tour unattended and check every step')
    .action(running(demo))
}

async function demo(options: { check?: boolean }): Promise<number> {
  await requireTmux()
  return options.check ? checkDemo() : showDemo()
}
