import type { Command } from 'commander'
import { eitherOr } from '../../context/option-values.ts'
import { running } from '../../context/run-command.ts'
import { installHarness } from '../../install/install-harness.ts'
import { installTmux } from '../../install/install-tmux.ts'
import { installAll } from './every-target.ts'
import { target, wiring } from './wiring-flags.ts'

export function addTo(program: Command): void {
  const install = wiring(
    program,
    'install',
    'wire your agents and bind the keys; shows each change first',
    installHarness,
  ).action(running(installAll))
  const tmux = target(install, 'tmux', 'bind the keys in your tmux.conf', (options) =>
    installTmux(options),
  )
    .option('--conf <file>', 'the tmux.conf to change')
    .option('--status', 'add the stuck count to the status line')
    .option('--no-status', 'remove it from the status line')
    .option('--start', 'start the daemon when a tmux server starts (the default)')
    .option('--no-start', 'leave starting it to you')
    .option('--key-next <key>', 'prefix key for Next (default: Tab)')
    .option('--key-popup <key>', 'prefix key for the popup (default: g)')
    .option('--key-skip <key>', 'prefix key for Skip (default: S)')
    .option('--key-back <key>', 'prefix key for Back (default: B)')
    .option('--key-dismiss <key>', 'prefix key that dismisses this one (default: none)')
    .option('--key-drain <key>', 'prefix key that turns drain on and off (default: none)')
    .option('--diff', 'show the keys file as well')
    .option('--print', 'print the keys file instead of installing it')
    .addHelpText('after', '\nWhat you do not name stays as the last install left it.')
  eitherOr(tmux)
}
