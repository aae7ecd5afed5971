import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { RuntimeEvent } from '../runtime/runtime-transition.ts'
import type { Ack } from './ack.ts'
import { isTouchedSince, type TargetObservation } from './target-observation.ts'
import {
  type Delivery,
  fallbackIn,
  movedTo,
  ownsProcess,
  type Trigger,
  type TriggerIn,
  viaOf,
  type Write,
  writeIn,
} from './trigger.ts'

/** What is known when one step of a delivery is decided. */
export type DeliveryStep<T extends Trigger = Trigger> = {
  trigger: T
  observed: TargetObservation
  now: number
  rules: SupervisorRules
}

/**
 * The trigger as it is to be stored, and what is to be done once it is: never the other way round.
 * `event` is what that means for its runtime.
 */
export type TriggerOutcome = {
  trigger: Trigger
  act: TriggerAction
  event?: RuntimeEvent | undefined
}

export type TriggerAction =
  /** Look again then, or when the target reports something. */
  | { kind: 'wait'; until: number }
  | { kind: 'claim-and-write'; by: 'channel' | 'paste'; text: string }
  | { kind: 'press-enter' }
  /** End the old process: first as its operator would, then by closing its pane. */
  | { kind: 'stop'; manner: 'gracefully' | 'at-once' }
  /** Without a prompt where the harness's own channel holds it until the session goes on. */
  | { kind: 'fallback'; how: Relaunch; prompt: string | undefined }
  | { kind: 'settle'; outcome: 'delivered'; ack: Ack }
  | { kind: 'settle'; outcome: 'failed'; code: FailureCode }
  /** It has ended before. */
  | { kind: 'none' }

export function waiting(trigger: Trigger, until: number): TriggerOutcome {
  return { trigger, act: { kind: 'wait', until } }
}

export function failed(step: DeliveryStep, code: FailureCode): TriggerOutcome {
  const { trigger, now } = step
  return {
    trigger: failedTrigger(trigger, code, now),
    act: { kind: 'settle', outcome: 'failed', code },
    event: endedProcess(step),
  }
}

export function failedTrigger(trigger: Trigger, code: FailureCode, now: number): Trigger {
  const end = { code, settledAt: now, answered: undefined }
  return movedTo(trigger, { state: 'failed', ...end, ...attemptsOf(trigger) })
}

function deliveredTrigger(trigger: Trigger, ack: Ack, now: number): Trigger {
  const end = { ack, via: viaOf(trigger) ?? 'paste', settledAt: now }
  return movedTo(trigger, { state: 'delivered', ...end, ...attemptsOf(trigger) })
}

function attemptsOf(trigger: Trigger): Pick<TriggerIn<'failed'>, 'write' | 'fallback'> {
  return { write: writeIn(trigger), fallback: fallbackIn(trigger) }
}

export function delivered(step: DeliveryStep, ack: Ack): TriggerOutcome {
  const { trigger, observed, now } = step
  const isResumed = fallbackIn(trigger)?.launchedAt !== undefined && observed.pane === 'here'
  return {
    trigger: deliveredTrigger(trigger, ack, now),
    act: { kind: 'settle', outcome: 'delivered', ack },
    event: isResumed ? undefined : endedProcess(step),
  }
}

/** That its process is gone was our doing, or is counted already: it must not be counted once more. */
function endedProcess(step: DeliveryStep): RuntimeEvent | undefined {
  const { goneAt, stoppedAt, spawns } = fallbackIn(step.trigger) ?? {}
  const isAccountedFor = goneAt !== undefined || stoppedAt !== undefined
  return isAccountedFor && spawns === 0 && !hasLostRuntime(step) ? 'process_ended' : undefined
}

/**
 * It was stopped, and perhaps started again, without this delivery having seen it: it is another's now. A
 * session that this delivery began is the reconcile loop's from its start.
 */
export function hasLostRuntime({ trigger, observed, now }: DeliveryStep): boolean {
  if (!ownsProcess(trigger)) return false
  const since = writeIn(trigger)?.claimedAt ?? fallbackIn(trigger)?.since ?? now
  return (
    observed.status !== 'ready' || (observed.startedAt !== undefined && observed.startedAt > since)
  )
}

/** What was begun is ended first: a process that is about to end must not be taken for one that runs. */
export function isEnding({ trigger, observed, now, rules }: DeliveryStep): boolean {
  const { stoppedAt, goneAt } = fallbackIn(trigger) ?? {}
  if (stoppedAt === undefined || goneAt !== undefined) return false
  const isThere = observed.pane === 'here' || observed.pane === 'unseen'
  return isThere && now < stoppedAt + 2 * rules.runtime.stopTimeoutMs
}

/** There is nothing more to be done in the pane. What comes next is looked at right away. */
export function fallingBack(step: DeliveryStep, code: FailureCode): TriggerOutcome {
  const { trigger, now } = step
  const times = { launchedAt: undefined, stoppedAt: undefined, goneAt: undefined }
  const fallback = { code, since: now, resumes: 0, spawns: 0, ...times }
  const write = writeIn(trigger)
  return waiting(movedTo(trigger, { state: 'fallback', fallback, write }), now)
}

