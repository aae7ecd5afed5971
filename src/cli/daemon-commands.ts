import { type Command, Option } from 'commander'
import { command, json, upTo } from './context/command-parts.ts'
import { runCommand } from './context/run-command.ts'

/** The daemon's life, and what it tells of itself. */
export function addDaemonCommands(program: Command): void {
  command(program, 'up', 'start the daemon; harmless when it runs')
    .alias('start')
    .addOption(
      new Option('--foreground', 'run here instead of in the background').conflicts('systemd'),
    )
    .option('--systemd', 'run as a systemd user unit')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/up.ts')).up(options)),
    )
  command(program, 'down', 'stop the daemon; the queue is kept')
    .alias('stop')
    .option('--systemd', 'remove the systemd user unit as well')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/down.ts')).down(options)),
    )
  command(program, 'restart', 'stop the daemon and start it again in the same way')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/restart.ts')).restart(options)),
    )
  command(program, 'status', 'show the daemon and the queue at a glance')
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/status.ts')).status(options)),
    )
  command(program, 'logs', "show the end of the daemon's log")
    .option('-f, --follow', 'go on with what is new, until interrupted')
    .option('-n, --lines <n>', 'so many lines', upTo(100_000), 50)
    .addOption(json())
    .action((options) =>
      runCommand(async () => (await import('./commands/daemon/logs.ts')).logs(options)),
    )
}
