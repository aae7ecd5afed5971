import { placeOf } from './target-observation.ts'
import { movedTo, type TriggerIn } from './trigger.ts'
import {
  type DeliveryStep,
  isFresh,
  lookingAgain,
  type TriggerOutcome,
  unproven,
  waiting,
} from './trigger-outcome.ts'

type HandedOver = DeliveryStep<TriggerIn<'submitted'>>

/**
 * The harness's own channel has the prompt, or nobody knows, because the daemon or the command was killed at that
 * moment. Then channel and session show which. If neither has it while the agent is idle, for as long as an ack
 * may take, the prompt never got there and is given again.
 */
export function afterHandOver(step: HandedOver): TriggerOutcome {
  const { trigger, observed } = step
  const isIdle = observed.pane === 'here' && placeOf(trigger, observed, isFresh(step)) !== 'none'
  if (!trigger.write.isUnsure) return waitingForProof(step, isIdle)
  if (observed.inChannel === 'held') return found(step)
  if (observed.inChannel === 'absent' && isIdle) return missing(step)
  const write = { ...trigger.write, missedAt: undefined }
  return waitingForProof({ ...step, trigger: { ...trigger, write } }, isIdle)
}

function waitingForProof(step: HandedOver, isIdle: boolean): TriggerOutcome {
  const { enteredAt } = step.trigger
  return isIdle ? unproven(step, enteredAt) : lookingAgain(step, enteredAt)
}

function found({ trigger, now }: HandedOver): TriggerOutcome {
  const write = { ...trigger.write, isUnsure: false, missedAt: undefined }
  return waiting({ ...trigger, write, sent: trigger.sent ?? 'channel', enteredAt: now }, now)
}

/** A prompt that just left the channel may not be in the session yet: one look is not enough. */
function missing({ trigger, now, rules }: HandedOver): TriggerOutcome {
  const { missedAt = now } = trigger.write
  const until = missedAt + rules.delivery.ackTimeoutMs
  if (now >= until) return waiting(movedTo(trigger, { state: 'queued', notBefore: undefined }), now)
  const again = Math.min(now + rules.delivery.recheckMs, until)
  return waiting({ ...trigger, write: { ...trigger.write, missedAt } }, again)
}
