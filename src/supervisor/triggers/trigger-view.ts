import type { TriggerView } from '../../contract/supervisor.ts'
import {
  codeOf,
  fallbackIn,
  type Trigger,
  viaOf,
  writeIn,
} from '../../core/supervisor/trigger/trigger.ts'
import { sha256 } from '../../store/tables/audit.ts'
import type { SupervisorContext } from '../context/context.ts'
import { troubleOf } from './trigger-item.ts'

export function triggerView(
  { clock }: Pick<SupervisorContext, 'clock'>,
  trigger: Trigger,
  waitsFor?: string,
): TriggerView {
  const wall = (at: number) => Math.round(clock.toWall(at))
  const [write, fallback] = [writeIn(trigger), fallbackIn(trigger)]
  const ack = trigger.state === 'delivered' && trigger.ack
  const answered = 'answered' in trigger ? trigger.answered : undefined
  return {
    id: trigger.id,
    agent: trigger.agentId,
    runtimeId: trigger.runtimeId,
    thread: trigger.threadId ?? null,
    reason: trigger.reason,
    state: trigger.state,
    via: viaOf(trigger) ?? null,
    code: codeOf(trigger) ?? null,
    sentence: troubleOf(trigger) ?? waitsFor ?? null,
    ack: ack ? { kind: ack.kind, at: wall(ack.at) } : null,
    createdAt: wall(trigger.createdAt),
    claimedAt: write ? wall(write.claimedAt) : null,
    settledAt: 'settledAt' in trigger ? wall(trigger.settledAt) : null,
    pastes: write?.pastes ?? 0,
    enters: write?.enters ?? 0,
    resumes: fallback?.resumes ?? 0,
    spawns: fallback?.spawns ?? 0,
    force: trigger.force ?? null,
    retriedAs: answered?.kind === 'retried' ? answered.as : null,
    bytes: Buffer.byteLength(trigger.text),
    sha256: sha256(trigger.text),
  }
}
