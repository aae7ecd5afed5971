import { uptime } from 'node:os'

const SUSPEND_MS = 2_000

/**
 * The admission clock: epoch ms that never go back. It starts at the wall clock, or after the last
 * admission when that is later, and then follows the machine's uptime, so that setting the wall
 * clock moves nothing in the queue and a suspended machine does not stop it.
 */
export class AdmissionClock {
  readonly #anchor: number
  readonly #startedAt = performance.now()
  readonly #bootAtStart = uptime() * 1_000
  #suspendedMs = 0

  constructor(notBefore: number) {
    this.#anchor = Math.max(Date.now(), notBefore + 1)
  }

  now(): number {
    return Math.floor(this.#anchor + this.#runMs() + this.#suspendedMs)
  }

  /** A wall-clock time of now-ish on this clock; nothing happened later than now. */
  fromWall(wallMs: number): number {
    const now = this.now()
    return Math.min(now, wallMs + (now - Date.now()))
  }

  toWall(admissionMs: number): number {
    return admissionMs - (this.now() - Date.now())
  }

  /** The monotonic clock stands still while the machine sleeps, uptime does not. Call it now and then. */
  noticeSuspend(): void {
    const missed = uptime() * 1_000 - this.#bootAtStart - this.#runMs()
    if (missed - this.#suspendedMs > SUSPEND_MS) this.#suspendedMs = missed
  }

  #runMs(): number {
    return performance.now() - this.#startedAt
  }
}
