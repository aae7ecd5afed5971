import { type Decision, shownDecisions } from '../../core/decision/decision.ts'
import type { Escalations } from '../../supervisor/context/escalations.ts'
import { shownAsk } from './asked-decision.ts'
import type { Pending } from './pending-decision.ts'

const TRY_AGAIN_MS = 5_000

type Leaving = { how: string; by: 'operator' | 'itself' }

/**
 * The items of decisions in the one queue. What the queue shows follows what is stored, and a full disk delays only
 * that: it takes nothing back of what was asked or answered.
 */
export class DecisionQueue implements Disposable {
  readonly #escalations: Escalations
  readonly #failed: (error: unknown) => void
  /** Settled ones whose items are still in the queue, and who settled them. */
  readonly #leaving = new Map<string, Leaving>()
  #again: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(escalations: Escalations, failed: (error: unknown) => void) {
    this.#escalations = escalations
    this.#failed = failed
  }

  /** Its item goes when the queue is shown next. */
  settled(id: string, leaving: Leaving): void {
    this.#leaving.set(id, leaving)
  }

  show(pending: ReadonlyMap<string, Pending>): void {
    clearTimeout(this.#again)
    if (this.#isClosed) return
    try {
      this.#endItems()
      this.#raiseItems(pending)
    } catch (error) {
      this.#failed(error)
      this.#again = setTimeout(() => this.show(pending), TRY_AGAIN_MS)
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#again)
  }

  #endItems(): void {
    for (const [id, { how, by }] of this.#leaving) {
      this.#escalations.end({ kind: 'decision', id }, how, by)
      this.#leaving.delete(id)
    }
  }

  /** One item for each asker: the first that it waits for. */
  #raiseItems(pending: ReadonlyMap<string, Pending>): void {
    const isListed = ({ id }: Decision) => this.#escalations.isRaised({ kind: 'decision', id })
    const decisions = [...pending.values()].map(({ decision }) => decision)
    const listed = new Set(decisions.filter(isListed).map(({ asker }) => asker.id))
    for (const { first } of shownDecisions(decisions)) {
      if (listed.has(first.asker.id)) continue
      const input = pending.get(first.id)?.whole?.input
      this.#escalations.raise({
        about: { kind: 'decision', id: first.id },
        ...shownAsk(first, input),
      })
    }
  }
}
