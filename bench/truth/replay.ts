import type { AgentEvent } from '../../src/core/session/event.ts'
import { isQueued } from '../../src/core/session/queue.ts'
import { apply, commit, emptyState } from '../../src/core/session/state.ts'
import { claudeCode } from '../../src/harness/claude-code/adapter.ts'
import { transcriptReader } from '../../src/harness/claude-code/transcript.ts'
import type { RecordedHook, RecordedLine } from './recording.ts'

/** The sessions that would have been listed from `at` on. */
export type Listing = { at: number; sessions: Set<string> }

type Arrival = { at: number; event: AgentEvent }

/**
 * The product's own adapter, evidence and verdict, fed with the recorded signals of some sources alone at the
 * times when they arrived. Nothing gets lost and nothing takes any time: the best that these sources can do.
 */
export function replaySignals(signals: {
  hooks?: RecordedHook[]
  lines?: RecordedLine[]
}): Listing[] {
  const arrivals = [...hookArrivals(signals.hooks ?? []), ...lineArrivals(signals.lines ?? [])]
  const state = emptyState()
  const listings: Listing[] = []
  for (const [seq, { at, event }] of arrivals.toSorted((a, b) => a.at - b.at).entries()) {
    const entry = { type: 'event.received', event, recovered: false } as const
    commit(state, apply(state, { seq, admittedAt: at, entry }))
    const queued = [...state.sessions.values()].filter(isQueued)
    listings.push({ at, sessions: new Set(queued.map(({ id }) => id)) })
  }
  return listings
}

function hookArrivals(hooks: RecordedHook[]): Arrival[] {
  return hooks.flatMap(({ at, pane, job, payload }) => {
    const where = { ...(pane && { pane: { socket: '/tmux', id: pane } }), ...(job && { job }) }
    const events = claudeCode.hookEvents({ at, payload, entrypoint: 'cli', ...where })
    return events.map((event) => ({ at, event }))
  })
}

function lineArrivals(lines: RecordedLine[]): Arrival[] {
  const states = new Map<string, ReturnType<typeof transcriptReader.start>>()
  return lines.flatMap(({ at, session, record }) => {
    const before = states.get(session) ?? transcriptReader.start(session)
    const { state, event } = transcriptReader.read(before, record)
    states.set(session, state)
    return event ? [{ at, event }] : []
  })
}
