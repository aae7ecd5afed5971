import { readFileSync } from 'node:fs'
import { catalogue, TrailBossError } from '../../core/errors.ts'
import { argvOf } from '../../process/command.ts'
import { isAlive } from '../../process/process-state.ts'
import type { Context } from '../context/context.ts'

const STOP_DEADLINE_MS = 10_000
const POLL_MS = 20

/** A daemon that answers reports its pid; for one that hangs we use its pid file, if that is still valid. */
export async function daemonPid({
  client,
  paths,
}: Pick<Context, 'client' | 'paths'>): Promise<number | undefined> {
  try {
    return (await client.status()).daemon.pid ?? undefined
  } catch (error) {
    if (!(error instanceof TrailBossError) || catalogue[error.code].exit !== 3) throw error
  }
  try {
    const pid = Number(readFileSync(paths.pidFile, 'utf8'))
    const isDaemon = /trailboss\.mjs\0(up|start)\0--foreground/.test(argvOf(pid).join('\0'))
    return isDaemon ? pid : undefined
  } catch {
    return undefined
  }
}

/** Returns once the daemon is gone. */
export async function stopDaemon(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM')
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
