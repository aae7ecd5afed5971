import { DaemonClient } from '../../client/daemon-client.ts'
import type { Paths } from '../../config/paths.ts'
import type { InstallIo } from './install-io.ts'
import { hasKeys } from './tmux-conf-choice.ts'

/** Doctor cannot help with a place that it does not check. */
export async function whatNext(paths: Paths, isOwn: boolean, io: InstallIo): Promise<void> {
  if (!(await isDaemonUp(paths))) io.note('Next, start the daemon: trailboss up')
  else if (!hasKeys(io.env, paths.tmuxConf)) io.note('Next, bind the keys: trailboss install tmux')
  else if (isOwn) io.note('Check the installation: trailboss doctor')
}

export async function isDaemonUp(paths: Paths): Promise<boolean> {
  using client = new DaemonClient(paths.socket)
  try {
    return (await client.status()).daemon.running
  } catch {
    return false
  }
}
