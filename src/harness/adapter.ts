import type { HookEnvelope } from '../contract/envelope.ts'
import type { AgentEvent, PaneRef } from '../core/event.ts'

/** The code that knows one harness. The daemon asks it, and knows nothing of harnesses itself. */
export type Adapter = {
  harness: string
  /** Empty when the hook says nothing about waiting. Throws `BAD_EVENT` when it is not this harness's. */
  hookEvents(hook: Hook): AgentEvent[]
  /** Folds a session's transcript, one record at a time. Absent: the harness has none that we read. */
  transcript?: TranscriptReader
}

/** An envelope whose pane claim was parsed; `payload` is still the harness's own. */
export type Hook = Pick<HookEnvelope, 'at' | 'pid' | 'entrypoint' | 'payload'> & { pane?: PaneRef }

export type TranscriptReader<State = unknown> = {
  start(session: string): State
  /** The state after this record, and what it claims, if anything. `state` is not changed. */
  read(state: State, record: unknown): { state: State; event?: AgentEvent }
}
