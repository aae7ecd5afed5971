import type { Config } from '../../config/config.ts'
import type { Paths } from '../../config/paths.ts'
import type { StatusView } from '../../contract/responses.ts'
import type { TrailBossError } from '../../core/errors.ts'

/** One link of the chain, as it was found. */
export type Check = {
  name: string
  status: 'ok' | 'warning' | 'broken'
  detail: string
  /** What to do about it; null when there is nothing to do. */
  mend: string | null
}

/** What the checks look at. */
export type Surroundings = {
  env: NodeJS.ProcessEnv
  paths: Paths
  config: Config
  /** The tmux server that a command run here would mean. */
  socket: string
  /** What the daemon says of itself; undefined when it does not answer. */
  status: StatusView | undefined
  /** Why it does not. */
  silence: TrailBossError | undefined
}

export type CheckGroup = (surroundings: Surroundings) => Promise<Check[]>

export function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail, mend: null }
}

export function warning(name: string, detail: string, mend: string): Check {
  return { name, status: 'warning', detail, mend }
}

export function broken(name: string, detail: string, mend: string): Check {
  return { name, status: 'broken', detail, mend }
}
