import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { RuntimeEvent } from '../runtime/runtime-transition.ts'
import type { Ack } from './ack.ts'
import { isTouchedSince, type TargetObservation } from './target-observation.ts'
import {
  type Delivery,
  type DeliveryWay,
  fallbackIn,
  movedTo,
  ownsProcess,
  type Trigger,
  type TriggerIn,
  viaOf,
  type Write,
  writeIn,
} from './trigger.ts'

/** What is known when deciding one step of a delivery. */
export type DeliveryStep<T extends Trigger = Trigger> = {
  trigger: T
  observed: TargetObservation
  now: number
  rules: SupervisorRules
}

/**
 * The trigger to store, and what to do once it is stored: never the other way round. `event` is what that means
 * for its runtime.
 */
export type TriggerOutcome = {
  trigger: Trigger
  act: TriggerAction
  event?: RuntimeEvent | undefined
}

export type TriggerAction =
  /** Look again at that time, or when the target reports something. */
  | { kind: 'wait'; until: number }
  | { kind: 'claim-and-write'; by: 'channel' | 'paste'; text: string }
  | { kind: 'press-enter' }
  /** End the old process: first as its operator would, then by closing its pane. */
  | { kind: 'stop'; manner: 'gracefully' | 'at-once' }
  /** Without a prompt if the harness's own channel holds it until the session continues. */
  | { kind: 'fallback'; how: Relaunch; prompt: string | undefined }
  | { kind: 'settle'; outcome: 'delivered'; ack: Ack }
  | { kind: 'settle'; outcome: 'failed'; code: FailureCode }
  /** It had already ended. */
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
  const via = viaOf(trigger) ?? 'paste'
  const end = { ack, via, settledAt: now }
  const left = { ...trigger, sent: trigger.sent ?? via }
  return movedTo(left, { state: 'delivered', ...end, ...attemptsOf(trigger) })
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

/** If we ended the process, or its end is already counted, it must not be counted again. */
function endedProcess(step: DeliveryStep): RuntimeEvent | undefined {
  const { goneAt, stoppedAt, spawns } = fallbackIn(step.trigger) ?? {}
  const isAccountedFor = goneAt !== undefined || stoppedAt !== undefined
  return isAccountedFor && spawns === 0 && !hasLostRuntime(step) ? 'process_ended' : undefined
}

/**
 * The runtime was stopped, and perhaps restarted, without this delivery seeing it: it no longer belongs to this
 * delivery. A session that this delivery began belongs to the reconcile loop from its start.
 */
export function hasLostRuntime({ trigger, observed, now }: DeliveryStep): boolean {
  if (!ownsProcess(trigger)) return false
  const since = writeIn(trigger)?.claimedAt ?? fallbackIn(trigger)?.since ?? now
  return (
    observed.status !== 'ready' || (observed.startedAt !== undefined && observed.startedAt > since)
  )
}

/** A stop in progress is completed first: a process that is about to end must not be taken for a running one. */
export function isEnding({ trigger, observed, now, rules }: DeliveryStep): boolean {
  const { stoppedAt, goneAt } = fallbackIn(trigger) ?? {}
  if (stoppedAt === undefined || goneAt !== undefined) return false
  const isThere = observed.pane === 'here' || observed.pane === 'unseen'
  return isThere && now < stoppedAt + 2 * rules.runtime.stopTimeoutMs
}

/** Nothing more can be done in the pane. The next step follows right away. */
export function fallingBack(step: DeliveryStep, code: FailureCode): TriggerOutcome {
  const { trigger, now } = step
  const times = { launchedAt: undefined, stoppedAt: undefined, goneAt: undefined }
  const fallback = { code, since: now, resumes: 0, spawns: 0, ...times }
  const write = writeIn(trigger)
  return waiting(movedTo(trigger, { state: 'fallback', fallback, write }), now)
}

/** It was taken or it was not. We wait for a proof as long as all retries together would take. */
export function unproven(step: DeliveryStep, since: number): TriggerOutcome {
  const { retries, ackTimeoutMs, backoffMs } = step.rules.delivery
  const backoffs = backoffMs.slice(0, retries).reduce((sum, ms) => sum + ms, 0)
  const until = since + (retries + 1) * ackTimeoutMs + backoffs
  return step.now < until ? lookingAgain(step, since, until) : fallingBack(step, 'ACK_TIMEOUT')
}

/** Often at first, since most prompts are taken at once. */
export function lookingAgain(step: DeliveryStep, since: number, until = Infinity): TriggerOutcome {
  const { enterDelayMs, ackTimeoutMs, recheckMs } = step.rules.delivery
  const pause = step.now - since < ackTimeoutMs ? enterDelayMs : recheckMs
  return waiting(step.trigger, Math.min(step.now + pause, until))
}

