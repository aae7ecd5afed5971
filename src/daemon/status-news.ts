import type { AgentEvent } from '../core/event.ts'
import type { Stop } from '../core/evidence.ts'
import type { StatusReading } from '../harness/adapter.ts'

type Reading = Extract<StatusReading, { ok: true }>

/** How long before the status the end of the turn may have been told. */
const TOLD_BEFORE_MS = 1_000

/**
 * What a reading tells that the one before did not. A session that follows another in its process
 * begins now; what was published of the one before stands there still, with its time, and is no work
 * of the new one. The latest content is the latest word, whatever time it gives.
 */
export function newsIn(
  reading: Reading,
  before: Reading | undefined,
  toldAt: number,
): AgentEvent[] {
  const claim = reading.events.at(-1)
  const last = before?.events.at(-1)
  if (!last || !claim) return reading.events
  if (before?.session !== reading.session || before.pid !== reading.pid) {
    const isCarriedOver = claim.kind === 'unstuck' && claim.at === last.at
    const at = Date.now()
    return reading.events.slice(0, isCarriedOver ? -1 : undefined).map((e) => ({ ...e, at }))
  }
  const isSame = claim.kind === last.kind && claim.detail === last.detail
  return [isSame ? claim : { ...claim, at: Math.max(claim.at, toldAt + 1) }]
}

/** A turn that ends while a subagent runs is not followed by an idle; the end of the subagent is. */
export function isSameStop(told: Stop | undefined, published: AgentEvent): boolean {
  if (!told || told.at <= published.at - TOLD_BEFORE_MS) return false
  return told.note === undefined || published.note !== undefined
}
