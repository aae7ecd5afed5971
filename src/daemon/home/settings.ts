import type { Config } from '../../config/config.ts'
import type { Paths } from '../../config/paths.ts'
import type { Warning } from '../../contract/responses.ts'
import type { Log } from '../../service/log.ts'

export type DaemonSettings = {
  paths: Paths
  config: Config
  log: Log
  /** The tmux servers that are known before any session names one. */
  sockets: string[]
  /** Where harnesses publish their state depends on it. */
  env: NodeJS.ProcessEnv
  say(line: string): void
  /** The home is not ours any more: nothing here may be touched again, and the process must end. */
  lost(): never
}

/** Tells the operator what is wrong; it stays in the status until the daemon ends. */
export type Warn = (text: string, kind?: Warning['kind']) => void
