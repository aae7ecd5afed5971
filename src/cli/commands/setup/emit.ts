import type { Command } from 'commander'

/** For the help alone: `bin/trailboss` hands it to the emitter before Node is started. */
export function addTo(program: Command): void {
  program
    .command('emit')
    .description('the hook entry: takes a hook payload from stdin')
    .argument('<harness>')
    .action(() => undefined)
}
