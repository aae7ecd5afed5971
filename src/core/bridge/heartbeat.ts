import type { Ack } from '../supervisor/ack.ts'

/** The last sign that a runtime gave of itself over the bridge. */
export type RuntimeHeartbeat = { runtimeId: string; status: HeartbeatStatus; at: number }

export const HEARTBEAT_STATUSES = ['starting', 'active', 'idle', 'blocked', 'stopping'] as const

export type HeartbeatStatus = (typeof HEARTBEAT_STATUSES)[number]

/** One that arrives late changes nothing. */
export function laterHeartbeat(
  known: RuntimeHeartbeat | undefined,
  told: RuntimeHeartbeat,
): RuntimeHeartbeat {
  return known && known.at > told.at ? known : told
}

/**
 * That the runtime is at work or ready for it after it was prompted. The weakest of all acks: it says that
 * somebody is there, not that this prompt was read. One of the same millisecond may be from before.
 */
export function heartbeatAck(
  beat: RuntimeHeartbeat | undefined,
  prompted: { runtimeId: string; at: number },
): Ack | undefined {
  if (beat?.runtimeId !== prompted.runtimeId || beat.at <= prompted.at) return undefined
  return beat.status === 'active' || beat.status === 'idle'
    ? { kind: 'heartbeat', at: beat.at }
    : undefined
}

/** True when nothing was heard for longer than `mostMs`; a runtime never heard of is silent since `startedAt`. */
export function isSilent(
  beat: RuntimeHeartbeat | undefined,
  startedAt: number,
  now: number,
  mostMs: number,
): boolean {
  return now - (beat?.at ?? startedAt) > mostMs
}
