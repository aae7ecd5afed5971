import { describe, expect, test } from 'vitest'
import { HEARTBEAT_STATUSES, heartbeatAck, isSilent, laterHeartbeat } from './heartbeat.ts'

const beat = { runtimeId: 'rt_1', status: 'idle' as const, at: 200 }
const prompted = { runtimeId: 'rt_1', at: 150 }

describe('a heartbeat', () => {
  test('that arrives late changes nothing', () => {
    const late = { ...beat, status: 'active' as const, at: 199 }
    expect(laterHeartbeat(beat, late)).toBe(beat)
    expect(laterHeartbeat(late, beat)).toBe(beat)
    expect(laterHeartbeat(undefined, beat)).toBe(beat)
  })

  test('is an ack only when it is active or idle', () => {
    const acks = HEARTBEAT_STATUSES.filter((status) => heartbeatAck({ ...beat, status }, prompted))
    expect(acks).toEqual(['active', 'idle'])
  })

  test('is an ack only of its own runtime, after the prompt', () => {
    expect(heartbeatAck(beat, prompted)).toEqual({ kind: 'heartbeat', at: 200 })
    expect(heartbeatAck(beat, { ...prompted, at: 200 })).toBeUndefined()
    expect(heartbeatAck(beat, { ...prompted, runtimeId: 'rt_2' })).toBeUndefined()
    expect(heartbeatAck(undefined, prompted)).toBeUndefined()
  })

  test('that is missing makes a runtime silent, from its start if there never was one', () => {
    expect([isSilent(beat, 0, 300, 100), isSilent(beat, 0, 301, 100)]).toEqual([false, true])
    expect(isSilent(undefined, 250, 300, 100)).toBe(false)
    expect(isSilent(undefined, 0, 300, 100)).toBe(true)
  })
})
