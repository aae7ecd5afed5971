import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { sessionKey } from '../../core/session/event.ts'

const HOUR_MS = 3_600_000
const key = sessionKey('x', 'a')

let world: TestHerd
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  world = createTestHerd()
  world.ingest.event({
    ...{ v: 1, kind: 'stuck', harness: 'x', session: 'a', source: 'api', reason: 'stopped' },
    ...{ at: Date.now(), ask: { text: 'Well?' } },
  })
})
afterEach(() => {
  world[Symbol.dispose]()
  vi.useRealTimers()
})

const remainingMs = () => world.herd.session(key)!.item!.readyAt - world.herd.clock.now()
const setClock = (by: number) => vi.setSystemTime(Date.now() + by)

test.each([HOUR_MS, -HOUR_MS])('a clock set by %i ms moves a snooze until a named time', (by) => {
  world.herd.skip(key, { cooldownMs: 3 * HOUR_MS, until: Date.now() + 3 * HOUR_MS })
  setClock(by)
  world.herd.followWallClock()
  expect(Math.abs(remainingMs() - (3 * HOUR_MS - by))).toBeLessThan(2_000)
  const before = world.herd.version
  world.herd.followWallClock()
  expect(world.herd.version).toBe(before)
})

test('a named time that the clock was set beyond is over', () => {
  world.herd.skip(key, { cooldownMs: HOUR_MS, until: Date.now() + HOUR_MS })
  setClock(2 * HOUR_MS)
  world.herd.followWallClock()
  expect(remainingMs()).toBeLessThan(100)
})

test('a snooze for a while lasts that long, whatever the clock is set to', () => {
  world.herd.skip(key, { cooldownMs: HOUR_MS })
  setClock(2 * HOUR_MS)
  world.herd.followWallClock()
  expect(Math.abs(remainingMs() - HOUR_MS)).toBeLessThan(2_000)
})
