import { DaemonClient } from '../../client/daemon-client.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { type Paths, resolvePaths } from '../../config/paths.ts'
import { messageOf } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { tmuxSocketFor } from '../../tmux/socket.ts'
import { note } from './output.ts'

/** What most commands need: where things are, the settings, the daemon, the tmux server meant. */
export type Context = {
  paths: Paths
  /** Undefined where they cannot be used: a daemon that runs needs nothing of them any more. */
  config: Config | undefined
  client: DaemonClient
  socket: string
}

/** Settings that cannot be used are told, and keep nobody from what the daemon can do; see `requireConfig`. */
export function createContext(): Context {
  const paths = resolvePaths()
  const config = usableConfig(paths.configFile)
  const named = config ? config.tmuxSocket : process.env['TRAILBOSS_TMUX_SOCKET']
  return {
    paths,
    config,
    client: new DaemonClient(paths.socket),
    socket: tmuxSocketFor(named, process.env),
  }
}

/** Throws where the settings cannot be used. */
export function requireConfig(): Config {
  return loadConfig(resolvePaths().configFile)
}

function usableConfig(file: string): Config | undefined {
  try {
    return loadConfig(file)
  } catch (error) {
    const said = displayLine(messageOf(error))
    note(
      `warning: the settings cannot be used, and the next "trailboss up" would refuse them: ${said}`,
    )
    return undefined
  }
}
