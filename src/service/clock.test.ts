import { afterEach, expect, test, vi } from 'vitest'
import { AdmissionClock } from './clock.ts'

afterEach(() => vi.restoreAllMocks())

test('starts after the last admission, even if the wall clock was set back since', () => {
  const future = Date.now() + 3_600_000
  expect(new AdmissionClock(future).now()).toBeGreaterThan(future)
})

test('does not move with the wall clock', () => {
  const clock = new AdmissionClock(0)
  const before = clock.now()
  const wall = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(wall - 3_600_000)
  expect(clock.now()).toBeGreaterThanOrEqual(before)
  expect(clock.now()).toBeLessThan(before + 60_000)
  vi.spyOn(Date, 'now').mockReturnValue(wall + 86_400_000)
  expect(clock.now()).toBeLessThan(before + 60_000)
})

test('places a current event at now, whatever the wall clock was set to', () => {
  const clock = new AdmissionClock(0)
  const wall = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(wall - 3_600_000)
  expect(Math.abs(clock.fromWall(Date.now()) - clock.now())).toBeLessThan(60_000)
})

test('nothing happened later than now', () => {
  const clock = new AdmissionClock(0)
  expect(clock.fromWall(Date.now() + 1e9)).toBeLessThanOrEqual(clock.now())
})

test('places the same wall-clock time at the same instant, however the two clocks tick', () => {
  const clock = new AdmissionClock(0)
  const past = Date.now() - 1_000
  const deadline = performance.now() + 30
  const placed = new Set<number>()
  while (performance.now() < deadline) placed.add(clock.fromWall(past))
  expect(placed.size).toBe(1)
})

test('keeps two neighbouring milliseconds of the wall clock apart', () => {
  for (let times = 0; times < 20; times++) {
    const clock = new AdmissionClock(0)
    const first = Date.now()
    const placed = clock.fromWall(first)
    while (Date.now() <= first);
    expect(clock.fromWall(Date.now())).toBeGreaterThan(placed)
  }
})

test('a pause between its two readings does not look like a clock that was set', () => {
  const clock = new AdmissionClock(0)
  const wall = Date.now()
  const monotonic = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(monotonic + 500)
  vi.spyOn(Date, 'now')
    .mockReturnValue(wall + 500)
    .mockReturnValueOnce(wall)
  expect(clock.toWall(wall)).toBe(wall)
})
