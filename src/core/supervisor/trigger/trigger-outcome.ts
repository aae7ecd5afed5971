import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { RuntimeEvent } from '../runtime/runtime-transition.ts'
import type { Ack } from './ack.ts'
import { isTouchedSince, type TargetObservation } from './target-observation.ts'
import type { Fallback, Trigger } from './trigger.ts'

/** What is known when one step of a delivery is decided. */
export type DeliveryStep = {
  trigger: Trigger
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
  /** Look again then, or when something is heard of the target. */
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
    trigger: { ...trigger, state: 'failed', code, settledAt: now },
    act: { kind: 'settle', outcome: 'failed', code },
    event: endedProcess(step),
  }
}

export function delivered(step: DeliveryStep, ack: Ack): TriggerOutcome {
  const { trigger, observed, now } = step
  const isResumed = trigger.fallback?.launchedAt !== undefined && observed.pane === 'here'
  return {
    trigger: { ...trigger, state: 'delivered', ack, code: undefined, settledAt: now },
    act: { kind: 'settle', outcome: 'delivered', ack },
    event: isResumed ? undefined : endedProcess(step),
  }
}

/** That its process is gone was our doing, or is counted already: it must not be counted once more. */
function endedProcess(step: DeliveryStep): RuntimeEvent | undefined {
  const { goneAt, stoppedAt, spawns } = step.trigger.fallback ?? {}
  const isAccountedFor = goneAt !== undefined || stoppedAt !== undefined
  return isAccountedFor && spawns === 0 && !hasLostRuntime(step) ? 'process_ended' : undefined
}

/**
 * It was stopped, and perhaps started again, without this delivery having seen it: it is another's now. A
 * session that this delivery began is the reconcile loop's from its start.
 */
export function hasLostRuntime({ trigger, observed, now }: DeliveryStep): boolean {
  const { state, claimedAt, fallback } = trigger
  if (state === 'queued' || state === 'deferred' || fallback?.spawns) return false
  const since = claimedAt ?? fallback?.since ?? now
  return (
    observed.status !== 'ready' || (observed.startedAt !== undefined && observed.startedAt > since)
  )
}

/** What was begun is ended first: a process that is about to end must not be taken for one that runs. */
export function isEnding({ trigger, observed, now, rules }: DeliveryStep): boolean {
  const { stoppedAt, goneAt } = trigger.fallback ?? {}
  if (stoppedAt === undefined || goneAt !== undefined) return false
  const isThere = observed.pane === 'here' || observed.pane === 'unseen'
  return isThere && now < stoppedAt + 2 * rules.runtime.stopTimeoutMs
}

/** There is nothing more to be done in the pane. What comes next is looked at right away. */
export function fallingBack(step: DeliveryStep, code: FailureCode): TriggerOutcome {
  const { trigger, now } = step
  const fallback: Fallback = {
    code,
    since: now,
    resumes: 0,
    spawns: 0,
    launchedAt: undefined,
    stoppedAt: undefined,
    goneAt: undefined,
  }
  return {
    trigger: { ...trigger, state: 'fallback', fallback, code, deferredAt: undefined },
    act: { kind: 'wait', until: now },
  }
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
  switch (act.kind) {
    case 'claim-and-write':
      if (result === 'refused') return { trigger: released(trigger, notBefore) }
      return { trigger: (act.by === 'paste' ? pasted : handedOver)(trigger, result, now) }
    case 'press-enter':
      return { trigger: result === 'refused' ? notEntered(trigger, notBefore) : trigger }
    case 'fallback':
      return result === 'refused' ? notLaunched(trigger, act.how, now) : { trigger }
    case 'stop':
    case 'wait':
    case 'settle':
    case 'none':
      return { trigger }
    default:
      return act satisfies never
  }
}

/**
 * A trigger as it was stored when the daemon ended, whatever it was about to do. It is never typed again:
 * what stands in the composer or in the session tells how far it got.
 */
export function recoveredTrigger(trigger: Trigger, now: number): Trigger {
  switch (trigger.state) {
    case 'claimed':
      return { ...trigger, state: 'written', isUnsure: true, wroteAt: now, notBefore: undefined }
    case 'written':
    case 'submitted':
      return { ...trigger, isUnsure: true }
    case 'queued':
    case 'deferred':
    case 'fallback':
    case 'delivered':
    case 'failed':
    case 'cancelled':
      return trigger
    default:
      return trigger.state satisfies never
  }
}

/**
 * A failure that was none: what its agent did not take in time, it took later. Undefined where it says
 * nothing new, or where somebody has it said again already.
 */
export function arrivedTrigger(trigger: Trigger, ack: Ack, now: number): Trigger | undefined {
  const { state, claimedAt, answered } = trigger
  if (state !== 'failed' || claimedAt === undefined || answered?.kind === 'retried')
    return undefined
  return { ...trigger, state: 'delivered', ack, code: undefined, settledAt: now }
}

function pasted(trigger: Trigger, result: 'done' | 'unknown', now: number): Trigger {
  return {
    ...trigger,
    state: 'written',
    pastes: trigger.pastes + 1,
    calmAt: undefined,
    wroteAt: now,
    notBefore: undefined,
    isUnsure: trigger.isUnsure || result === 'unknown',
  }
}

/** There is no Enter to press: the harness has it, or nobody knows. */
function handedOver(trigger: Trigger, result: 'done' | 'unknown', now: number): Trigger {
  return {
    ...trigger,
    state: 'submitted',
    wroteAt: now,
    enteredAt: now,
    notBefore: undefined,
    isUnsure: result === 'unknown',
  }
}

/** Nothing of it has reached the target, unless an earlier paste has. */
function released(trigger: Trigger, notBefore: number): Trigger {
  if (trigger.pastes > 0) return { ...trigger, state: 'written', notBefore }
  const isChannel = trigger.isInChannel
  return {
    ...trigger,
    state: 'queued',
    claimedAt: undefined,
    via: undefined,
    isInChannel: false,
    isChannelClosed: trigger.isChannelClosed || isChannel,
    notBefore: isChannel ? undefined : notBefore,
  }
}

function notEntered(trigger: Trigger, notBefore: number): Trigger {
  const enters = trigger.enters - 1
  return enters === 0
    ? { ...trigger, state: 'written', enters, enteredAt: undefined, notBefore }
    : { ...trigger, enters, notBefore }
}

function notLaunched(trigger: Trigger, how: Relaunch, now: number): ActionOutcome {
  const code: FailureCode = how === 'spawn' ? 'SPAWN_FAILED' : 'RESUME_FAILED'
  const { fallback } = trigger
  return {
    trigger: {
      ...trigger,
      code,
      fallback: fallback && { ...fallback, code, launchedAt: undefined, goneAt: now },
    },
    event: how === 'spawn' ? 'spawn_failed' : 'process_failed',
  }
}
