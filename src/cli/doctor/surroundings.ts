import type { Config } from '../../config/config.ts'
import type { Paths } from '../../config/paths.ts'
import type { StatusView } from '../../contract/responses.ts'
import type { TrailBossError } from '../../core/errors.ts'
import type { Check } from '../../harness/wiring/check.ts'

/** What the checks look at. */
export type Surroundings = {
  env: NodeJS.ProcessEnv
  paths: Paths
  config: Config
  /** The tmux server that a command run here would use. */
  socket: string
  /** What the daemon reports about itself; undefined if it does not answer. */
  status: StatusView | undefined
  /** Why it does not answer. */
  silence: TrailBossError | undefined
}

export type CheckGroup = (surroundings: Surroundings) => Promise<Check[]>
