import type { TriggerView } from '../../contract/supervisor.ts'
import type { Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { sha256 } from '../../store/tables/audit.ts'
import type { SupervisorContext } from '../context/context.ts'
import { troubleOf } from './trigger-item.ts'

export function triggerView(
  { clock }: Pick<SupervisorContext, 'clock'>,
  trigger: Trigger,
  waitsFor?: string,
): TriggerView {
  const wall = (at: number) => Math.round(clock.toWall(at))
  const wallOrNull = (at: number | undefined) => (at === undefined ? null : wall(at))
  const { ack, code, fallback, answered } = trigger
  return {
    id: trigger.id,
    agent: trigger.agentId,
    runtimeId: trigger.runtimeId,
    thread: trigger.threadId ?? null,
    reason: trigger.reason,
    state: trigger.state,
    via: trigger.via ?? null,
    code: code ?? null,
    sentence: troubleOf(trigger) ?? waitsFor ?? null,
    ack: ack ? { kind: ack.kind, at: wall(ack.at) } : null,
    createdAt: wall(trigger.createdAt),
    claimedAt: wallOrNull(trigger.claimedAt),
    settledAt: wallOrNull(trigger.settledAt),
    pastes: trigger.pastes,
    enters: trigger.enters,
    resumes: fallback?.resumes ?? 0,
    spawns: fallback?.spawns ?? 0,
    force: trigger.force ?? null,
    retriedAs: answered?.kind === 'retried' ? answered.as : null,
    bytes: Buffer.byteLength(trigger.text),
    sha256: sha256(trigger.text),
  }
}