/** Whether somebody types there: nothing is written, and nothing ended, under his hands. */
export function isOperatorBusy({ observed, now, rules }: DeliveryStep): boolean {
  return isTouchedSince(observed, now - rules.delivery.quietMs)
}

export function isFresh({ observed, now, rules }: DeliveryStep): boolean {
  return now - observed.lookedAt <= rules.delivery.freshMs
}

/**
 * How an act went. `refused`: it is certain that nothing happened. `unknown`: nothing is certain, and
 * nothing may be concluded.
 */
export type ActionResult = 'done' | 'refused' | 'unknown'

/** What is to be stored after an act. */
export type ActionOutcome = { trigger: Trigger; event?: RuntimeEvent | undefined }

/** `trigger` is the one that was stored before the act. */
export function afterAction(
  trigger: Trigger,
  act: TriggerAction,
  result: ActionResult,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): ActionOutcome {
  const notBefore = now + rules.delivery.recheckMs
  const isRefused = result === 'refused'
  if (act.kind === 'claim-and-write' && trigger.state === 'claimed') {
    const isUnknown = result === 'unknown'
    return { trigger: isRefused ? released(trigger, notBefore) : wrote(trigger, isUnknown, now) }
  }
  if (act.kind === 'press-enter' && trigger.state === 'submitted' && isRefused) {
    return { trigger: notEntered(trigger, notBefore) }
  }
  if (act.kind === 'fallback' && trigger.state === 'fallback' && isRefused) {
    return notLaunched(trigger, act.how, now)
  }
  return { trigger }
}

/**
 * A trigger as it was stored when the daemon ended, whatever it was about to do. It is never typed again:
 * what stands in the composer or in the session tells how far it got.
 */
export function recoveredTrigger(trigger: Trigger, now: number): Trigger {
  if (trigger.state === 'claimed') return unsure(trigger, now)
  if (trigger.state !== 'written' && trigger.state !== 'submitted') return trigger
  return { ...trigger, write: { ...trigger.write, isUnsure: true } }
}

/** Whoever was to write it never said how it went. */
export function unsure(trigger: TriggerIn<'claimed'>, now: number): Trigger {
  return movedTo(trigger, inComposer({ ...trigger.write, isUnsure: true, wroteAt: now }))
}

/**
 * A failure that was none: what its agent did not take in time, it took later. Undefined where it says
 * nothing new, or where somebody has it said again already.
 */
export function arrivedTrigger(trigger: Trigger, ack: Ack, now: number): Trigger | undefined {
  if (trigger.state !== 'failed' || !trigger.write || trigger.answered?.kind === 'retried')
    return undefined
  return deliveredTrigger(trigger, ack, now)
}

/** In a channel there is no Enter to press: the harness has it, or nobody knows. */
function wrote(trigger: TriggerIn<'claimed'>, isUnknown: boolean, now: number): Trigger {
  const write = { ...trigger.write, wroteAt: now, isUnsure: trigger.write.isUnsure || isUnknown }
  if (write.by === 'paste') {
    return movedTo(trigger, inComposer({ ...write, pastes: write.pastes + 1, calmAt: undefined }))
  }
  return movedTo(trigger, { ...inComposer(write), state: 'submitted', enteredAt: now })
}

function inComposer(write: Write, notBefore?: number): Extract<Delivery, { state: 'written' }> {
  return { state: 'written', write, deferredAt: undefined, notBefore }
}

/** Nothing of it has reached the target, unless an earlier paste has. */
function released(trigger: TriggerIn<'claimed'>, notBefore: number): Trigger {
  const { write, isChannelClosed } = trigger
  if (write.pastes > 0) return movedTo(trigger, inComposer(write, notBefore))
  const isChannel = write.by === 'channel'
  return movedTo(
    { ...trigger, isChannelClosed: isChannelClosed || isChannel },
    { state: 'queued', notBefore: isChannel ? undefined : notBefore },
  )
}

function notEntered(trigger: TriggerIn<'submitted'>, notBefore: number): Trigger {
  const write = { ...trigger.write, enters: trigger.write.enters - 1 }
  return write.enters === 0
    ? movedTo(trigger, inComposer(write, notBefore))
    : { ...trigger, write, notBefore }
}

function notLaunched(trigger: TriggerIn<'fallback'>, how: Relaunch, now: number): ActionOutcome {
  const code: FailureCode = how === 'spawn' ? 'SPAWN_FAILED' : 'RESUME_FAILED'
  return {
    trigger: {
      ...trigger,
      fallback: { ...trigger.fallback, code, launchedAt: undefined, goneAt: now },
    },
    event: how === 'spawn' ? 'spawn_failed' : 'process_failed',
  }
}
