import { DEFAULT_RULES, type DeliveryRules, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import { isWanted } from '../runtime/runtime.ts'
import { type Ack, isProof, strongestAck } from './ack.ts'
import { isTouchedSince, placeOf, type TargetObservation } from './target-observation.ts'
import { isSettled, mayHaveBeenTaken, type Trigger } from './trigger.ts'
import { fallbackStep } from './trigger-fallback.ts'
import {
  type DeliveryStep,
  delivered,
  failed,
  fallingBack,
  hasLostRuntime,
  isEnding,
  isFresh,
  isOperatorBusy,
  type TriggerOutcome,
  waiting,
} from './trigger-outcome.ts'

/**
 * The next step of a delivery. It never does a prompt twice:
 * - Text is typed only into a composer that is positively empty, Enter pressed only on our own text, and
 *   neither while somebody types there.
 * - It is typed again only if it never stood in the composer, Enter was never pressed, nobody else can
 *   have, and the write is known to have been made.
 * - Once it may have been taken, only a look into the session of the ended process can make it go in again.
 */
export function triggerStep(
  trigger: Trigger,
  observed: TargetObservation,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): TriggerOutcome {
  const step: DeliveryStep = { trigger, observed, now, rules }
  if (isSettled(trigger)) return { trigger, act: { kind: 'none' } }
  const ack = ackFor(step)
  if (ack && !isEnding(step)) return delivered(step, ack)
  if (trigger.notBefore !== undefined && now < trigger.notBefore) {
    return waiting(trigger, Math.min(trigger.notBefore, now + rules.delivery.recheckMs))
  }
  if (hasLostRuntime(step)) return failed(step, 'TARGET_NOT_FOUND')
  switch (trigger.state) {
    case 'queued':
    case 'deferred':
      return beforeWrite(step)
    case 'claimed':
      return unsure(step)
    case 'written':
      return overTime(step) ?? afterPaste(step)
    case 'submitted':
      return overTime(step) ?? afterEnter(step)
    case 'fallback':
      return fallbackStep(step)
    case 'delivered':
    case 'failed':
    case 'cancelled':
      return { trigger, act: { kind: 'none' } }
    default:
      return trigger.state satisfies never
  }
}

/** However badly it goes, every trigger has ended after that. */
export function longestDeliveryMs({ delivery, runtime }: SupervisorRules): number {
  const { busyLimitMs, fallbackLimitMs, ackTimeoutMs, recheckMs } = delivery
  return 2 * busyLimitMs + fallbackLimitMs + ackTimeoutMs + 4 * recheckMs + runtime.stopTimeoutMs
}

/**
 * A proof counts at once. Anything less only when nothing better came, nobody else can have caused it, and
 * our text is positively gone from the composer: an agent may begin to work for reasons of its own.
 */
function ackFor(step: DeliveryStep): Ack | undefined {
  const { trigger, observed, now, rules } = step
  if (!mayHaveBeenTaken(trigger)) return undefined
  const proof = strongestAck(observed.acks.filter(isProof))
  if (proof) return proof
  const sentAt = trigger.fallback ? trigger.fallback.launchedAt : trigger.enteredAt
  // What its channel holds cannot be seen, so that nothing but a proof tells that it has come out.
  if (trigger.isInChannel || sentAt === undefined || now < sentAt + rules.delivery.ackTimeoutMs)
    return undefined
  if (isTouchedSince(observed, trigger.claimedAt ?? sentAt)) return undefined
  if (placeOf(trigger, observed, isFresh(step)) !== 'empty') return undefined
  return strongestAck(observed.acks.filter(({ at }) => at > sentAt))
}

function beforeWrite(step: DeliveryStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const { busyLimitMs, recheckMs } = rules.delivery
  if (observed.isThreadBlocked) return failed(step, 'THREAD_AUTO_BLOCKED')
  if (!isWanted(observed)) return failed(step, 'TARGET_NOT_FOUND')
  if (now - trigger.createdAt >= busyLimitMs) return failed(step, waitedFor(step))
  const { rateLimitedUntil } = observed
  if (rateLimitedUntil !== undefined && now < rateLimitedUntil) {
    return waiting(heldBack(trigger, 'TRIGGER_RATE_LIMITED'), rateLimitedUntil)
  }
  const isReachable = observed.status === 'ready' && observed.pane === 'here'
  if (!isReachable) return waiting(queuedAgain(trigger), now + recheckMs)
  if (isInTheWay(step)) return givingWay(step)
  if (hasChannel(step)) return claimed(step, 'channel')
  const place = placeOf(trigger, observed, isFresh(step))
  if (place === 'other' || place === 'ours') return givingWay(step)
  return place === 'empty' ? claimed(step, 'paste') : waiting(queuedAgain(trigger), now + recheckMs)
}

function waitedFor({ trigger, observed }: DeliveryStep): FailureCode {
  if (observed.status !== 'ready' || observed.pane !== 'here') return 'TARGET_NOT_FOUND'
  return trigger.code === 'TRIGGER_RATE_LIMITED' ? trigger.code : 'DEFER_TIMEOUT'
}

/** The operator may have said himself that it should not wait for him. */
function isInTheWay(step: DeliveryStep): boolean {
  return isOperatorBusy(step) && !step.trigger.force
}

function hasChannel({ trigger, observed }: DeliveryStep): boolean {
  return observed.channel === 'open' && !trigger.isChannelClosed
}

/**
 * Until the pane is free, and for a limited time: then it is not to be typed any more. A channel of its own
 * leaves alone what stands in its composer.
 */
function givingWay(step: DeliveryStep): TriggerOutcome {
  const { trigger, now, rules } = step
  const { deferLimitMs, recheckMs } = rules.delivery
  const deferredAt = trigger.deferredAt ?? now
  const limit = deferredAt + deferLimitMs
  const isUntouched = trigger.claimedAt === undefined
  if (now >= limit && isUntouched && hasChannel(step)) return claimed(step, 'channel')
  if (now >= limit) return fallingBack(step, 'DEFER_TIMEOUT')
  const held = isUntouched ? heldBack(trigger, 'OPERATOR_BUSY') : trigger
  return waiting({ ...held, deferredAt }, Math.min(now + recheckMs, limit))
}

function heldBack(trigger: Trigger, code: FailureCode): Trigger {
  return { ...trigger, state: 'deferred', code }
}

function queuedAgain(trigger: Trigger): Trigger {
  return { ...trigger, state: 'queued', code: undefined, deferredAt: undefined }
}

function claimed({ trigger, now, rules }: DeliveryStep, by: 'channel' | 'paste'): TriggerOutcome {
  const next: Trigger = {
    ...trigger,
    state: 'claimed',
    claimedAt: trigger.claimedAt ?? now,
    via: by,
    isInChannel: by === 'channel',
    code: undefined,
    deferredAt: undefined,
    // So long it may take to write it and to say how that went.
    notBefore: now + rules.delivery.ackTimeoutMs,
  }
  return { trigger: next, act: { kind: 'claim-and-write', by, text: trigger.text } }
}

/** Whoever was to write it never said how it went. */
function unsure({ trigger, now }: DeliveryStep): TriggerOutcome {
  const next: Trigger = { ...trigger, state: 'written', isUnsure: true, wroteAt: now }
  return { trigger: next, act: { kind: 'wait', until: now } }
}

/** An agent that never comes to rest is not ended for the sake of a prompt: the operator has to look. */
function overTime(step: DeliveryStep): TriggerOutcome | undefined {
  const { trigger, observed, now, rules } = step
  const isOver = now - (trigger.claimedAt ?? now) >= rules.delivery.busyLimitMs
  if (isOver) return failed(step, 'ACK_TIMEOUT')
  const loss = lossOf(observed)
  return loss && fallingBack(step, loss)
}

function lossOf({ pane }: TargetObservation): FailureCode | undefined {
  switch (pane) {
    case 'dead':
    case 'exited':
      return 'PANE_DEAD'
    case 'missing':
      return 'TARGET_NOT_FOUND'
    case 'other':
      return 'REGISTRY_DRIFT'
    case 'here':
    case 'unseen':
      return undefined
    default:
      return pane satisfies never
  }
}

function afterPaste(step: DeliveryStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const { enterDelayMs, ackTimeoutMs } = rules.delivery
  const wroteAt = trigger.wroteAt ?? now
  if (observed.pane === 'unseen') return lookingAgain(step, wroteAt)
  const place = placeOf(trigger, observed, isFresh(step))
  switch (place) {
    case 'ours':
      return waitingForCopy(step) ?? entering(step, wroteAt + enterDelayMs)
    case 'empty':
      return canBeTypedAgain(step) ? typingAgain(step, wroteAt) : unproven(step, wroteAt)
    case 'other':
      return unproven(step, wroteAt)
    case 'none':
      return lookingAgain(step, wroteAt + ackTimeoutMs)
    default:
      return place satisfies never
  }
}

/** Whether the text can have gone nowhere: nobody but us has a hand in this composer. */
function canBeTypedAgain({ trigger, observed }: DeliveryStep): boolean {
  return !trigger.isUnsure && !isTouchedSince(observed, trigger.claimedAt ?? trigger.createdAt)
}

function typingAgain(step: DeliveryStep, wroteAt: number): TriggerOutcome {
  const { trigger, now, rules } = step
  if (trigger.pastes > rules.delivery.retries) return unproven(step, wroteAt)
  const dueAt = retryAt(wroteAt, trigger.pastes, rules.delivery)
  if (now < dueAt) return lookingAgain(step, wroteAt)
  return isInTheWay(step) ? givingWay(step) : claimed(step, 'paste')
}

/**
 * What stands there may be the first copy, from an agent so slow that it was typed again: then the other is
 * still to come, and takes as long.
 */
function waitingForCopy({ trigger, now }: DeliveryStep): TriggerOutcome | undefined {
  const { pastes, claimedAt = now, wroteAt = now } = trigger
  if (pastes < 2) return undefined
  const calmAt = trigger.calmAt ?? now + (wroteAt - claimedAt)
  return now < calmAt ? waiting({ ...trigger, calmAt }, calmAt) : undefined
}

/** Only ever called when the composer is seen to hold our text and nothing else. */
function entering(step: DeliveryStep, dueAt: number): TriggerOutcome {
  const { trigger, now } = step
  if (now < dueAt) return waiting(trigger, dueAt)
  if (isInTheWay(step)) return givingWay(step)
  return {
    trigger: {
      ...trigger,
      state: 'submitted',
      enters: trigger.enters + 1,
      enteredAt: now,
      deferredAt: undefined,
      notBefore: undefined,
    },
    act: { kind: 'press-enter' },
  }
}

function afterEnter(step: DeliveryStep): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  const enteredAt = trigger.enteredAt ?? now
  if (observed.pane === 'unseen') return lookingAgain(step, enteredAt)
  const place = placeOf(trigger, observed, isFresh(step))
  switch (place) {
    case 'ours':
      if (trigger.enters > rules.delivery.retries || trigger.isInChannel) {
        return unproven(step, enteredAt)
      }
      return entering(step, retryAt(enteredAt, trigger.enters, rules.delivery))
    case 'empty':
    case 'other':
      return unproven(step, enteredAt)
    case 'none':
      return lookingAgain(step, enteredAt)
    default:
      return place satisfies never
  }
}

/** It was taken or it was not. A proof gets as long as all retries would take together. */
function unproven(step: DeliveryStep, since: number): TriggerOutcome {
  const { retries, ackTimeoutMs, backoffMs } = step.rules.delivery
  const backoffs = backoffMs.slice(0, retries).reduce((sum, ms) => sum + ms, 0)
  const until = since + (retries + 1) * ackTimeoutMs + backoffs
  return step.now < until ? lookingAgain(step, since, until) : fallingBack(step, 'ACK_TIMEOUT')
}

/** Often at first, since most prompts are taken at once. */
function lookingAgain(step: DeliveryStep, since: number, until = Infinity): TriggerOutcome {
  const { enterDelayMs, ackTimeoutMs, recheckMs } = step.rules.delivery
  const pause = step.now - since < ackTimeoutMs ? enterDelayMs : recheckMs
  return waiting(step.trigger, Math.min(step.now + pause, until))
}

function retryAt(since: number, tries: number, { ackTimeoutMs, backoffMs }: DeliveryRules): number {
  return since + ackTimeoutMs + (backoffMs[tries - 1] ?? backoffMs.at(-1) ?? 0)
}
