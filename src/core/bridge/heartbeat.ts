import type { Ack } from '../supervisor/trigger/ack.ts'

/** The last sign that a runtime gave of itself over the bridge. */
export type RuntimeHeartbeat = { runtimeId: string; status: HeartbeatStatus; at: number }

export const HEARTBEAT_STATUSES = ['starting', 'active', 'idle', 'blocked', 'stopping'] as const

export type HeartbeatStatus = (typeof HEARTBEAT_STATUSES)[number]

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
