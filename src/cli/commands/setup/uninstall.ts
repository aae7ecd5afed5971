import type { Command } from 'commander'
import { running } from '../../context/run-command.ts'
import { uninstallHarness } from '../../install/uninstall-harness.ts'
import { uninstallTmux } from '../../install/uninstall-tmux.ts'
import { uninstallAll } from './every-target.ts'
import { target, wiring } from './wiring-flags.ts'

export function addTo(program: Command): void {
  const uninstall = wiring(
    program,
    'uninstall',
    'remove what install added',
    uninstallHarness,
  ).action(running(uninstallAll))
  target(uninstall, 'tmux', 'remove the keys from your tmux.conf', (options) =>
    uninstallTmux(options),
  )
    .option('--conf <file>', 'the tmux.conf to change')
    .option('--diff', 'show the keys file as well')
}
