import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DaemonClient } from '../../../src/client/daemon-client.ts'
import { TRAILBOSS } from '../create-world.ts'
import { waitFor } from '../wait-for.ts'

/** The built daemon in its own home, without a tmux server. */
export function launchDaemon(dir: string): ChildProcess {
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    TRAILBOSS_HOME: dir,
    TRAILBOSS_PORT: '0',
    TRAILBOSS_TMUX_SOCKET: join(dir, 'no-tmux'),
  }
  return spawn(TRAILBOSS, ['up', '--foreground'], { env, stdio: 'ignore' })
}

export async function startDaemon(dir: string): Promise<ChildProcess> {
  const daemon = launchDaemon(dir)
  await answering(dir)
  return daemon
}

export async function answering(dir: string): Promise<void> {
  await waitFor(
    async () => {
      if (!existsSync(join(dir, 'trailboss.sock'))) return false
      using client = new DaemonClient(join(dir, 'trailboss.sock'))
      return await client.health().then(
        () => true,
        () => false,
      )
    },
    { what: 'the daemon to answer' },
  )
}

export async function endDaemon(daemon: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(daemon, 'exit')
  daemon.kill(signal)
  await exited
}
