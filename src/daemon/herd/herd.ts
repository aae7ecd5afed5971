import type { SessionKey } from '../../core/session/event.ts'
import type { RedactedEvent } from '../../core/session/event-redaction.ts'
import { noEvidence, type ProcessSighting } from '../../core/session/evidence.ts'
import {
  dismissedOf,
  isQueued,
  isReady,
  nextReadyAt,
  type QueuedSession,
  queueOf,
} from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import type { Entry, Transition } from '../../core/session/state.ts'
import { type TurnEnd, turnEndOf } from '../../core/session/turn-end.ts'
import type { AdmissionClock } from '../../service/clock.ts'
import type { Store } from '../../store/store.ts'
import { Announcements, type Listener, noNews } from './announcements.ts'

/** A smaller difference is not worth an entry in the log. */
const CLOCK_SET_MS = 1_000

/** All known sessions and their queue. Every change goes through here. */
export class Herd {
  readonly clock: AdmissionClock
  readonly #store: Store
  readonly #announcements: Announcements
  readonly #current: Map<SessionKey, Session>
  #version: number
  #cooldownTimer: NodeJS.Timeout | undefined
  /** When the next cooldown may end. */
  #nextReadyAt = Number.POSITIVE_INFINITY

  constructor(store: Store, clock: AdmissionClock, failed: (error: unknown) => void) {
    this.#store = store
    this.clock = clock
    this.#announcements = new Announcements(failed)
    this.#current = new Map(store.state.sessions)
    this.#version = clock.now()
    this.#wakeAt(nextReadyAt(this.current(), clock.now()), clock.now())
  }

  /** Changes whenever the queue, or how many work, may have changed. */
  get version(): number {
    return this.#version
  }

  sessions(): Iterable<Session> {
    return this.#store.state.sessions.values()
  }

  /** The sessions that may still change: all but those laid aside without an event since. */
  current(): Iterable<Session> {
    return this.#current.values()
  }

  /** A session that ended a while ago need not be checked again. */
  layAside(key: SessionKey): void {
    if (this.session(key)?.verdict.state === 'ended') this.#current.delete(key)
  }

  session(key: SessionKey): Session | undefined {
    return this.#store.state.sessions.get(key)
  }

  turnEnd(key: SessionKey): TurnEnd {
    return turnEndOf(this.session(key)?.evidence ?? noEvidence, (at) => this.clock.toWall(at))
  }

  queue(): QueuedSession[] {
    return queueOf(this.current(), this.clock.now())
  }

  /** What the operator dismissed and is still stuck, the last one first. */
  dismissed(): QueuedSession[] {
    return dismissedOf(this.current())
  }

  /** How many sessions work. */
  working(): number {
    let count = 0
    for (const { verdict } of this.current()) if (verdict.state === 'working') count += 1
    return count
  }

  /** Returns once the event is on disk. `recovered`: found in a file, so ordered by when it happened. */
  receive(event: RedactedEvent, { recovered }: { recovered: boolean }): void {
    this.#append({ type: 'event.received', event, recovered })
  }

  /** Everything the work stores is on disk at the end, in one write. For data that can be read again. */
  atOnce<T>(work: () => T): T {
    return this.#store.atOnce(work)
  }

  observe(session: SessionKey, process: ProcessSighting): void {
    this.#append({ type: 'process.observed', session, process })
  }

  /** `until`: the wall clock's time that the cooldown is meant for. */
  skip(session: SessionKey, cooldown: { cooldownMs: number; until?: number }): void {
    this.#append({ type: 'item.skipped', session, ...cooldown })
  }

  restore(session: SessionKey): void {
    this.#append({ type: 'item.restored', session })
  }

  dismiss(session: SessionKey): void {
    this.#append({ type: 'item.dismissed', session })
  }

  recall(session: SessionKey): void {
    this.#append({ type: 'item.recalled', session })
  }

  /** A cooldown until a named time ends at that time, even if the wall clock was set meanwhile. Call it now and then. */
  followWallClock(): void {
    const now = this.clock.now()
    for (const session of this.current()) {
      if (!isQueued(session) || isReady(session, now)) continue
      const { until, readyAt } = session.item
      if (until === undefined || Math.abs(this.clock.toWall(readyAt) - until) < CLOCK_SET_MS)
        continue
      this.skip(session.key, { cooldownMs: Math.max(0, until - this.clock.toWall(now)), until })
    }
  }

  forget(session: SessionKey): void {
    this.#append({ type: 'session.forgotten', session })
  }

  /** The listener gets what is on disk, and changes nothing here. */
  onChange(listener: Listener): () => void {
    return this.#announcements.listen(listener)
  }

  /** For a listener that may store more: it runs after all others have the news. */
  answerChange(listener: Listener): () => void {
    return this.#announcements.answer(listener)
  }

  /** Something outside the log changed what the queue shows: a pane came or went, a cooldown ended. */
  touch(): void {
    this.#version += 1
    this.#announcements.add({ ...noNews(), affectsQueue: true })
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#cooldownTimer)
    this.#announcements[Symbol.dispose]()
  }

  #append(entry: Entry): void {
    if (this.#announcements.isInforming) throw new Error('a listener stores nothing')
    const changes = this.#store.append(entry, this.clock.now())
    for (const session of changes.updated) this.#current.set(session.key, session)
    for (const key of changes.removed) this.#current.delete(key)
    if (changes.affectsQueue || changes.transitions.some(isAboutWork)) this.#version += 1
    if (changes.affectsQueue) this.#armCooldown(changes.updated)
    this.#announcements.add(changes, entry)
  }

  /** The timer may fire early if its item is gone; then it is set again. */
  #armCooldown(updated: readonly Session[]): void {
    const now = this.clock.now()
    const begins = updated.flatMap(({ item }) => (item && item.readyAt > now ? item.readyAt : []))
    const next = Math.min(...begins)
    if (next < this.#nextReadyAt) this.#wakeAt(next, now)
  }

  #wakeAt(readyAt: number | undefined, now: number): void {
    clearTimeout(this.#cooldownTimer)
    this.#nextReadyAt = readyAt ?? Number.POSITIVE_INFINITY
    if (readyAt === undefined) return
    this.#cooldownTimer = setTimeout(
      () => {
        this.#wakeAt(nextReadyAt(this.current(), this.clock.now()), this.clock.now())
        this.touch()
      },
      Math.min(readyAt - now + 1, 60_000),
    )
    this.#cooldownTimer.unref()
  }
}

function isAboutWork({ from, to }: Transition): boolean {
  return from === 'working' || to === 'working'
}
