import type { Ack } from '../supervisor/trigger/ack.ts'

/** The last sign of life that a runtime sent over the bridge. */
export type RuntimeHeartbeat = { runtimeId: string; status: HeartbeatStatus; at: number }

export const HEARTBEAT_STATUSES = ['starting', 'active', 'idle', 'blocked', 'stopping'] as const

export type HeartbeatStatus = (typeof HEARTBEAT_STATUSES)[number]

/**
 * The runtime is at work or ready for it after it was prompted. This is the weakest ack: it shows that somebody is
 * there, not that this prompt was read. A heartbeat of the same millisecond may come from before the prompt.
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
