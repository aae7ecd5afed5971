import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HeartbeatView } from '../../../contract/bridge-tools.ts'
import { type ErrorCode, TrailBossError } from '../../../core/errors.ts'
import { BridgePulse } from './bridge-pulse.ts'

const EVERY_MS = 60_000
const good: HeartbeatView = { status: null, expiresAt: 0, beatEveryMs: EVERY_MS, unread: [] }
let beats: number
let answer: () => Promise<HeartbeatView>
let pulse: BridgePulse

beforeEach(() => {
  vi.useFakeTimers()
  beats = 0
  answer = async () => good
  pulse = new BridgePulse(() => {
    beats++
    return answer()
  })
})
afterEach(() => {
  pulse[Symbol.dispose]()
  vi.useRealTimers()
})

const refused = (code: ErrorCode) => async () => {
  throw new TrailBossError(code, 'x')
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('beats at once, and then as often as the daemon says', async () => {
  await pulse.start()
  expect(beats).toBe(1)
  await pass(10 * EVERY_MS)
  expect(beats).toBe(11)
})

test.each<ErrorCode>(['DAEMON_DOWN', 'DAEMON_HUNG', 'INTERNAL', 'NOT_FOUND'])(
  'tries again soon after %s',
  async (code) => {
    await pulse.start()
    answer = refused(code)
    await pass(EVERY_MS)
    expect(beats).toBe(2)
    await pass(15_000)
    expect(beats).toBe(5)
    answer = async () => good
    await pass(5_000 + EVERY_MS)
    expect(beats).toBe(7)
  },
)

test('tries again no later than it would beat', async () => {
  answer = async () => ({ ...good, beatEveryMs: 100 })
  await pulse.start()
  answer = refused('DAEMON_DOWN')
  await pass(1_000)
  expect(beats).toBe(11)
})

test('stops beating once its token is refused', async () => {
  answer = refused('UNAUTHORIZED')
  await pulse.start()
  answer = async () => good
  await pass(10 * EVERY_MS)
  expect(beats).toBe(1)
})

test('stops beating if a tool is refused for its token, and for no other reason', async () => {
  await pulse.start()
  pulse.notice(new TrailBossError('THREAD_BLOCKED', 'x'))
  pulse.notice(new Error('x'))
  await pass(EVERY_MS)
  expect(beats).toBe(2)
  pulse.notice(new TrailBossError('UNAUTHORIZED', 'x'))
  await pass(10 * EVERY_MS)
  expect(beats).toBe(2)
})

test('stops after a beat that was under way when it ended', async () => {
  const late = Promise.withResolvers<HeartbeatView>()
  answer = () => late.promise
  const started = pulse.start()
  pulse[Symbol.dispose]()
  late.resolve(good)
  await started
  await pass(10 * EVERY_MS)
  expect(beats).toBe(1)
})