/** Whether somebody is typing there: then nothing is written and nothing is ended. */
export function isOperatorBusy({ observed, now, rules }: DeliveryStep): boolean {
  return isTouchedSince(observed, now - rules.delivery.quietMs)
}

export function isFresh({ observed, now, rules }: DeliveryStep): boolean {
  return now - observed.lookedAt <= rules.delivery.freshMs
}

/**
 * The result of an act. `refused`: it is certain that nothing happened. `unknown`: nothing is certain, and we
 * cannot conclude anything.
 */
export type ActionResult = 'done' | 'refused' | 'unknown'

/** What to store after an act. */
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
  const sent = result === 'done' ? (trigger.sent ?? wayOut(act)) : trigger.sent
  const left = { ...trigger, ...(sent && { sent }) }
  if (act.kind === 'claim-and-write' && trigger.state === 'claimed') {
    const isUnknown = result === 'unknown'
    const claim = { ...trigger, ...(sent && { sent }) }
    return { trigger: isRefused ? released(trigger, notBefore) : wrote(claim, isUnknown, now) }
  }
  if (act.kind === 'press-enter' && trigger.state === 'submitted' && isRefused) {
    return { trigger: notEntered(trigger, notBefore) }
  }
  if (act.kind === 'fallback' && trigger.state === 'fallback' && isRefused) {
    return notLaunched(trigger, act.how, now)
  }
  return { trigger: left }
}

/** How a prompt leaves us with this act. A paste alone does not count: it stays in the composer until Enter. */
function wayOut(act: TriggerAction): DeliveryWay | undefined {
  if (act.kind === 'press-enter') return 'paste'
  if (act.kind === 'claim-and-write') return act.by === 'channel' ? 'channel' : undefined
  return act.kind === 'fallback' && act.prompt !== undefined ? act.how : undefined
}

/**
 * A trigger as it was stored when the daemon ended, whatever it was about to do. It is never typed again: the
 * composer or the session shows how far it got.
 */
export function recoveredTrigger(trigger: Trigger, now: number): Trigger {
  if (trigger.state === 'claimed') return unsure(trigger, now)
  if (trigger.state !== 'written' && trigger.state !== 'submitted') return trigger
  // The result of its hand-over is stored with it.
  if (trigger.write.by === 'channel') return trigger
  return { ...trigger, write: { ...trigger.write, isUnsure: true } }
}

/** The write was never reported back. */
export function unsure(trigger: TriggerIn<'claimed'>, now: number): Trigger {
  const write = { ...trigger.write, isUnsure: true, wroteAt: now }
  return movedTo(trigger, write.by === 'paste' ? inComposer(write) : handedOver(write, now))
}

/**
 * A failure that was none: the agent took the prompt after the time limit. Undefined if the ack adds nothing new,
 * or if somebody has already retried it.
 */
export function arrivedTrigger(trigger: Trigger, ack: Ack, now: number): Trigger | undefined {
  if (trigger.state !== 'failed' || !trigger.write || trigger.answered?.kind === 'retried')
    return undefined
  return deliveredTrigger(trigger, ack, now)
}

function wrote(trigger: TriggerIn<'claimed'>, isUnknown: boolean, now: number): Trigger {
  const write = { ...trigger.write, wroteAt: now, isUnsure: trigger.write.isUnsure || isUnknown }
  if (write.by === 'paste') {
    return movedTo(trigger, inComposer({ ...write, pastes: write.pastes + 1, calmAt: undefined }))
  }
  return movedTo(trigger, handedOver(write, now))
}

/** A channel has no Enter to press: the harness has the prompt, or nobody knows. */
function handedOver(write: Write, now: number): Extract<Delivery, { state: 'submitted' }> {
  return { ...inComposer(write), state: 'submitted', enteredAt: now }
}

function inComposer(write: Write): Extract<Delivery, { state: 'written' }> {
  return { state: 'written', write, deferredAt: undefined, notBefore: undefined }
}

/** Nothing of it has reached the target, except possibly an earlier paste. */
function released(trigger: TriggerIn<'claimed'>, notBefore: number): Trigger {
  const { write } = trigger
  const refused = { notBefore, code: REFUSED }
  if (write.pastes > 0) return movedTo(trigger, { ...inComposer(write), ...refused })
  if (write.by === 'paste') return movedTo(trigger, { state: 'queued', ...refused })
  const closed = { ...trigger, isChannelClosed: true }
  return movedTo(closed, { state: 'queued', notBefore: undefined })
}

const REFUSED: FailureCode = 'SEND_KEYS_ERROR'

function notEntered(trigger: TriggerIn<'submitted'>, notBefore: number): Trigger {
  const write = { ...trigger.write, enters: trigger.write.enters - 1 }
  const refused = { notBefore, code: REFUSED }
  return write.enters === 0
    ? movedTo(trigger, { ...inComposer(write), ...refused })
    : { ...trigger, write, ...refused }
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
