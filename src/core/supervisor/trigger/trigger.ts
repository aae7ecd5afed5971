import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { Ack } from './ack.ts'
import type { Mark } from './mark.ts'

/** A prompt for a runtime, and the progress of its delivery. It is stored before anything is done. */
export type Trigger = TriggerFacts & Delivery

/** What is known of it in every state. */
export type TriggerFacts = {
  id: string
  mark: Mark
  runtimeId: string
  agentId: string
  threadId: string | undefined
  reason: string
  /** As it is typed, with its mark. Once it will not be typed again, without its secrets. */
  text: string
  /** The print of the text before its secrets were removed. */
  given?: TextPrint
  /** Only an operator can force a trigger, and only with a reason: it does not wait until they have finished typing. */
  force: Force | undefined
  createdAt: number
  /** The harness's own channel has refused it. */
  isChannelClosed: boolean
  /** How it first left us; undefined until then. Records of an earlier version lack it. */
  sent?: DeliveryWay | undefined
}

/** What can be known of a text that is no longer stored. */
export type TextPrint = { bytes: number; sha256: string }

/**
 * - `queued`     nothing was done yet. `deferred`: the same, and it waits for somebody who types.
 * - `claimed`    the write is being made; after a crash nobody knows whether it was.
 * - `written`    it is in the composer, as far as we know. `submitted`: Enter was pressed on it.
 * - `fallback`   it goes in with the launch of a process, once the old one is gone.
 * - `delivered`, `failed`, `cancelled`: the end.
 *
 * Nothing is tried before `notBefore`. `deferredAt` is when it began to wait for the operator. `code` says why it
 * waits: tmux refused its last write.
 */
export type Delivery =
  | { state: 'queued'; notBefore: number | undefined; code?: FailureCode | undefined }
  | { state: 'deferred'; code: FailureCode; deferredAt: number | undefined }
  | { state: 'claimed'; write: Write; notBefore: number }
  | ({ state: 'written' } & InComposer)
  | ({ state: 'submitted'; enteredAt: number } & InComposer)
  | ({ state: 'fallback'; fallback: Fallback } & Attempts)
  | ({ state: 'delivered'; ack: Ack; via: DeliveryWay; settledAt: number } & Attempts)
  | ({ state: 'failed'; code: FailureCode; screen?: string | undefined } & Unsuccessful)
  | ({ state: 'cancelled'; code: FailureCode | undefined } & Unsuccessful)

type InComposer = {
  write: Write
  deferredAt: number | undefined
  notBefore: number | undefined
  code?: FailureCode | undefined
}

/** The delivery attempts so far. */
type Attempts = { write: Write | undefined; fallback: Fallback | undefined }

/** `answered` is what the operator has done about it; undefined until they settle it. */
type Unsuccessful = Attempts & { settledAt: number; answered: TriggerAnswer | undefined }

/** `as` is the trigger that repeats it. */
export type TriggerAnswer = { kind: 'retried'; as: string } | { kind: 'seen' }

/** What may have reached the target while its process ran. */
export type Write = {
  /** `channel`: the harness has it, or may have. It keeps the prompt beyond the process, so it is never given again. */
  by: 'channel' | 'paste'
  /** Since when something of it may have reached the target. */
  claimedAt: number
  /** The last paste, or the hand-over to the harness's own channel; until then, the claim. */
  wroteAt: number
  pastes: number
  /** After more than one paste: until this time, the other copy may still come. */
  calmAt: number | undefined
  enters: number
  /** Nobody knows whether the write happened: it is never typed again, unless evidence shows that it did not. */
  isUnsure: boolean
  /** Since when neither its channel nor its session has it. Records of an earlier version lack it. */
  missedAt?: number | undefined
}

export type TriggerState = Delivery['state']

export type TriggerIn<S extends TriggerState> = Extract<Trigger, { state: S }>

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
] as const satisfies TriggerState[]

export type Force = { by: string; why: string }

