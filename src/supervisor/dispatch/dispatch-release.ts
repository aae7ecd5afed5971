import { DISPATCH_REASON, isOver } from '../../core/supervisor/dispatch/dispatch.ts'
import { cancelledTrigger, isSettled } from '../../core/supervisor/trigger/trigger.ts'
import { findDispatchOfRuntime } from '../../store/tables/dispatches.ts'
import { listTriggers } from '../../store/tables/triggers.ts'
import { OURSELVES, type SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import type { Runtimes } from '../runtimes/runtimes.ts'
import type { Triggers } from '../triggers/triggers.ts'

type ReleaseParts = {
  context: Pick<SupervisorContext, 'db'>
  registry: Registry
  runtimes: Pick<Runtimes, 'deregister'>
}

/**
 * Nobody needs the runtime of a dispatch once both have ended. What is still open for it is settled first:
 * without a runtime nobody would.
 */
export function releaseRuntime(
  { context: { db }, registry, runtimes }: ReleaseParts,
  runtimeId: string,
): void {
  const runtime = registry.find(runtimeId)
  if (runtime?.status !== 'stopped' || runtime.restartBy !== undefined) return
  const dispatch = findDispatchOfRuntime(db, runtimeId)
  if (!dispatch || !isOver(dispatch)) return
  if (listTriggers(db, { runtimeId }).some((trigger) => !isSettled(trigger))) return
  runtimes.deregister(runtime.agentId, OURSELVES)
}

/** If that is possible: what may have been taken already ends with its runtime. */
export function takeBackTask(triggers: Pick<Triggers, 'list' | 'cancel'>, runtimeId: string): void {
  for (const trigger of triggers.list({ runtimeId })) {
    const isOpen = trigger.state === 'failed' || cancelledTrigger(trigger, 0) !== undefined
    if (isOpen && trigger.reason === DISPATCH_REASON) triggers.cancel(trigger.id, OURSELVES)
  }
}
