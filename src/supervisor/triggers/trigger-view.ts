import type { TriggerView } from '../../contract/supervisor.ts'
import { wordsIn } from '../../core/supervisor/trigger/envelope.ts'
import {
  codeOf,
  fallbackIn,
  isSettled,
  type Trigger,
  viaOf,
  writeIn,
} from '../../core/supervisor/trigger/trigger.ts'
import { printOf } from '../../store/tables/audit.ts'
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
  // The reason that tmux gave says more than the code.
  const isOpen = !isSettled(trigger) && codeOf(trigger) === 'SEND_KEYS_ERROR'
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
    sentence: (isOpen && waitsFor) || troubleOf(trigger) || waitsFor || null,
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
    dismissed: answered?.kind === 'seen',
    words: wordsIn(trigger.text),
    screen: ('screen' in trigger && trigger.screen) || null,
    ...(trigger.given ?? printOf(trigger.text)),
  }
}
