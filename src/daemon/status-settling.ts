import type { AgentEvent } from '../core/event.ts'
import type { Stop } from '../core/evidence.ts'

/**
 * Between two turns the status is idle for some 25 ms, on a busy machine for 150. When a subagent has
 * ended, a turn that takes in its result always follows, so that one is waited for.
 */
const SETTLE_MS = { told: 150, untold: 500, subagentEnded: 2_000, lookAgain: 50 }
/** How long before the status the end of the turn may have been told. */
const TOLD_BEFORE_MS = 1_000

/** How long an idle that follows work must last yet before it counts. */
export function settlingMs(
  idle: AgentEvent,
  told: { byHook: Stop | undefined; byAnyone: Stop | undefined },
  now: number,
): number {
  const age = now - idle.at
  if (age < 0) return 0
  // A hook tells the end before it is published, and a prompt when it is queued: nothing follows.
  if (isSameStop(told.byHook, idle)) return 0
  if (age < SETTLE_MS.told) return SETTLE_MS.told - age
  if (isSameStop(told.byAnyone, idle)) return 0
  const lasts = subagentRan(told.byAnyone, idle) ? SETTLE_MS.subagentEnded : SETTLE_MS.untold
  return age >= lasts ? 0 : SETTLE_MS.lookAgain
}

/** A turn that ends while a subagent runs is not followed by an idle; the end of the subagent is. */
function isSameStop(told: Stop | undefined, idle: AgentEvent): boolean {
  if (!told || told.at <= idle.at - TOLD_BEFORE_MS) return false
  return !subagentRan(told, idle)
}

function subagentRan(told: Stop | undefined, idle: AgentEvent): boolean {
  return told?.note !== undefined && idle.note === undefined
}
