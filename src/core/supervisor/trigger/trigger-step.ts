import { DEFAULT_RULES, type DeliveryRules, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import type { PanePresence } from '../runtime/reconcile.ts'
import { isWanted } from '../runtime/runtime.ts'
import { type Ack, isProof, strongestAck } from './ack.ts'
import { isTouchedSince, placeOf, type TargetObservation } from './target-observation.ts'
import {
  codeOf,
  earliestWrite,
  fallbackIn,
  isSettled,
  mayHaveBeenTaken,
  movedTo,
  type Trigger,
  type TriggerIn,
  writeIn,
} from './trigger.ts'
import { claimed, hasChannel, isInTheWay, openWay } from './trigger-claim.ts'
import { fallbackStep } from './trigger-fallback.ts'
import { afterHandOver } from './trigger-hand-over.ts'
import {
  type DeliveryStep,
  delivered,
  failed,
  fallingBack,
  hasLostRuntime,
  isEnding,
  isFresh,
  lookingAgain,
  type TriggerOutcome,
  unproven,
  unsure,
  waiting,
} from './trigger-outcome.ts'

/**
 * The next step of a delivery. It never delivers a prompt twice:
 * - Text is typed only into a composer that is positively empty, Enter is pressed only on our own text, and
 *   neither happens while somebody is typing there.
 * - Text is typed again only if it never appeared in the composer, Enter was never pressed, nobody else can have
 *   pressed it, and the write is known to have been made.
 * - Once the prompt may have been taken, it goes in again only if the session of the ended process was read to its
 *   end without it, or if its channel and its session both show that it never got there.
 */
export function triggerStep(
  trigger: Trigger,
  observed: TargetObservation,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): TriggerOutcome {
  const step: DeliveryStep = { trigger, observed, now, rules }
  const ack = ackFor(step)
  if (ack && !isEnding(step)) return delivered(step, ack)
  const notBefore = 'notBefore' in trigger ? trigger.notBefore : undefined
  if (notBefore !== undefined && now < notBefore) {
    return waiting(trigger, Math.min(notBefore, now + rules.delivery.recheckMs))
  }
  if (hasLostRuntime(step)) return failed(step, 'TARGET_NOT_FOUND')
  switch (trigger.state) {
    case 'queued':
    case 'deferred':
      return beforeWrite({ ...step, trigger })
    case 'claimed':
      return waiting(unsure(trigger, now), now)
    case 'written':
      return overTime(step) ?? afterPaste({ ...step, trigger })
    case 'submitted':
      return overTime(step) ?? afterEnter({ ...step, trigger })
    case 'fallback':
      return fallbackStep({ ...step, trigger })
    case 'delivered':
    case 'failed':
    case 'cancelled':
      return { trigger, act: { kind: 'none' } }
    default:
      return trigger satisfies never
  }
}

/** However badly it goes, every trigger has ended after this time. */
export function longestDeliveryMs({ delivery, runtime }: SupervisorRules): number {
  const { busyLimitMs, fallbackLimitMs, ackTimeoutMs, recheckMs } = delivery
  // A fallback may find the composer free after all, and what is then typed may need a fallback again.
  const fallbacksMs = 2 * (fallbackLimitMs + runtime.stopTimeoutMs)
  return 2 * busyLimitMs + fallbacksMs + ackTimeoutMs + 4 * recheckMs
}

/**
 * A proof counts at once. Anything weaker counts only if nothing better came, nobody else can have caused it, and
 * our text is positively gone from the composer: an agent may begin to work for reasons of its own.
 */
function ackFor(step: DeliveryStep): Ack | undefined {
  const { trigger, observed, now, rules } = step
  if (isSettled(trigger) || !mayHaveBeenTaken(trigger)) return undefined
  const proof = strongestAck(observed.acks.filter(isProof))
  if (proof) return proof
  const sentAt = trigger.state === 'submitted' ? trigger.enteredAt : fallbackIn(trigger)?.launchedAt
  const { by, claimedAt = sentAt } = writeIn(trigger) ?? {}
  // We cannot see what its channel holds, so only a proof shows that it has come out.
  if (by === 'channel' || sentAt === undefined || claimedAt === undefined) return undefined
  if (now < sentAt + rules.delivery.ackTimeoutMs) return undefined
  if (isTouchedSince(observed, claimedAt)) return undefined
  if (placeOf(trigger, observed, isFresh(step)) !== 'empty') return undefined
  return strongestAck(observed.acks.filter(({ at }) => at > sentAt))
}

function beforeWrite(step: DeliveryStep<TriggerIn<'queued' | 'deferred'>>): TriggerOutcome {
  const { trigger, observed, now, rules } = step
  if (observed.isThreadBlocked) return failed(step, 'THREAD_AUTO_BLOCKED')
  if (!isWanted(observed) && !observed.isRestarting) return failed(step, 'TARGET_NOT_FOUND')
  if (now - trigger.createdAt >= rules.delivery.busyLimitMs) return failed(step, waitedFor(step))
  const { rateLimitedUntil } = observed
  if (rateLimitedUntil !== undefined && now < rateLimitedUntil) {
    const deferredAt = deferredSince(trigger)
    const held = { state: 'deferred', code: 'TRIGGER_RATE_LIMITED', deferredAt } as const
    return waiting(movedTo(trigger, held), rateLimitedUntil)
  }
  const isReachable = observed.status === 'ready' && observed.pane === 'here'
  if (!isReachable) return queuedAgain(step)
  if (isInTheWay(step)) return givingWay(step)
  const way = openWay(step)
  if (way) return claimed(step, way)
  const place = placeOf(trigger, observed, isFresh(step))
  return place === 'other' || place === 'ours' ? givingWay(step) : queuedAgain(step)
}

function waitedFor({ trigger, observed }: DeliveryStep): FailureCode {
  if (observed.status !== 'ready' || observed.pane !== 'here') return 'TARGET_NOT_FOUND'
  const code = codeOf(trigger)
  const isKnown = code === 'TRIGGER_RATE_LIMITED' || code === 'SEND_KEYS_ERROR'
  return isKnown ? code : 'DEFER_TIMEOUT'
}

/**
 * Waits until the pane is free, for a limited time. Then the harness's own channel bypasses the draft. Without
 * one, the fallback waits for an empty composer, or ends the process.
 */
function givingWay(
  step: DeliveryStep<TriggerIn<'queued' | 'deferred' | 'written' | 'submitted'>>,
): TriggerOutcome {
  const { trigger, now, rules } = step
  const { deferLimitMs, recheckMs } = rules.delivery
  const deferredAt = deferredSince(trigger) ?? now
  const limit = deferredAt + deferLimitMs
  const isUntouched = trigger.state === 'queued' || trigger.state === 'deferred'
  if (now >= limit && isUntouched && hasChannel(step)) return claimed(step, 'channel')
  if (now >= limit) return fallingBack(step, 'DEFER_TIMEOUT')
  const held: Trigger = isUntouched
    ? movedTo(trigger, { state: 'deferred', code: 'OPERATOR_BUSY', deferredAt })
    : { ...trigger, deferredAt }
  return waiting(held, Math.min(now + recheckMs, limit))
}

function deferredSince(trigger: Trigger): number | undefined {
  return 'deferredAt' in trigger ? trigger.deferredAt : undefined
}

function queuedAgain({ trigger, now, rules }: DeliveryStep): TriggerOutcome {
  const queued = movedTo(trigger, { state: 'queued', notBefore: undefined })
  return waiting(queued, now + rules.delivery.recheckMs)
}

/** An agent that never becomes idle is not ended for the sake of a prompt: the operator has to look. */
function overTime(step: DeliveryStep): TriggerOutcome | undefined {
  const { trigger, observed, now, rules } = step
  const isOver = now - earliestWrite(trigger) >= rules.delivery.busyLimitMs
  if (isOver) return failed(step, codeOf(trigger) ?? 'ACK_TIMEOUT')
  const loss = LOSSES[observed.pane]
  return loss && fallingBack(step, loss)
}

const LOSSES: Record<PanePresence, FailureCode | undefined> = {
  dead: 'PANE_DEAD',
  exited: 'PANE_DEAD',
  missing: 'TARGET_NOT_FOUND',
  other: 'REGISTRY_DRIFT',
  here: undefined,
  unseen: undefined,
}

function afterPaste(step: DeliveryStep<TriggerIn<'written'>>): TriggerOutcome {
  const { trigger, observed, rules } = step
  const { enterDelayMs, ackTimeoutMs } = rules.delivery
  const { wroteAt } = trigger.write
  if (observed.pane === 'unseen') return lookingAgain(step, wroteAt)
  const place = placeOf(trigger, observed, isFresh(step))
  switch (place) {
    case 'ours':
      return waitingForCopy(step) ?? entering(step, wroteAt + enterDelayMs)
    case 'empty':
      return canBeTypedAgain(step) ? typingAgain(step) : unproven(step, wroteAt)
    case 'other':
      return unproven(step, wroteAt)
    case 'none':
      return lookingAgain(step, wroteAt + ackTimeoutMs)
    default:
      return place satisfies never
  }
}

/** Whether the text cannot have gone anywhere: nobody but us has used this composer. */
function canBeTypedAgain({ trigger, observed }: DeliveryStep<TriggerIn<'written'>>): boolean {
  return !trigger.write.isUnsure && !isTouchedSince(observed, trigger.write.claimedAt)
}

function typingAgain(step: DeliveryStep<TriggerIn<'written'>>): TriggerOutcome {
  const { trigger, now, rules } = step
  const { wroteAt, pastes } = trigger.write
  if (pastes > rules.delivery.retries) return unproven(step, wroteAt)
  if (now < retryAt(wroteAt, pastes, rules.delivery)) return lookingAgain(step, wroteAt)
  return isInTheWay(step) ? givingWay(step) : claimed(step, 'paste')
}

/**
 * The visible text may be the first copy, from an agent so slow that we typed it again: then the second copy is
 * still to come, and takes just as long.
 */
function waitingForCopy({
  trigger,
  now,
}: DeliveryStep<TriggerIn<'written'>>): TriggerOutcome | undefined {
  const { write } = trigger
  if (write.pastes < 2) return undefined
  const calmAt = write.calmAt ?? now + (write.wroteAt - write.claimedAt)
  return now < calmAt ? waiting({ ...trigger, write: { ...write, calmAt } }, calmAt) : undefined
}

/** Only called when the composer is seen to hold our text and nothing else. */
function entering(
  step: DeliveryStep<TriggerIn<'written' | 'submitted'>>,
  dueAt: number,
): TriggerOutcome {
  const { trigger, now } = step
  if (now < dueAt) return waiting(trigger, dueAt)
  if (isInTheWay(step)) return givingWay(step)
  const write = { ...trigger.write, enters: trigger.write.enters + 1 }
  const times = { enteredAt: now, deferredAt: undefined, notBefore: undefined }
  return {
    trigger: movedTo(trigger, { state: 'submitted', write, ...times }),
    act: { kind: 'press-enter' },
  }
}

function afterEnter(step: DeliveryStep<TriggerIn<'submitted'>>): TriggerOutcome {
  const { trigger, observed, rules } = step
  const { enteredAt, write } = trigger
  if (write.by === 'channel') return afterHandOver(step)
  const place = placeOf(trigger, observed, isFresh(step))
  if (observed.pane === 'unseen' || place === 'none') return lookingAgain(step, enteredAt)
  const hasTries = write.enters <= rules.delivery.retries
  if (place !== 'ours' || !hasTries) return unproven(step, enteredAt)
  return entering(step, retryAt(enteredAt, write.enters, rules.delivery))
}

function retryAt(since: number, tries: number, { ackTimeoutMs, backoffMs }: DeliveryRules): number {
  return since + ackTimeoutMs + (backoffMs[tries - 1] ?? backoffMs.at(-1) ?? 0)
}
