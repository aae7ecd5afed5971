import { describe, expect, test } from 'vitest'
import { HEARTBEAT_STATUSES, heartbeatAck } from './heartbeat.ts'

const beat = { runtimeId: 'rt_1', status: 'idle' as const, at: 200 }
const prompted = { runtimeId: 'rt_1', at: 150 }

describe('a heartbeat', () => {
  test('is an ack only if it is active or idle', () => {
    const acks = HEARTBEAT_STATUSES.filter((status) => heartbeatAck({ ...beat, status }, prompted))
    expect(acks).toEqual(['active', 'idle'])
  })

  test('is an ack only for its own runtime, after the prompt', () => {
    expect(heartbeatAck(beat, prompted)).toEqual({ kind: 'heartbeat', at: 200 })
    expect(heartbeatAck(beat, { ...prompted, at: 200 })).toBeUndefined()
    expect(heartbeatAck(beat, { ...prompted, runtimeId: 'rt_2' })).toBeUndefined()
    expect(heartbeatAck(undefined, prompted)).toBeUndefined()
  })
})
