import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { RuntimeEvent } from '../runtime/runtime-transition.ts'
import type { Ack } from './ack.ts'
import type { Trigger } from './trigger.ts'
import type { TriggerAct } from './trigger-outcome.ts'

/**
 * How an act went. `refused`: it is certain that nothing happened. `unknown`: nothing is certain, and
 * nothing may be concluded.
 */
export type ActResult = 'done' | 'refused' | 'unknown'

/** What is to be stored after an act; `hasFailed` counts for the runtime's budget. */
export type ActOutcome = { trigger: Trigger; events: readonly RuntimeEvent[]; hasFailed?: boolean }

/** `trigger` is the one that was stored before the act. */
export function afterAct(
  trigger: Trigger,
  act: TriggerAct,
  result: ActResult,
  now: number,
  rules: SupervisorRules = DEFAULT_RULES,
): ActOutcome {
  const notBefore = now + rules.delivery.recheckMs
  switch (act.kind) {
    case 'claim-and-write':
      if (result === 'refused') return released(trigger, notBefore)
      return act.by === 'paste' ? pasted(trigger, result, now) : handedOver(trigger, result, now)
    case 'press-enter':
      return result === 'refused'
        ? notEntered(trigger, notBefore)
        : { trigger, events: ['resend_ok'] }
    case 'fallback':
      return launched(trigger, act.how, result, now)
    case 'stop':
    case 'wait':
    case 'settle':
    case 'none':
      return { trigger, events: [] }
    default:
      return act satisfies never
  }
}

/**
 * A trigger as it was stored when the daemon ended, whatever it was about to do. It is never typed again:
 * what stands in the composer or in the session tells how far it got.
 */
export function recoveredTrigger(trigger: Trigger, now: number): ActOutcome {
  const events: RuntimeEvent[] = ['send_keys_ok', 'resend_ok']
  switch (trigger.state) {
    case 'claimed':
      return {
        trigger: {
          ...trigger,
          state: 'written',
          isUnsure: true,
          wroteAt: now,
          notBefore: undefined,
        },
        events,
      }
    case 'written':
    case 'submitted':
      return { trigger: { ...trigger, isUnsure: true }, events }
    case 'fallback':
      return { trigger, events: trigger.fallback?.spawns ? ['spawn_new_runtime'] : [] }
    case 'queued':
    case 'deferred':
    case 'delivered':
    case 'failed':
    case 'cancelled':
      return { trigger, events: [] }
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

function pasted(trigger: Trigger, result: 'done' | 'unknown', now: number): ActOutcome {
  const { pastes, isUnsure } = trigger
  return {
    trigger: {
      ...trigger,
      state: 'written',
      pastes: pastes + 1,
      calmAt: undefined,
      wroteAt: now,
      notBefore: undefined,
      isUnsure: isUnsure || result === 'unknown',
    },
    events: [pastes === 0 ? 'send_keys_ok' : 'resend_ok'],
  }
}

/** There is no Enter to press: the harness has it, or nobody knows. */
function handedOver(trigger: Trigger, result: 'done' | 'unknown', now: number): ActOutcome {
  return {
    trigger: {
      ...trigger,
      state: 'submitted',
      wroteAt: now,
      enteredAt: now,
      notBefore: undefined,
      isUnsure: result === 'unknown',
    },
    events: ['send_keys_ok'],
  }
}

/** Nothing of it has reached the target, unless an earlier paste has. */
function released(trigger: Trigger, notBefore: number): ActOutcome {
  const events: RuntimeEvent[] = ['send_keys_refused']
  if (trigger.pastes > 0) return { trigger: { ...trigger, state: 'written', notBefore }, events }
  const isChannel = trigger.isInChannel
  const free: Trigger = {
    ...trigger,
    state: 'queued',
    claimedAt: undefined,
    via: undefined,
    isInChannel: false,
    isChannelClosed: trigger.isChannelClosed || isChannel,
    notBefore: isChannel ? undefined : notBefore,
  }
  return { trigger: free, events }
}

function notEntered(trigger: Trigger, notBefore: number): ActOutcome {
  const enters = trigger.enters - 1
  const held: Trigger =
    enters === 0
      ? { ...trigger, state: 'written', enters, enteredAt: undefined, notBefore }
      : { ...trigger, enters, notBefore }
  return { trigger: held, events: ['send_keys_refused'] }
}

function launched(trigger: Trigger, how: Relaunch, result: ActResult, now: number): ActOutcome {
  const isSpawn = how === 'spawn'
  if (result !== 'refused') return { trigger, events: isSpawn ? ['spawn_new_runtime'] : [] }
  const code: FailureCode = isSpawn ? 'SPAWN_FAILED' : 'RESUME_FAILED'
  const { fallback } = trigger
  return {
    trigger: {
      ...trigger,
      code,
      fallback: fallback && { ...fallback, code, launchedAt: undefined, goneAt: now },
    },
    events: isSpawn ? ['spawn_failed'] : [],
    hasFailed: true,
  }
}
