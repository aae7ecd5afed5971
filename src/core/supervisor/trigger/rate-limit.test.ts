import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_RULES } from '../defaults.ts'
import { rateLimitedUntil } from './rate-limit.ts'

const RULES = { windowMs: 60_000, perThread: 2, perAgent: 3 }

test.each([
  ['nothing lately', { ofThread: [], ofAgent: [] }, undefined],
  ['room in both', { ofThread: [90_000], ofAgent: [90_000, 95_000] }, undefined],
  ['a full thread', { ofThread: [90_000, 95_000], ofAgent: [] }, 150_000],
  ['a full agent', { ofThread: [], ofAgent: [90_000, 95_000, 99_000] }, 150_000],
  ['both full', { ofThread: [80_000, 81_000], ofAgent: [90_000, 95_000, 99_000] }, 150_000],
  ['what is out of the window', { ofThread: [40_000, 99_000], ofAgent: [] }, undefined],
  ['times in the future', { ofThread: [900_000, 990_000], ofAgent: [] }, 160_000],
])('with %s', (_, recent, until) => {
  expect(rateLimitedUntil(recent, 100_000, RULES)).toBe(until)
})

test('a sender that waits as required never exceeds the limit within a window', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40_000), { maxLength: 60 }), (pauses) => {
      const sent: number[] = []
      let now = 0
      for (const pause of pauses) {
        now += pause
        now = rateLimitedUntil({ ofThread: sent, ofAgent: sent }, now) ?? now
        sent.push(now)
      }
      const { windowMs, perThread } = DEFAULT_RULES.rate
      for (const at of sent) {
        const within = sent.filter((other) => other >= at && other - at < windowMs)
        expect(within.length).toBeLessThanOrEqual(perThread)
      }
    }),
  )
})
