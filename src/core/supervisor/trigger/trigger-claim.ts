import { placeOf } from './target-observation.ts'
import { movedTo, type Write, writeIn } from './trigger.ts'
import {
  type DeliveryStep,
  isFresh,
  isOperatorBusy,
  type TriggerOutcome,
} from './trigger-outcome.ts'

/**
 * How to deliver it now: by keyboard if the composer is idle and empty, which takes a second; otherwise through
 * the harness's own channel, which leaves the composer alone but takes many seconds. The caller has made sure that
 * nobody is typing there.
 */
export function openWay(step: DeliveryStep): Write['by'] | undefined {
  if (placeOf(step.trigger, step.observed, isFresh(step)) === 'empty') return 'paste'
  return hasChannel(step) ? 'channel' : undefined
}

export function hasChannel({ trigger, observed }: DeliveryStep): boolean {
  return observed.channel === 'open' && !trigger.isChannelClosed
}

/** With `force`, the operator has said that it should not wait for them. */
export function isInTheWay(step: DeliveryStep): boolean {
  return isOperatorBusy(step) && !step.trigger.force
}

/** The claim is stored before anything is written. */
export function claimed({ trigger, now, rules }: DeliveryStep, by: Write['by']): TriggerOutcome {
  const first = { claimedAt: now, wroteAt: now, pastes: 0, calmAt: undefined, enters: 0 }
  const write = { by, ...(writeIn(trigger) ?? { ...first, isUnsure: false }) }
  // The write and its report may take this long.
  const notBefore = now + rules.delivery.ackTimeoutMs
  return {
    trigger: movedTo(trigger, { state: 'claimed', write, notBefore }),
    act: { kind: 'claim-and-write', by, text: trigger.text },
  }
}
