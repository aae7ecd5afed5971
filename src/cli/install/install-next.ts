import { DaemonClient } from '../../client/daemon-client.ts'
import { emitterPath } from '../../config/installation.ts'
import { type Paths, resolvePaths } from '../../config/paths.ts'
import type { Emitter } from '../../harness/hooks/emitter-command.ts'
import type { InstallIo } from './install-io.ts'
import { hasKeys } from './tmux-conf-choice.ts'

/** An agent whose environment does not name the home would look for it in the default place. */
export function emitterFor(env: NodeJS.ProcessEnv): Emitter {
  const { home } = resolvePaths(env)
  const usual = resolvePaths({ HOME: env['HOME'] }).home
  return { program: emitterPath(), ...(home !== usual && { home }) }
}

/** Doctor is no help for a place that it does not look at. */
export async function whatNext(paths: Paths, isOwn: boolean, io: InstallIo): Promise<void> {
  if (!(await isDaemonUp(paths))) io.note('Next, start the daemon: trailboss up')
  else if (!hasKeys(io.env, paths.tmuxConf)) io.note('Next, bind the keys: trailboss install tmux')
  else if (isOwn) io.note('See that every link works: trailboss doctor')
}

export async function isDaemonUp(paths: Paths): Promise<boolean> {
  using client = new DaemonClient(paths.socket)
  try {
    return (await client.status()).daemon.running
  } catch {
    return false
  }
}
