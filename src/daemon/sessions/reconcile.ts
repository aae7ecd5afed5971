import { isSamePane, type PaneRef } from '../../core/pane.ts'
import type { SessionKey } from '../../core/session/event.ts'
import type { ProcessSighting } from '../../core/session/evidence.ts'
import { isWaiting } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import { isGone, processState, releaseUnasked } from '../../process/process-state.ts'
import { letOthersIn } from '../../service/loop.ts'
import type { Herd } from '../herd/herd.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'

const FORGET_ENDED_AFTER_MS = 24 * 60 * 60_000
const LAY_ASIDE_AFTER_MS = 60_000
const LOOK_FOR_OLD_MS = 60_000
const AT_ONCE = 50

/** Checks that each session still has its process and its pane, and stores what changed. */
export class Reconciler {
  readonly #herd: Herd
  readonly #inventory: PaneInventory
  /** The look at which a session's pane was first missing. */
  readonly #missedAt = new Map<SessionKey, number>()
  /** The pane in which a session was once seen, perhaps by an earlier run: only that one can be missing. */
  readonly #seenIn = new Map<SessionKey, PaneRef>()
  readonly #goesOn: (session: Session) => boolean
  #lookedForOldAt = Number.NEGATIVE_INFINITY

  /** `goesOn`: whether a session whose process is gone runs somewhere else, and was moved there. */
  constructor(
    herd: Herd,
    inventory: PaneInventory,
    goesOn: (session: Session) => boolean = () => false,
  ) {
    this.#herd = herd
    this.#inventory = inventory
    this.#goesOn = goesOn
    for (const { key, pane } of herd.current()) if (pane) this.#seenIn.set(key, pane)
  }

  async check(): Promise<void> {
    const keys = [...this.#herd.current()].map(({ key }) => key)
    for (let index = 0; index < keys.length; index += AT_ONCE) {
      this.#herd.atOnce(() => {
        for (const key of keys.slice(index, index + AT_ONCE)) this.#checkOrLeave(key)
      })
      await letOthersIn()
    }
    this.#forgetOld()
    releaseUnasked()
  }

  #checkOrLeave(key: SessionKey): void {
    const session = this.#herd.session(key)
    if (session?.verdict.state === 'ended') this.#leave(session)
    else if (session) this.#check(session)
  }

  /**
   * A quick look at what is listed and at what works: a listed one must exist right now, and a working one may
   * be suspended. The rest can wait for `check`.
   */
  checkBusy(): void {
    for (const session of this.#herd.current()) {
      const mayBeGone = () => session.pid === undefined || isGone(session.pid)
      if (isStoppable(session) || (isWaiting(session) && mayBeGone())) this.#check(session)
    }
  }

  /** Nobody reports Ctrl-Z and `fg`: only the process shows them. */
  checkStoppable(): void {
    for (const session of this.#herd.current()) if (isStoppable(session)) this.#check(session)
  }

  /** A pane that closes before the next check did exist, so it is missing then. */
  notePane({ key, pane }: Session): void {
    if (pane && this.#inventory.sighting(pane) === 'present') this.#seenIn.set(key, pane)
  }

  checkNow(key: SessionKey): void {
    const session = this.#herd.session(key)
    if (session && session.verdict.state !== 'ended') this.#check(session)
  }

  #check(session: Session): void {
    const seen = this.#look(session)
    const known = session.evidence.process
    // What a process said before it was gone may arrive later: it is still gone.
    const isAsGone = seen.state === 'gone' && session.pid !== undefined
    if (isAsGone && this.#goesOn(session)) return
    if (seen.state === (known?.state ?? 'alive') && !isAsGone) return
    // Two looks may fall into one millisecond, and the second must be the later one.
    const at = Math.max(this.#herd.clock.now(), session.lastAt, (known?.at ?? 0) + 1)
    this.#herd.observe(session.key, { ...seen, at })
  }

  #look(session: Session): Omit<ProcessSighting, 'at'> {
    if (session.pid !== undefined) {
      const knownAt = this.#herd.clock.toWall(session.lastAt)
      const state = processState(session.pid, { start: session.pidStart, knownAt })
      if (state === 'gone') return { state, detail: `process ${session.pid} is gone` }
      if (state === 'suspended') return { state, detail: `process ${session.pid} is stopped (T)` }
    }
    return this.#lookAtPane(session)
  }

  #lookAtPane({ key, pane, pid, isGuest }: Session): Omit<ProcessSighting, 'at'> {
    const detail = pid ? `process ${pid} runs` : 'its pane is there'
    const alive = { state: 'alive', detail } as const
    // A session that only points to a pane does not end with it.
    if (!pane || isGuest) return alive
    const sighting = this.#inventory.sighting(pane)
    if (sighting !== 'missing') this.#missedAt.delete(key)
    if (sighting === 'present') this.#seenIn.set(key, pane)
    // While its process lives, its pane does not matter.
    if (pid !== undefined || !isSamePane(this.#seenIn.get(key), pane)) return alive
    switch (sighting) {
      case 'present':
      case 'unasked':
        return alive
      case 'missing':
        return this.#isMissedAgain(key, pane.socket)
          ? { state: 'gone', detail: `pane ${pane.id} is gone` }
          : alive
      case 'gone':
        return { state: 'gone', detail: `pane ${pane.id} or its tmux server is gone` }
      case 'unreached':
      case 'unobservable':
        return { state: 'unobservable', detail: `the tmux server ${pane.socket} does not answer` }
      default:
        return sighting satisfies never
    }
  }

  #isMissedAgain(key: SessionKey, socket: string): boolean {
    const looks = this.#inventory.looks(socket)
    const first = this.#missedAt.get(key)
    if (first === undefined || first > looks) {
      this.#missedAt.set(key, looks)
      return false
    }
    return looks > first
  }

  #leave({ key, verdict }: Session): void {
    this.#missedAt.delete(key)
    if (this.#herd.clock.now() - verdict.since <= LAY_ASIDE_AFTER_MS) return
    // Until now a late hook could have brought it back, in a pane that is still gone.
    this.#seenIn.delete(key)
    this.#herd.layAside(key)
  }

  #forgetOld(): void {
    const now = this.#herd.clock.now()
    if (now - this.#lookedForOldAt < LOOK_FOR_OLD_MS) return
    this.#lookedForOldAt = now
    const isOld = ({ verdict }: Session) =>
      verdict.state === 'ended' && now - verdict.since > FORGET_ENDED_AFTER_MS
    for (const { key } of [...this.#herd.sessions()].filter(isOld)) this.#herd.forget(key)
  }
}

/** It works, or is listed because its process was suspended. */
function isStoppable(session: Session): boolean {
  const { pid, verdict, evidence } = session
  if (pid === undefined) return false
  return (
    verdict.state === 'working' || (isWaiting(session) && evidence.process?.state === 'suspended')
  )
}
