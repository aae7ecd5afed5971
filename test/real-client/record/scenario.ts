import type { RealAgent, RealAgentOptions } from '../support/agents/claude-agent.ts'
import type { ModelServer } from '../support/model/model-server.ts'
import type { Recorder } from './recorder.ts'

/** What a session goes through while it is recorded. */
export type Scenario = {
  /** The recording's file name. */
  name: string
  options?: RealAgentOptions
  /** Files of the project and of the home, by path; written before Claude Code starts. */
  files?: { project?: Record<string, string>; home?: Record<string, string> }
  play(stage: Stage): Promise<void>
}

export type Stage = {
  agent: RealAgent
  model: ModelServer
  recorder: Recorder
  /** Waits until the turn is over and all that it leaves is written. */
  over(): Promise<void>
  /** Waits until this hook has fired. */
  heard(event: string): Promise<void>
  /** Another Claude Code in the same pane, when the first one has ended. */
  startAgain(options: RealAgentOptions): Promise<RealAgent>
}
