import { uptime } from 'node:os'

const SUSPEND_MS = 2_000
/**
 * A larger difference means that the wall clock was set; a smaller one, that the clocks were read at different
 * instants.
 */
const JITTER_MS = 20

/**
 * The admission clock: epoch ms that never go back. It starts at the wall clock, or after the last admission if
 * that is later, and then follows the machine's uptime, so that setting the wall clock moves nothing in the
 * queue and suspending the machine does not stop it.
 */
export class AdmissionClock {
  readonly #anchor: number
  readonly #startedAt = performance.now()
  readonly #bootAtStart = uptime() * 1_000
  #suspendedMs = 0
  #aheadOfWall: number

  constructor(notBefore: number) {
    const wall = Date.now()
    this.#anchor = Math.max(wall, notBefore + 1)
    this.#aheadOfWall = this.#anchor - wall
  }

  /** Rounded up, never behind the wall clock: what came a millisecond later stays later in `fromWall`. */
  now(): number {
    return Math.ceil(this.#anchor + this.#runMs() + this.#suspendedMs)
  }

  /** Converts a recent wall-clock time to this clock; the result is never later than now. */
  fromWall(wallMs: number): number {
    return Math.min(this.now(), wallMs + this.#ahead())
  }

  toWall(admissionMs: number): number {
    return admissionMs - this.#ahead()
  }

  /** The monotonic clock stands still while the machine sleeps, but uptime does not. Call it now and then. */
  noticeSuspend(): void {
    const missed = uptime() * 1_000 - this.#bootAtStart - this.#runMs()
    if (missed - this.#suspendedMs > SUSPEND_MS) this.#suspendedMs = missed
  }

  /** Kept constant while both clocks tick, so that two events of the same millisecond stay in order. */
  #ahead(): number {
    const wall = Date.now()
    const ahead = this.now() - wall
    // A pause between the two readings would look like a clock that was set.
    const isHeldUp = Math.abs(Date.now() - wall) > JITTER_MS
    if (!isHeldUp && Math.abs(ahead - this.#aheadOfWall) > JITTER_MS) this.#aheadOfWall = ahead
    return this.#aheadOfWall
  }

  #runMs(): number {
    return performance.now() - this.#startedAt
  }
}
