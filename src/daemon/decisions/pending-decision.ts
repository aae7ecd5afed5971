import type { DecisionOutcome } from '../../contract/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Whole } from './asked-decision.ts'

/** A decision that nobody has answered yet, and who waits for it. */
export type Pending = {
  decision: Decision
  whole: Whole | undefined
  bytes: number
  waiters: Set<(outcome: DecisionOutcome) => void>
}

export function unheld(decision: Decision): Pending {
  return { decision, whole: undefined, bytes: 0, waiters: new Set() }
}
