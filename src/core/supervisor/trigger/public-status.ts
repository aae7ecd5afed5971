import type { Runtime } from '../runtime/runtime.ts'
import { isInHand, ownsProcess, type Trigger } from './trigger.ts'

/** A runtime as its operator sees it: its lifecycle, and the progress of the trigger being delivered. */
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
  if (status === 'starting' && !runtime.pane && inHand && !ownsProcess(inHand)) {
    return { status: 'spawn_recovery', since: statusAt }
  }
  if (status !== 'ready') return { status, since: statusAt }
  const delivery = inHand && ownsProcess(inHand) && deliveryTo(inHand)
  if (delivery) return delivery
  const ends = triggers.map((one) =>
    'settledAt' in one && (one.write || one.fallback) ? one.settledAt : 0,
  )
  return { status, since: Math.max(statusAt, ...ends) }
}

function deliveryTo(trigger: Trigger): { status: PublicStatus; since: number } | undefined {
  switch (trigger.state) {
    case 'claimed': {
      const { pastes, wroteAt } = trigger.write
      return { status: pastes === 0 ? 'triggering' : 'retrying', since: wroteAt }
    }
    case 'written':
      return { status: 'awaiting_ack', since: trigger.write.wroteAt }
    case 'submitted': {
      const { enters, wroteAt } = trigger.write
      return { status: 'awaiting_ack', since: enters > 1 ? trigger.enteredAt : wroteAt }
    }
    case 'fallback':
      return { status: 'fallback_resume', since: trigger.fallback.since }
    default:
      return undefined
  }
}
