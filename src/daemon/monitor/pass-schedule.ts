import { settledAt } from '../../core/monitor/settling.ts'
import { isClose, type Monitored } from './monitored.ts'

/** Two passes are no closer than this, and one waits a little for others that are about to be due. */
const BETWEEN_PASSES_MS = 250
const BETWEEN_PROCESSES_MS = 750
const WAIT_FOR_OTHERS_MS = 100
const LONGEST_SLEEP_MS = 60_000
const SOON_STEP_MS = 500
/** Of the pause since the last look: with it what is due after 15 s still goes along with a look every 10 s. */
const SHARE_OF_PAUSE = 1 / 3

/** Why there is a pass: a screen is asked for, or a process starts at this server. */
export type PassReason = { isAsked?: boolean; startingAt?: string }

/**
 * When there is a pass over the screens, and over which. Where a look costs a process, those that have
 * time wait for each other, and for a process that starts at their server anyway.
 */
export class PassSchedule implements Disposable {
  readonly #isConnected: (socket: string) => boolean
  readonly #pass: () => void
  #timer: NodeJS.Timeout | undefined
  #nextProcessAt = 0
  #isClosed = false

  constructor(isConnected: (socket: string) => boolean, pass: () => void) {
    this.#isConnected = isConnected
    this.#pass = pass
  }

  /** Whether a look at it costs a process. */
  isDear({ program }: Monitored): boolean {
    return !this.#isConnected(program.pane.socket)
  }

  /** All that are due, once one of them can wait no longer or there is a pass anyway. */
  due(all: Iterable<Monitored>, now: number, { isAsked, startingAt }: PassReason): Monitored[] {
    const due = [...all].filter(({ watched }) => watched.nextLookAt <= now)
    const isPressing = due.some((one) => this.#pressingAt(one) <= now)
    const isTooSoon = due.every((one) => this.#canWait(one)) && now < this.#nextProcessAt
    if (!isAsked && (!isPressing || isTooSoon)) {
      return due.filter(({ program }) => program.pane.socket === startingAt)
    }
    this.#nextProcessAt = now + BETWEEN_PROCESSES_MS
    return due
  }

  /** For the earliest look that can wait no longer. */
  arm(all: Iterable<Monitored>): void {
    clearTimeout(this.#timer)
    let earliest = Number.POSITIVE_INFINITY
    let canAllWait = true
    for (const one of all) {
      earliest = Math.min(earliest, this.#pressingAt(one), settlesAt(one))
      canAllWait &&= this.#canWait(one)
    }
    if (this.#isClosed || earliest === Number.POSITIVE_INFINITY) return
    const least = canAllWait ? BETWEEN_PROCESSES_MS : BETWEEN_PASSES_MS
    const ms = Math.max(earliest - Date.now() + WAIT_FOR_OTHERS_MS, least)
    this.#timer = setTimeout(this.#pass, Math.min(ms, LONGEST_SLEEP_MS))
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #pressingAt(one: Monitored): number {
    return this.#canWait(one) ? latestLookAt(one) : one.watched.nextLookAt
  }

  /** Nothing is expected of it. */
  #canWait(one: Monitored): boolean {
    return this.isDear(one) && !isClose(one)
  }
}

function settlesAt({ settling }: Monitored): number {
  return settling ? settledAt(settling) : Number.POSITIVE_INFINITY
}

/** What has just happened waits for a moment only, and so does a program whose activity cannot be seen. */
function latestLookAt({ watched, activity }: Monitored): number {
  const { nextLookAt, lookedAt, dispatchedAt = 0, freshLooks } = watched
  if (lookedAt === undefined) return nextLookAt
  const isActivitySeen = activity.written !== undefined
  if (freshLooks === 0 || (freshLooks !== undefined && !isActivitySeen)) {
    return Math.ceil(nextLookAt / SOON_STEP_MS) * SOON_STEP_MS
  }
  return nextLookAt + (nextLookAt - Math.max(lookedAt, dispatchedAt)) * SHARE_OF_PAUSE
}
