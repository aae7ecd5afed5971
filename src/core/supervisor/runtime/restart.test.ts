import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_RULES } from '../defaults.ts'
import { isResumable, restartPlan } from './restart.ts'

const NOW = 100_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

test.each([
  ['none', [], { restart: 'resume', atMs: NOW }],
  ['one', [NOW], { restart: 'resume', atMs: NOW + 1_000 }],
  ['two', [NOW - 10, NOW], { restart: 'resume', atMs: NOW + 5_000 }],
  ['three', [NOW - 20, NOW - 10, NOW], { restart: 'spawn', atMs: NOW + 15_000 }],
  ['four', [NOW - 30, NOW - 20, NOW - 10, NOW], 'failed'],
  ['five', [NOW - 40, NOW - 30, NOW - 20, NOW - 10, NOW], 'failed'],
] as const)('after %s within the window', (_, failures, plan) => {
  expect(restartPlan(failures, NOW)).toEqual(plan)
})

test('a failure counts for fifteen minutes, and not a moment longer', () => {
  const three = [NOW, NOW + 1, NOW + 2]
  expect(restartPlan(three, NOW + 15 * MINUTE - 1)).toMatchObject({ restart: 'spawn' })
  expect(restartPlan(three, NOW + 15 * MINUTE)).toMatchObject({ restart: 'resume' })
  expect(restartPlan(three, NOW + 15 * MINUTE + 2)).toEqual({
    restart: 'resume',
    atMs: NOW + 15 * MINUTE + 2,
  })
})

test('failures further apart than the window never add up', () => {
  const failures = [0, 1, 2, 3, 4, 5].map((n) => NOW + n * 16 * MINUTE)
  for (const [n, at] of failures.entries()) {
    expect(restartPlan(failures.slice(0, n + 1), at)).toEqual({
      restart: 'resume',
      atMs: at + 1_000,
    })
  }
})

test('after the clock was set back, nobody waits longer than the backoff', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2 * NOW), { maxLength: 3 }), fc.nat(2 * NOW), (times, now) => {
      const plan = restartPlan(
        times.toSorted((a, b) => a - b),
        now,
      )
      if (plan !== 'failed') expect(plan.atMs).toBeLessThanOrEqual(now + 15_000)
    }),
  )
})

test.each([
  ['just heard of', 's', NOW, true],
  ['heard of 12 hours ago', 's', NOW - 12 * HOUR, true],
  ['heard of longer ago', 's', NOW - 12 * HOUR - 1, false],
  ['never heard of', 's', undefined, true],
  ['not known', undefined, NOW, false],
])('a session that was %s is resumed: %#', (_, sessionId, lastHeartbeatAt, expected) => {
  const session = { sessionId, lastHeartbeatAt }
  expect(isResumable(session, NOW, DEFAULT_RULES.restart)).toBe(expected)
})
