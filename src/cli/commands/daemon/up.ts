import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Command, Option } from 'commander'
import { distDir } from '../../../config/installation.ts'
import { requireSafePlace } from '../../../config/safe-place.ts'
import type { StatusView } from '../../../contract/responses.ts'
import { TrailBossError } from '../../../core/errors.ts'
import { version } from '../../../core/version.ts'
import { requireTmux } from '../../../tmux/version.ts'
import { type Context, createContext, requireConfig } from '../../context/context.ts'
import { note, print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { finishStart, noteWarnings, runningStatus, serveServer } from '../../daemon/daemon-start.ts'
import { startDetached } from '../../daemon/detached-daemon.ts'
import { hasUnit, startUnit } from '../../daemon/systemd.ts'
import { hasKeys } from '../../install/tmux-conf-choice.ts'

type UpOptions = { foreground?: boolean; systemd?: boolean; json?: boolean }

export function addTo(program: Command): void {
  addCommand(program, 'up', 'start the daemon; does nothing if it is already running', up)
    .alias('start')
    .addOption(
      new Option('--foreground', 'run here instead of in the background').conflicts('systemd'),
    )
    .option('--systemd', 'run as a systemd user unit')
}

async function up(options: UpOptions): Promise<void> {
  await requireTmux()
  requireConfig()
  const context = createContext()
  requireSafePlace(context.paths.home)
  if (options.foreground) {
    await import(pathToFileURL(join(distDir(), 'daemon.mjs')).href)
    return
  }
  const running = await runningStatus(context.client)
  if (running) return alreadyRuns(context, running, options)
  using starting = options.systemd ? await startUnit() : startDetached(context)
  const started = await finishStart(context, starting)
  const { pid } = started.daemon
  if (options.json) return printJson({ status: 'started', pid })
  print(`Trail Boss is up (pid ${pid}), ${starting.where}.`)
  noteWarnings(started)
  const { tmuxConf } = context.paths
  if (!hasKeys(process.env, tmuxConf)) note('Bind its keys with: trailboss install tmux')
}

async function alreadyRuns(
  context: Context,
  running: StatusView,
  options: UpOptions,
): Promise<void> {
  const { pid, version: runs } = running.daemon
  if (options.systemd && !hasUnit()) {
    throw new TrailBossError(
      'DAEMON_RUNNING',
      `Trail Boss runs already (pid ${pid}), and not by systemd: no unit was made.`,
      { hint: 'Let systemd have it: trailboss down && trailboss up --systemd' },
    )
  }
  await serveServer(context.client, context.socket, running)
  if (options.json) return printJson({ status: 'already_running', pid })
  print(`Trail Boss runs already (pid ${pid}).`)
  noteWarnings(running)
  if (runs !== version) {
    note(`It is version ${runs}, and this is ${version}: trailboss restart`)
  }
}
