import type { Command } from 'commander'
import { supervisorClient } from '../../../client/supervisor-client.ts'
import { type Context, createContext } from '../../context/context.ts'
import { print, printJson } from '../../context/output.ts'
import { addCommand } from '../../context/run-command.ts'
import { daemonPid, stopDaemon } from '../../daemon/daemon-stop.ts'
import { removeUnit } from '../../daemon/systemd.ts'

export function addTo(program: Command): void {
  addCommand(program, 'down', 'stop the daemon; the queue is kept', down)
    .alias('stop')
    .option('--systemd', 'remove the systemd user unit as well')
}

async function down(options: { json?: boolean; systemd?: boolean }): Promise<void> {
  if (options.systemd) await removeUnit()
  const context = createContext()
  const pid = await daemonPid(context)
  const hasAgents = await runsAgents(context)
  if (pid === undefined) {
    if (options.json) return printJson({ status: 'not_running' })
    return print('Trail Boss is not running.')
  }
  await stopDaemon(pid)
  if (options.json) return printJson({ status: 'stopped', pid })
  const agents = hasAgents ? ' Its agents keep running.' : ''
  print(`Trail Boss is down (was pid ${pid}). Your queue is kept.${agents}`)
}

/** False if the daemon does not answer. */
async function runsAgents({ client }: Context): Promise<boolean> {
  try {
    const runtimes = await supervisorClient(client).runtimes()
    return runtimes.some(({ pane }) => pane !== null)
  } catch {
    return false
  }
}
