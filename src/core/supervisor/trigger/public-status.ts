import type { Runtime } from '../runtime/runtime.ts'
import { isInHand, type Trigger } from './trigger.ts'

/** A runtime as its operator sees it: its lifecycle, and how far the trigger in its hands has come. */
export type PublicStatus = (typeof PUBLIC_STATUSES)[number]

export const PUBLIC_STATUSES = [
  'starting',
  'ready',
  'triggering',
  'awaiting_ack',
  'retrying',
  'fallback_resume',
  'spawn_recovery',
  'offline',
  'failed',
  'stopping',
  'stopped',
] as const

/** `triggers` are those of the runtime. */
export function publicStatus(
  runtime: Runtime,
  triggers: readonly Trigger[],
): { status: PublicStatus; since: number } {
  const { status, statusAt } = runtime
  const inHand = triggers.find(isInHand)
  if (status === 'given-up') return { status: 'failed', since: statusAt }
  if (status === 'starting' && runtime.pane === undefined && inHand?.fallback?.spawns) {
    return { status: 'spawn_recovery', since: statusAt }
  }
  if (status !== 'ready') return { status, since: statusAt }
  const delivery = inHand && deliveryTo(inHand)
  if (delivery) return { ...delivery, since: delivery.since ?? statusAt }
  const ends = triggers.map(({ claimedAt, fallback, settledAt = 0 }) =>
    claimedAt !== undefined || fallback ? settledAt : 0,
  )
  return { status, since: Math.max(statusAt, ...ends) }
}

function deliveryTo(trigger: Trigger): Delivery | undefined {
  const { state, pastes, enters, claimedAt, wroteAt, enteredAt, fallback } = trigger
  switch (state) {
    case 'claimed':
      return pastes === 0
        ? { status: 'triggering', since: claimedAt }
        : { status: 'retrying', since: wroteAt }
    case 'written':
      return { status: 'awaiting_ack', since: wroteAt }
    case 'submitted':
      return { status: 'awaiting_ack', since: enters > 1 ? enteredAt : wroteAt }
    case 'fallback':
      // A session that it began is the reconcile loop's.
      return fallback?.spawns ? undefined : { status: 'fallback_resume', since: fallback?.since }
    case 'queued':
    case 'deferred':
    case 'delivered':
    case 'failed':
    case 'cancelled':
      return undefined
    default:
      return state satisfies never
  }
}

type Delivery = { status: PublicStatus; since: number | undefined }
