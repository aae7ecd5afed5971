import type { Command } from 'commander'

/** Only for the help: `bin/trailboss` runs the emitter without Node. */
export function addTo(program: Command): void {
  program
    .command('emit')
    .description('what hooks run: reads a payload from stdin')
    .argument('<harness>')
    .action(() => undefined)
}