/** `channel`: the harness's own. */
export type DeliveryWay = Write['by'] | Relaunch

export type Fallback = {
  /** Why the fallback began. */
  code: FailureCode
  since: number
  resumes: number
  spawns: number
  /** When a process was last launched with the prompt; undefined once that process is gone. */
  launchedAt: number | undefined
  /** When the current process was last asked to end. */
  stoppedAt: number | undefined
  /** When the last process was seen gone. */
  goneAt: number | undefined
}

export type TriggerRequest = Omit<TriggerFacts, 'createdAt' | 'isChannelClosed' | 'given' | 'sent'>

export function newTrigger(request: TriggerRequest, now: number): Trigger {
  const delivery: Delivery = { state: 'queued', notBefore: undefined }
  return { ...request, createdAt: now, isChannelClosed: false, ...delivery }
}

/** The same trigger in another delivery state, with nothing left of the previous one. */
export function movedTo(trigger: TriggerFacts, delivery: Delivery): Trigger {
  const { id, mark, runtimeId, agentId, threadId, reason, text, force } = trigger
  const { createdAt, isChannelClosed, given, sent } = trigger
  const request = { id, mark, runtimeId, agentId, threadId, reason, text, force }
  const known = { ...(given && { given }), ...(sent && { sent }) }
  return { ...request, createdAt, isChannelClosed, ...known, ...delivery }
}

/** Undefined while nothing of it can have reached a running process. */
export function writeIn(trigger: Trigger): Write | undefined {
  return 'write' in trigger ? trigger.write : undefined
}

export function fallbackIn(trigger: Trigger): Fallback | undefined {
  return 'fallback' in trigger ? trigger.fallback : undefined
}

/** Why it waits, or why it failed. */
export function codeOf(trigger: Trigger): FailureCode | undefined {
  if (trigger.state === 'fallback') return trigger.fallback.code
  return 'code' in trigger ? trigger.code : undefined
}

/** The last way in which delivery was tried. */
export function viaOf(trigger: Trigger): DeliveryWay | undefined {
  const { resumes = 0, spawns = 0 } = fallbackIn(trigger) ?? {}
  return spawns > 0 ? 'spawn' : resumes > 0 ? 'resume' : writeIn(trigger)?.by
}

export function isSettled({ state }: Pick<Trigger, 'state'>): boolean {
  return state === 'delivered' || state === 'failed' || state === 'cancelled'
}

/** States in which a trigger is being delivered. A runtime has at most one such trigger. */
export const IN_HAND = [
  'claimed',
  'written',
  'submitted',
  'fallback',
] as const satisfies TriggerState[]

export function isInHand({ state }: Pick<Trigger, 'state'>): boolean {
  return IN_HAND.some((one) => one === state)
}

/** Whether its delivery controls the process. A session that it began belongs to the reconcile loop. */
export function ownsProcess(trigger: Trigger): boolean {
  return isInHand(trigger) && !fallbackIn(trigger)?.spawns
}

/** Nothing of it can have been taken before this time. */
export function earliestWrite(trigger: Trigger): number {
  return writeIn(trigger)?.claimedAt ?? trigger.createdAt
}

export function lastClaimed(triggers: readonly Trigger[]): Trigger | undefined {
  return triggers
    .filter(writeIn)
    .toSorted((a, b) => earliestWrite(a) - earliestWrite(b))
    .at(-1)
}

/** Undefined if it is too late: something of it may have reached the target. */
export function cancelledTrigger(trigger: Trigger, now: number): Trigger | undefined {
  if (isSettled(trigger) || mayHaveBeenTaken(trigger)) return undefined
  const attempts = { write: undefined, fallback: fallbackIn(trigger) }
  const end = { code: codeOf(trigger), settledAt: now, answered: undefined }
  return movedTo(trigger, { state: 'cancelled', ...end, ...attempts })
}

/** Whether the target can have received the prompt, or may yet. */
export function mayHaveBeenTaken(trigger: Trigger): boolean {
  return viaOf(trigger) !== undefined
}
