import { readFileSync } from 'node:fs'
import { supervisorClient } from '../../client/supervisor-client.ts'
import { catalogue, TrailBossError } from '../../core/errors.ts'
import { isAlive } from '../alive.ts'
import { type Context, createContext } from '../context.ts'
import { print, printJson } from '../output.ts'
import { removeUnit } from '../systemd.ts'

const STOP_DEADLINE_MS = 10_000
const POLL_MS = 20

export async function down(options: { json?: boolean; systemd?: boolean }): Promise<void> {
  if (options.systemd) await removeUnit()
  const context = createContext()
  const pid = await daemonPid(context)
  const hasAgents = await runsAgents(context)
  if (pid === undefined) {
    if (options.json) return printJson({ status: 'not_running' })
    return print('Trail Boss is not running.')
  }
  process.kill(pid, 'SIGTERM')
  await waitUntilGone(pid)
  if (options.json) return printJson({ status: 'stopped', pid })
  const agents = hasAgents ? ' Agents that it runs go on.' : ''
  print(`Trail Boss is down (was pid ${pid}). Your queue is kept.${agents}`)
}

/** One that does not answer cannot be asked. */
async function runsAgents({ client }: Context): Promise<boolean> {
  try {
    const runtimes = await supervisorClient(client).runtimes()
    return runtimes.some(({ pane }) => pane !== null)
  } catch {
    return false
  }
}

/** The daemon says its own pid; one that hangs is found by its pid file, if that is still it. */
async function daemonPid({ client, paths }: Context): Promise<number | undefined> {
  try {
    return (await client.status()).daemon.pid ?? undefined
  } catch (error) {
    if (!(error instanceof TrailBossError) || catalogue[error.code].exit !== 3) throw error
  }
  try {
    const pid = Number(readFileSync(paths.pidFile, 'utf8'))
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return command.includes('trailboss.mjs\0up\0--foreground') ? pid : undefined
  } catch {
    return undefined
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_DEADLINE_MS
  while (isAlive(pid)) {
    if (Date.now() > deadline) {
      throw new TrailBossError('DAEMON_FAILED', `The daemon (pid ${pid}) does not stop.`, {
        hint: `End it with: kill -9 ${pid}. Nothing that was acknowledged is lost by that.`,
      })
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
