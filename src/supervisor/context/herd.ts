import type { MonitoredPane } from '../../contract/responses.ts'
import { isSamePane, type Pane, type PaneRef } from '../../core/pane.ts'
import type { SessionKey } from '../../core/session/event.ts'
import type { RedactedEvent } from '../../core/session/event-redaction.ts'
import { isWaiting, type QueuedSession } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import type { Entry } from '../../core/session/state.ts'
import type { AdmissionClock } from '../../service/clock.ts'

/** What the supervisor needs from the daemon's sessions. */
export type Herd = {
  readonly clock: AdmissionClock
  session(key: SessionKey): Session | undefined
  /** Sessions that may still have news. */
  current(): Iterable<Session>
  queue(): QueuedSession[]
  /** `leftTasks`: its turn has ended, but something that it started still runs. */
  turnEnd(key: SessionKey): { leftTasks: boolean }
  /** Returns once the event is on disk. */
  receive(event: RedactedEvent, options: { recovered: boolean }): void
  /** The listener gets what was stored, in the order of the log, and may answer with events. */
  answerChange(listener: (news: { updated: Session[]; entries: Entry[] }) => void): void
}

/** What the supervisor needs from the daemon's monitor. */
export type Monitor = {
  viewOf(session: Session): MonitoredPane | undefined
  /** The agent in this pane has a new prompt: how long it stood still before no longer counts. */
  prompted(pane: Pane): void
}

/** The session that waits for the operator in this pane, also if they dismissed it. */
export function waitingIn(
  herd: Pick<Herd, 'current'>,
  pane: PaneRef | undefined,
): QueuedSession | undefined {
  for (const session of herd.current()) {
    const isThere = session.about === undefined && isSamePane(session.pane, pane)
    if (isThere && isWaiting(session)) return session
  }
  return undefined
}
