import type { Command, OptionValues } from 'commander'
import type { WiredAdapter } from '../../../harness/adapter/adapter.ts'
import { wiredAdapters } from '../../../harness/registry.ts'
import type { WiringOptions } from '../../../harness/wiring/wiring.ts'
import { eitherOr } from '../../context/option-values.ts'
import { runCommand } from '../../context/run-command.ts'

/** What can be wired, by name. */
export function targetNames(): string[] {
  return [...wiredAdapters().map(({ harness }) => harness), 'tmux']
}

/** What `install` and `uninstall` have in common: one command below for every harness. */
export function wiring(
  program: Command,
  name: 'install' | 'uninstall',
  description: string,
  run: (adapter: WiredAdapter, options: WiringOptions) => Promise<unknown>,
): Command {
  const names = targetNames()
  const command = program
    .command(name)
    .description(description)
    .argument('[what]', `${names.join(', ')}, or all of them (default)`)
    .usage(`[options] [${names.join('|')}|all]`)
    .option('--yes', 'do it without asking')
    .helpCommand(false)
  for (const adapter of wiredAdapters()) {
    const { summary, flags = [] } = adapter.wiring[name]
    const below = target(command, adapter.harness, summary, (options) => run(adapter, options))
    for (const { flag, help } of flags) below.option(flag, help)
    eitherOr(below)
  }
  return command
}

export function target(
  parent: Command,
  name: string,
  description: string,
  run: (options: OptionValues) => Promise<unknown>,
): Command {
  return parent
    .command(name)
    .description(description)
    .option('--yes', 'do it without asking')
    .action((_, command: Command) =>
      runCommand(async () => {
        await run(command.optsWithGlobals())
      }),
    )
}
