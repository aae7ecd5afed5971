import type { Session } from './session.ts'

/**
 * A session's place in the queue. Only `order` decides, and `episode` breaks ties:
 * - a live item takes the admission clock, which never goes back, or the time at which it got stuck
 *   if that is less than a second earlier, since the younger of two may arrive first;
 * - an item recovered from files takes the time at which it got stuck;
 * - a skip moves it to the tail: the admission clock of the skip.
 */
export type Item = {
  /** Sequence number of the log entry that began this episode. */
  episode: number
  order: number
  since: number
  /** Admission time from which it is eligible again after a skip; 0 if it was never skipped. */
  readyAt: number
  /** Its order before the last skip, for undoing the skip. */
  orderBeforeSkip: number | undefined
  /** The wall clock's time to which it is snoozed, if the operator named a time and not a duration. */
  until?: number | undefined
  /** Admission time at which the operator dismissed it: it is stuck, and out of the queue. */
  dismissedAt?: number | undefined
  /** The log entry with which it asked something new while it was dismissed or cooling down, and so came back. */
  woken?: { by: number; at: number } | undefined
}

export type QueuedSession = Session & { item: Item; verdict: { state: 'stuck' } }

/** Ready items oldest first, then those that cool down. */
export function queueOf(sessions: Iterable<Session>, now: number): QueuedSession[] {
  const queued = [...sessions].filter(isQueued)
  return queued.toSorted(
    (a, b) => Number(!isReady(a, now)) - Number(!isReady(b, now)) || compareItems(a.item, b.item),
  )
}

export function isQueued(session: Session): session is QueuedSession {
  return isWaiting(session) && session.item.dismissedAt === undefined
}

/** Stuck, and a human can settle it: in the queue, or dismissed from it. */
export function isWaiting(session: Session): session is QueuedSession {
  return session.item !== undefined && session.verdict.state === 'stuck' && !session.headless
}

/** The last dismissed first. */
export function dismissedOf(sessions: Iterable<Session>): QueuedSession[] {
  const dismissed = [...sessions].filter((session) => isWaiting(session) && !isQueued(session))
  return (dismissed as QueuedSession[]).toSorted(
    (a, b) => (b.item.dismissedAt ?? 0) - (a.item.dismissedAt ?? 0),
  )
}

export function isReady(session: QueuedSession, now: number): boolean {
  return session.item.readyAt <= now
}

/** When the next cooldown ends, if any: the queue then changes without an event. */
export function nextReadyAt(sessions: Iterable<Session>, now: number): number | undefined {
  let next: number | undefined
  for (const session of sessions) {
    if (!isQueued(session) || isReady(session, now)) continue
    if (next === undefined || session.item.readyAt < next) next = session.item.readyAt
  }
  return next
}

function compareItems(a: Item, b: Item): number {
  return a.order - b.order || a.episode - b.episode
}
