import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { Ack } from './ack.ts'
import type { Mark } from './mark.ts'

/** A prompt for a runtime, and how far its delivery has come. It is stored before anything is done. */
export type Trigger = {
  id: string
  mark: Mark
  runtimeId: string
  agentId: string
  threadId: string | undefined
  reason: string
  /** As it is typed, with its mark. */
  text: string
  createdAt: number
  /** Only an operator can do this, and only with a reason: nobody waits until he is done typing. */
  force: Force | undefined
  state: TriggerState
  /** Since when it gives way to the operator. */
  deferredAt: number | undefined
  /** Nothing is tried before that. */
  notBefore: number | undefined
  via: DeliveryWay | undefined
  /** Since when it may be that something of it has reached the target. */
  claimedAt: number | undefined
  /** The last paste, or the handing over to the harness's own channel. */
  wroteAt: number | undefined
  pastes: number
  /** After more than one paste: until then, the other copy may still come. */
  calmAt: number | undefined
  enteredAt: number | undefined
  enters: number
  /** Nobody knows whether the write happened: it is never typed again. */
  isUnsure: boolean
  /** The harness's own channel has it, or may have. It keeps it beyond the process: it is never given again. */
  isInChannel: boolean
  /** The harness's own channel has refused it. */
  isChannelClosed: boolean
  fallback: Fallback | undefined
  /** What showed that it arrived. */
  ack: Ack | undefined
  /** Why it waits, or why it failed. */
  code: FailureCode | undefined
  settledAt: number | undefined
  /** What the operator has done about a failure; undefined while it is his to settle. */
  answered: TriggerAnswer | undefined
}

/** `as` is the trigger that says the same again. */
type TriggerAnswer = { kind: 'retried'; as: string } | { kind: 'seen' }

/**
 * - `queued`     nothing was done yet. `deferred`: the same, and it gives way to somebody.
 * - `claimed`    the write is being made; after a crash nobody knows whether it was.
 * - `written`    it stands in the composer, as far as we know. `submitted`: Enter was pressed on it.
 * - `fallback`   it goes in with the launch of a process, once the old one is gone.
 * - `delivered`, `failed`, `cancelled`: the end.
 */
export type TriggerState = (typeof TRIGGER_STATES)[number]

export const TRIGGER_STATES = [
  'queued',
  'deferred',
  'claimed',
  'written',
  'submitted',
  'fallback',
  'delivered',
  'failed',
  'cancelled',
] as const

export type Force = { by: string; why: string }

/** `channel`: the harness's own. */
export type DeliveryWay = 'channel' | 'paste' | Relaunch

export type Fallback = {
  /** Why it came to this. */
  code: FailureCode
  since: number
  resumes: number
  spawns: number
  /** When a process was last launched with the prompt; undefined once that one is gone. */
  launchedAt: number | undefined
  /** When the process that is there was last made to end. */
  stoppedAt: number | undefined
  /** When the last process was seen to be gone. */
  goneAt: number | undefined
}

export type TriggerRequest = Pick<
  Trigger,
  'id' | 'mark' | 'runtimeId' | 'agentId' | 'threadId' | 'reason' | 'text' | 'force'
>

export function newTrigger(request: TriggerRequest, now: number): Trigger {
  return {
    ...request,
    createdAt: now,
    state: 'queued',
    deferredAt: undefined,
    notBefore: undefined,
    via: undefined,
    claimedAt: undefined,
    wroteAt: undefined,
    pastes: 0,
    calmAt: undefined,
    enteredAt: undefined,
    enters: 0,
    isUnsure: false,
    isInChannel: false,
    isChannelClosed: false,
    fallback: undefined,
    ack: undefined,
    code: undefined,
    settledAt: undefined,
    answered: undefined,
  }
}

export function isSettled({ state }: Pick<Trigger, 'state'>): boolean {
  return state === 'delivered' || state === 'failed' || state === 'cancelled'
}

/** States in which a trigger is on its way: of a runtime, one at most. */
export const IN_HAND = [
  'claimed',
  'written',
  'submitted',
  'fallback',
] as const satisfies TriggerState[]

export function isInHand({ state }: Pick<Trigger, 'state'>): boolean {
  return IN_HAND.some((one) => one === state)
}

export function lastClaimed(triggers: readonly Trigger[]): Trigger | undefined {
  return triggers
    .filter(({ claimedAt }) => claimedAt !== undefined)
    .toSorted((a, b) => (a.claimedAt ?? 0) - (b.claimedAt ?? 0))
    .at(-1)
}

/** Undefined where it is too late: something of it may have reached the target. */
export function cancelledTrigger(trigger: Trigger, now: number): Trigger | undefined {
  if (isSettled(trigger) || mayHaveBeenTaken(trigger)) return undefined
  return { ...trigger, state: 'cancelled', settledAt: now }
}

/** Whether the target can have got the prompt, or may yet. */
export function mayHaveBeenTaken({ claimedAt, fallback }: Trigger): boolean {
  return (
    claimedAt !== undefined || (fallback !== undefined && fallback.resumes + fallback.spawns > 0)
  )
}
