import type { AgentEvent, PaneRef, SessionKey } from './event.ts'
import { type Evidence, noEvidence } from './evidence.ts'
import type { Item } from './queue.ts'
import type { Verdict } from './verdict.ts'

/** One conversation of a harness, and all that is known of it. */
export type Session = {
  key: SessionKey
  harness: string
  id: string
  headless: boolean
  cwd: string | undefined
  pid: number | undefined
  transcript: string | undefined
  pane: PaneRef | undefined
  /** When the pane was last claimed; an older claim does not move it. */
  paneAt: number
  /** The latest `at` of its events. */
  lastAt: number
  evidence: Evidence
  verdict: Verdict
  /** Its place in the queue, for as long as the episode lasts. */
  item: Item | undefined
}

export function newSession(key: SessionKey, event: AgentEvent): Session {
  return {
    key,
    harness: event.harness,
    id: event.session,
    headless: event.headless ?? false,
    cwd: undefined,
    pid: undefined,
    transcript: undefined,
    pane: undefined,
    paneAt: 0,
    lastAt: 0,
    evidence: noEvidence,
    verdict: { state: 'unknown', since: 0, by: undefined, why: 'nothing has claimed a state' },
    item: undefined,
  }
}

/** What an event says of the session besides its state: where it runs. The latest word counts. */
export function withWhereabouts(session: Session, event: AgentEvent): Session {
  const claimsPane = event.pane !== undefined && !event.headless && event.at >= session.paneAt
  const moved = claimsPane ? { ...session, pane: event.pane, paneAt: event.at } : session
  if (event.at < session.lastAt) {
    return {
      ...moved,
      cwd: session.cwd ?? event.cwd,
      pid: session.pid ?? event.pid,
      transcript: session.transcript ?? event.transcript,
    }
  }
  return {
    ...moved,
    headless: event.headless ?? session.headless,
    cwd: event.cwd ?? session.cwd,
    pid: event.pid ?? session.pid,
    transcript: event.transcript ?? session.transcript,
    lastAt: event.at,
  }
}
