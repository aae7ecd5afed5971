import type { Command } from 'commander'
import { requireSafePlace } from '../../../config/safe-place.ts'
import { requireTmux } from '../../../tmux/version.ts'
import { createContext, requireConfig } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { finishStart, noteWarnings } from '../../daemon/daemon-start.ts'
import { daemonPid, stopDaemon } from '../../daemon/daemon-stop.ts'
import { startDetached } from '../../daemon/detached-daemon.ts'
import { isUnit, restartUnit } from '../../daemon/systemd.ts'

/** Refuses what the next start would refuse before it stops anything. */
export function addTo(program: Command): void {
  addCommand(program, 'restart', 'stop the daemon and start it again in the same way', restart)
}

async function restart(options: { json?: boolean }): Promise<void> {
  await requireTmux()
  requireConfig()
  const context = createContext()
  requireSafePlace(context.paths.home)
  const was = await daemonPid(context)
  const isOfSystemd = was !== undefined && (await isUnit(was))
  if (was !== undefined && !isOfSystemd) await stopDaemon(was)
  using starting = isOfSystemd ? await restartUnit() : startDetached(context)
  const status = await finishStart(context, starting)
  const { pid } = status.daemon
  if (options.json) {
    return printJson({ status: was ? 'restarted' : 'started', pid, was: was ?? null })
  }
  const pids = was === undefined ? `(pid ${pid})` : `again (pid ${pid}, was ${was})`
  print(`Trail Boss is up ${pids}, ${starting.where}.`)
  noteWarnings(status)
}
