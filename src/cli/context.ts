import { DaemonClient } from '../client/daemon-client.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { type Paths, resolvePaths } from '../config/paths.ts'
import { tmuxSocketFor } from '../tmux/socket.ts'

/** What most commands need: where things are, the settings, the daemon, the tmux server meant. */
export type Context = {
  paths: Paths
  config: Config
  client: DaemonClient
  socket: string
}

export function createContext(): Context {
  const paths = resolvePaths()
  const config = loadConfig(paths.configFile)
  return {
    paths,
    config,
    client: new DaemonClient(paths.socket),
    socket: tmuxSocketFor(config.tmuxSocket, process.env),
  }
}
