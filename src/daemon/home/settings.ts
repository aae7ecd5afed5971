import type { Config } from '../../config/config.ts'
import type { Paths } from '../../config/paths.ts'
import type { Warning } from '../../contract/responses.ts'
import type { Log } from '../../service/log.ts'

export type DaemonSettings = {
  paths: Paths
  config: Config
  log: Log
  /** The tmux servers known before any session names one. */
  sockets: string[]
  /** It determines where harnesses publish their state. */
  env: NodeJS.ProcessEnv
  say(line: string): void
  /** The home is no longer ours: touch nothing there, and end the process. */
  lost(): never
}

/** Warns the operator; the warning stays in the status until the daemon ends. */
export type Warn = (text: string, kind?: Warning['kind']) => void
