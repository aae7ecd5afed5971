import type { FailureCode } from '../runtime/failure-code.ts'
import type { Relaunch } from '../runtime/restart.ts'
import type { Ack } from './ack.ts'
import type { Mark } from './mark.ts'

/** A prompt for a runtime, and how far its delivery has come. It is stored before anything is done. */
export type Trigger = TriggerFacts & Delivery

/** What is known of it in every state. */
export type TriggerFacts = {
  id: string
  mark: Mark
  runtimeId: string
  agentId: string
  threadId: string | undefined
  reason: string
  /** As it is typed, with its mark. */
  text: string
  /** Only an operator can do this, and only with a reason: nobody waits until he is done typing. */
  force: Force | undefined
  createdAt: number
  /** The harness's own channel has refused it. */
  isChannelClosed: boolean
}

/**
 * - `queued`     nothing was done yet. `deferred`: the same, and it gives way to somebody.
 * - `claimed`    the write is being made; after a crash nobody knows whether it was.
 * - `written`    it stands in the composer, as far as we know. `submitted`: Enter was pressed on it.
 * - `fallback`   it goes in with the launch of a process, once the old one is gone.
 * - `delivered`, `failed`, `cancelled`: the end.
 *
 * Nothing is tried before `notBefore`. `deferredAt` is since when it gives way to the operator.
 */
export type Delivery =
  | { state: 'queued'; notBefore: number | undefined }
  | { state: 'deferred'; code: FailureCode; deferredAt: number | undefined }
  | { state: 'claimed'; write: Write; notBefore: number }
  | ({ state: 'written' } & InComposer)
  | ({ state: 'submitted'; enteredAt: number } & InComposer)
  | ({ state: 'fallback'; fallback: Fallback } & Attempts)
  | ({ state: 'delivered'; ack: Ack; via: DeliveryWay; settledAt: number } & Attempts)
  | ({ state: 'failed'; code: FailureCode } & Unsuccessful)
  | ({ state: 'cancelled'; code: FailureCode | undefined } & Unsuccessful)

type InComposer = {
  write: Write
  deferredAt: number | undefined
  notBefore: number | undefined
}

/** What was tried to deliver it. */
type Attempts = { write: Write | undefined; fallback: Fallback | undefined }

/** `answered` is what the operator has done about it; undefined while it is his to settle. */
type Unsuccessful = Attempts & { settledAt: number; answered: TriggerAnswer | undefined }

/** `as` is the trigger that says the same again. */
export type TriggerAnswer = { kind: 'retried'; as: string } | { kind: 'seen' }

/** What may have reached the target while its process ran. */
export type Write = {
  /** `channel`: the harness has it, or may have. It keeps it beyond the process: it is never given again. */
  by: 'channel' | 'paste'
  /** Since when something of it may have reached the target. */
  claimedAt: number
  /** The last paste, or the handing over to the harness's own channel; until then, the claim. */
  wroteAt: number
  pastes: number
  /** After more than one paste: until then, the other copy may still come. */
  calmAt: number | undefined
  enters: number
  /** Nobody knows whether the write happened: it is never typed again. */
  isUnsure: boolean
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

export type TriggerRequest = Omit<TriggerFacts, 'createdAt' | 'isChannelClosed'>

export function newTrigger(request: TriggerRequest, now: number): Trigger {
  const delivery: Delivery = { state: 'queued', notBefore: undefined }
  return { ...request, createdAt: now, isChannelClosed: false, ...delivery }
}

/** The same trigger, with nothing left of how far its delivery had come before. */
export function movedTo(trigger: TriggerFacts, delivery: Delivery): Trigger {
  const { id, mark, runtimeId, agentId, threadId, reason, text, force } = trigger
  const { createdAt, isChannelClosed } = trigger
  const request = { id, mark, runtimeId, agentId, threadId, reason, text, force }
  return { ...request, createdAt, isChannelClosed, ...delivery }
}

/** Undefined while nothing of it can have reached a process that runs. */
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

/** How it was last tried to deliver it. */
export function viaOf(trigger: Trigger): DeliveryWay | undefined {
  const { resumes = 0, spawns = 0 } = fallbackIn(trigger) ?? {}
  return spawns > 0 ? 'spawn' : resumes > 0 ? 'resume' : writeIn(trigger)?.by
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

/** Whether its delivery is in charge of the process. A session that it began is the reconcile loop's. */
export function ownsProcess(trigger: Trigger): boolean {
  return isInHand(trigger) && !fallbackIn(trigger)?.spawns
}

/** Before that, nothing of it can have been taken. */
export function earliestWrite(trigger: Trigger): number {
  return writeIn(trigger)?.claimedAt ?? trigger.createdAt
}

export function lastClaimed(triggers: readonly Trigger[]): Trigger | undefined {
  return triggers
    .filter(writeIn)
    .toSorted((a, b) => earliestWrite(a) - earliestWrite(b))
    .at(-1)
}

/** Undefined where it is too late: something of it may have reached the target. */
export function cancelledTrigger(trigger: Trigger, now: number): Trigger | undefined {
  if (isSettled(trigger) || mayHaveBeenTaken(trigger)) return undefined
  const attempts = { write: undefined, fallback: fallbackIn(trigger) }
  const end = { code: codeOf(trigger), settledAt: now, answered: undefined }
  return movedTo(trigger, { state: 'cancelled', ...end, ...attempts })
}

/** Whether the target can have got the prompt, or may yet. */
export function mayHaveBeenTaken(trigger: Trigger): boolean {
  return viaOf(trigger) !== undefined
}
