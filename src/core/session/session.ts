import type { PaneRef } from '../pane.ts'
import type { LiftedEpisode } from './episode.ts'
import type { AgentEvent, SessionKey } from './event.ts'
import { type Evidence, noEvidence } from './evidence.ts'
import type { Item } from './queue.ts'
import type { OwnSubject } from './subject.ts'
import type { Verdict } from './verdict.ts'

/** One conversation of a harness, and everything we know about it. */
export type Session = {
  key: SessionKey
  harness: string
  id: string
  /** What it is about in the supervisor; if absent, it is a harness session. */
  about?: OwnSubject
  headless: boolean
  cwd: string | undefined
  pid: number | undefined
  /** When that process started, in the kernel's own ticks, which do not change when a clock is set. */
  pidStart: number | undefined
  transcript: string | undefined
  pane: PaneRef | undefined
  /** The pane belongs to another session, which keeps it: this one only points there. */
  isGuest: boolean
  /** It runs in the background, under this name. Absent: in a terminal, or we do not know. */
  job?: string
  /** When the pane was last claimed; an older claim does not move it. */
  paneAt: number
  /** The latest `at` of its events. */
  lastAt: number
  evidence: Evidence
  verdict: Verdict
  /** Its place in the queue, for as long as the episode lasts. */
  item: Item | undefined
  /** How its last episode ended, while it continues. Sessions stored by an earlier version lack it. */
  lifted?: LiftedEpisode
}

export function newSession(key: SessionKey, event: AgentEvent): Session {
  return {
    key,
    harness: event.harness,
    id: event.session,
    ...(event.about && { about: event.about }),
    headless: event.headless ?? false,
    cwd: undefined,
    pid: undefined,
    pidStart: undefined,
    transcript: undefined,
    pane: undefined,
    isGuest: false,
    paneAt: 0,
    lastAt: 0,
    evidence: noEvidence,
    verdict: { state: 'unknown', since: 0, by: undefined, why: 'nothing has claimed a state' },
    item: undefined,
  }
}

/** What an event says about where the session runs. The latest one counts. */
export function withLocation(session: Session, event: AgentEvent): Session {
  const moved =
    event.at < session.paneAt
      ? session
      : claimsPane(event) || event.isGuest
        ? { ...session, pane: event.pane, isGuest: event.isGuest ?? false, paneAt: event.at }
        : hasMoved(session, event)
          ? { ...session, pane: undefined }
          : session
  if (event.at < session.lastAt) {
    return {
      ...moved,
      ...(event.job !== undefined && event.pid === session.pid && { job: event.job }),
      cwd: session.cwd ?? event.cwd,
      ...(session.pid === undefined && processOf(event)),
      transcript: session.transcript ?? event.transcript,
    }
  }
  const { job: _, ...located } = moved
  const job = event.job ?? (isOfSameProcess(session, event) ? session.job : undefined)
  return {
    ...located,
    ...(job !== undefined && { job }),
    headless: event.headless ?? session.headless,
    cwd: event.cwd ?? session.cwd,
    ...((event.pid !== undefined || isStartedAgain(session, event)) && processOf(event)),
    transcript: event.transcript ?? session.transcript,
    lastAt: event.at,
  }
}

/** A session that ends, or that nobody sits in front of, is in no pane. */
export function claimsPane(event: AgentEvent): boolean {
  return event.pane !== undefined && !event.isGuest && isInSight(event)
}

/** A pane goes with its process; another process has to claim it again. */
function hasMoved(session: Session, event: AgentEvent): boolean {
  return isInSight(event) && !isOfSameProcess(session, event)
}

/** As far as we know. */
function isOfSameProcess({ pid }: Session, event: AgentEvent): boolean {
  return pid === undefined || event.pid === undefined || event.pid === pid
}

/** Somebody continues it after its process was gone, and does not name the new process. */
function isStartedAgain({ evidence }: Session, { kind, at }: AgentEvent): boolean {
  return kind === 'started' && evidence.process?.state === 'gone' && evidence.process.at < at
}

/** A process in front of a human: any other has no pane to claim, and none to give up. */
function isInSight({ headless, kind }: AgentEvent): boolean {
  return !headless && kind !== 'ended'
}

function processOf({ pid, pidStart }: AgentEvent): Pick<Session, 'pid' | 'pidStart'> {
  return { pid, pidStart }
}
