import { DaemonClient } from '../../client/daemon-client.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { type Paths, resolvePaths } from '../../config/paths.ts'
import { messageOf } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { tmuxSocketFor } from '../../tmux/socket.ts'
import { note } from './output.ts'

/** What most commands need. */
export type Context = {
  paths: Paths
  /** Undefined if they are invalid: a running daemon no longer needs them. */
  config: Config | undefined
  client: DaemonClient
  socket: string
}

/** Warns about invalid settings and continues; see `requireConfig`. */
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

/** Throws if the settings are invalid. */
export function requireConfig(): Config {
  return loadConfig(resolvePaths().configFile)
}

function usableConfig(file: string): Config | undefined {
  try {
    return loadConfig(file)
  } catch (error) {
    const why = displayLine(messageOf(error))
    note(`warning: the settings are invalid, and the next "trailboss up" would refuse them: ${why}`)
    return undefined
  }
}
