import { expect, test } from 'vitest'
import type { Watched } from '../../core/monitor/watched.ts'
import { latestLookAt, type Monitored, newMonitored } from './monitored.ts'

const START = 1_000_000
const seconds = (count: number) => START + count * 1_000

/** Last looked at in the beginning, and quiet since. */
function quiet(watched: Partial<Watched>): Monitored {
  const about = { pid: 1, pidStart: 1, name: 'cat', foundAt: 0 }
  const unknown = {
    adapter: undefined,
    view: undefined,
    statusFile: undefined,
    innerPid: undefined,
  }
  const pane = { socket: '/tmp/tb-nowhere/one', id: '%1' }
  const one = newMonitored({ ...about, ...unknown, pane }, 'fresh')
  one.activity.written = 0
  const before = { lookedAt: START, freshLooks: undefined, dueAt: seconds(1_000) }
  one.watched = { ...one.watched, ...before, ...watched }
  return one
}

test('a look that is not urgent can wait for a third of its pause', () => {
  expect(latestLookAt(quiet({ nextLookAt: seconds(30) }))).toBe(seconds(40))
})

test('a recent event waits for half a second at most', () => {
  expect(latestLookAt(quiet({ nextLookAt: seconds(30.1), freshLooks: 0 }))).toBe(seconds(30.5))
})

test('a fresh program with invisible activity waits no longer than that', () => {
  const one = quiet({ nextLookAt: seconds(4), freshLooks: 2 })
  expect(latestLookAt(one)).toBeGreaterThan(seconds(5))
  one.activity.written = undefined
  expect(latestLookAt(one)).toBe(seconds(4))
})

test('after a prompt, the pause begins with the prompt', () => {
  const one = quiet({ nextLookAt: seconds(112), dispatchedAt: seconds(100) })
  expect(latestLookAt(one)).toBe(seconds(116))
})
