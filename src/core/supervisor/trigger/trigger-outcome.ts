import type { SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { RuntimeEvent } from '../runtime/runtime-transition.ts'
import type { Ack } from './ack.ts'
import type { Fallback, Trigger } from './trigger.ts'
import { isTouchedSince, type TriggerSight } from './trigger-sight.ts'

/** What is known when one step of a delivery is decided. */
export type DeliveryStep = {
  trigger: Trigger
  sight: TriggerSight
  now: number
  rules: SupervisorRules
}

/**
 * The trigger as it is to be stored, and what is to be done once it is: never the other way round.
 * `events` are for the transition of its runtime; those that mean nothing in its status are passed over.
 */
export type TriggerOutcome = {
  trigger: Trigger
  act: TriggerAct
  events: readonly RuntimeEvent[]
  /** Its process has failed under the delivery: that counts for the runtime's budget. */
  hasFailed?: boolean
}

export type TriggerAct =
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
  return { trigger, act: { kind: 'wait', until }, events: [] }
}

export function failed({ trigger, now }: DeliveryStep, code: FailureCode): TriggerOutcome {
  return {
    trigger: { ...trigger, state: 'failed', code, settledAt: now },
    act: { kind: 'settle', outcome: 'failed', code },
    events: [droppedEvent(trigger)],
  }
}

export function delivered({ trigger, sight, now }: DeliveryStep, ack: Ack): TriggerOutcome {
  const { fallback } = trigger
  const isResumed = fallback?.launchedAt !== undefined && sight.pane === 'here'
  return {
    trigger: { ...trigger, state: 'delivered', ack, code: undefined, settledAt: now },
    act: { kind: 'settle', outcome: 'delivered', ack },
    events: !fallback ? ['ack_received'] : [isResumed ? 'resume_ok' : droppedEvent(trigger)],
  }
}

/** That its process is gone was our doing, or is counted already: it must not be counted once more. */
function droppedEvent({ fallback }: Trigger): RuntimeEvent {
  const isAccountedFor = fallback?.goneAt !== undefined || fallback?.stoppedAt !== undefined
  return isAccountedFor ? 'process_ended' : 'trigger_dropped'
}

/** What was begun is ended first: a process that is about to end must not be taken for one that runs. */
export function isEnding({ trigger, sight, now, rules }: DeliveryStep): boolean {
  const { stoppedAt, goneAt } = trigger.fallback ?? {}
  if (stoppedAt === undefined || goneAt !== undefined) return false
  const isThere = sight.pane === 'here' || sight.pane === 'unseen'
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
    events: ['retries_exhausted', 'defer_timeout'],
  }
}

/** Whether somebody types there: nothing is written, and nothing ended, under his hands. */
export function isOperatorBusy({ sight, now, rules }: DeliveryStep): boolean {
  return isTouchedSince(sight, now - rules.delivery.quietMs)
}

export function isFresh({ sight, now, rules }: DeliveryStep): boolean {
  return now - sight.lookedAt <= rules.delivery.freshMs
}
