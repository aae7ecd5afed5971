import { expect, test } from 'vitest'
import { busyAfter, type ChannelHealth, healthAfter, pausedUntil } from './channel-health.ts'

test('a channel that fails is tried again after a pause that doubles, up to five minutes', () => {
  let health: ChannelHealth = { kind: 'ready' }
  const pauses = Array.from({ length: 9 }, () => {
    const busy = busyAfter(health)
    expect(pausedUntil(busy)).toBe(Number.POSITIVE_INFINITY)
    health = healthAfter({ kind: 'failed', why: 'no' }, 'tries' in busy ? busy.tries : 0, 1_000)
    return (pausedUntil(health) - 1_000) / 1_000
  })
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
  // While it is tried again, it is still known why it failed.
  expect(busyAfter(health)).toEqual({ kind: 'busy', tries: 9, why: 'no' })
  expect(healthAfter({ kind: 'sent' }, 9, 1_000)).toEqual({ kind: 'ready' })
})

test('without a terminal it looks for one each minute, and that is no failure', () => {
  expect(busyAfter({ kind: 'nobody', retryAt: 61_000 })).toEqual({ kind: 'busy', tries: 0 })
  expect(healthAfter({ kind: 'nobody' }, 0, 1_000)).toEqual({
    kind: 'nobody',
    retryAt: 61_000,
  })
})
