import type { Withdrawal } from '../../core/decision/decision.ts'
import type { Pending } from './pending-decision.ts'

const TRY_AGAIN_MS = 5_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** When a decision that nobody answers is withdrawn: at its deadline, or because its asker does not come back. */
export class Withdrawals implements Disposable {
  readonly #withdraw: (pending: Pending, why: Withdrawal) => void
  readonly #failed: (error: unknown) => void
  readonly #timers = new Map<Pending, Partial<Record<Withdrawal, NodeJS.Timeout>>>()
  #isClosed = false

  constructor(
    withdraw: (pending: Pending, why: Withdrawal) => void,
    failed: (error: unknown) => void,
  ) {
    this.#withdraw = withdraw
    this.#failed = failed
  }

  atDeadline(pending: Pending): void {
    const { deadline } = pending.decision
    if (deadline === undefined) return
    const left = deadline - Date.now()
    const due = () =>
      left > LONGEST_TIMER_MS ? this.atDeadline(pending) : this.#try(pending, 'deadline')
    this.#arm(pending, 'deadline', Math.min(Math.max(0, left), LONGEST_TIMER_MS), due)
  }

  unlessBackIn(ms: number, pending: Pending): void {
    this.#arm(pending, 'asker-gone', ms, () => this.#try(pending, 'asker-gone'))
  }

  isBack(pending: Pending): void {
    clearTimeout(this.#timers.get(pending)?.['asker-gone'])
  }

  settled(pending: Pending): void {
    for (const timer of Object.values(this.#timers.get(pending) ?? {})) clearTimeout(timer)
    this.#timers.delete(pending)
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    for (const pending of [...this.#timers.keys()]) this.settled(pending)
  }

  #arm(pending: Pending, why: Withdrawal, ms: number, due: () => void): void {
    if (this.#isClosed) return
    const timers = this.#timers.get(pending) ?? {}
    clearTimeout(timers[why])
    this.#timers.set(pending, { ...timers, [why]: setTimeout(due, ms) })
  }

  /** A full disk puts it off. */
  #try(pending: Pending, why: Withdrawal): void {
    try {
      this.#withdraw(pending, why)
    } catch (error) {
      this.#failed(error)
      this.#arm(pending, why, TRY_AGAIN_MS, () => this.#try(pending, why))
    }
  }
}
