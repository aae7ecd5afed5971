import { listTriggers, moveTrigger } from '../../store/tables/triggers.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import { itemOf } from './trigger-item.ts'

/** What failed for a runtime that is forgotten is nobody's to settle any more: it could only fail again. */
export function dismissFailures(
  { db, escalations }: Pick<SupervisorContext, 'db' | 'escalations'>,
  registry: Pick<Registry, 'change'>,
  { runtimeId, why }: { runtimeId: string; why: string },
): void {
  for (const trigger of listTriggers(db, { runtimeId, states: ['failed'] })) {
    if (trigger.answered) continue
    registry.change(() => moveTrigger(db, trigger, { ...trigger, answered: { kind: 'seen' } }))
    escalations.end(itemOf(trigger), why, 'operator')
  }
}
