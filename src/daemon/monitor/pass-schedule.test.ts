import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Watched } from '../../core/monitor/watched.ts'
import { type Monitored, newMonitored } from './monitored.ts'
import { PassSchedule } from './pass-schedule.ts'

const [SOCKET, OTHER] = ['/tmp/tb-nowhere/one', '/tmp/tb-nowhere/other']
const START = 1_000_000
const seconds = (count: number) => START + count * 1_000

let isConnected: boolean
let schedule: PassSchedule
beforeEach(() => {
  isConnected = false
  schedule = new PassSchedule(
    () => isConnected,
    () => {},
  )
})
afterEach(() => schedule[Symbol.dispose]())

/** Last looked at at the start, and quiet since. */
function quiet(pid: number, watched: Partial<Watched>, socket = SOCKET): Monitored {
  const pane = { socket, id: `%${pid}` }
  const about = {
    pid,
    pidStart: 1,
    adapter: undefined,
    name: 'cat',
    statusFile: undefined,
    innerPid: undefined,
  }
  const one = newMonitored({ ...about, pane, foundAt: 0 }, 'fresh')
  one.activity.written = 0
  const before = { lookedAt: START, freshLooks: undefined, dueAt: seconds(1_000) }
  one.watched = { ...one.watched, ...before, ...watched }
  return one
}

const pids = (due: Monitored[]) => due.map(({ program }) => program.pid)

describe('where a look costs a process', () => {
  test('what is due and has time waits, at most for a third of its pause', () => {
    const all = [quiet(1, { nextLookAt: seconds(30) }), quiet(2, { nextLookAt: seconds(39) })]
    expect(pids(schedule.due(all, seconds(39.9), {}))).toEqual([])
    expect(pids(schedule.due(all, seconds(40), {}))).toEqual([1, 2])
  })

  test('what is due goes along with a process that starts at its server', () => {
    const all = [
      quiet(1, { nextLookAt: seconds(30) }),
      quiet(2, { nextLookAt: seconds(32) }),
      quiet(3, { nextLookAt: seconds(30) }, OTHER),
    ]
    expect(pids(schedule.due(all, seconds(31), { startingAt: SOCKET }))).toEqual([1])
    expect(pids(schedule.due(all, seconds(31), { isAsked: true }))).toEqual([1, 3])
  })

  test('what has just happened waits for half a second at most', () => {
    const all = [quiet(1, { nextLookAt: seconds(30.1), freshLooks: 0 })]
    expect(pids(schedule.due(all, seconds(30.4), {}))).toEqual([])
    expect(pids(schedule.due(all, seconds(30.5), {}))).toEqual([1])
  })

  test('what would not be felt if it stirred waits no longer than that while it is fresh', () => {
    const all = [quiet(1, { nextLookAt: seconds(4), freshLooks: 2 })]
    expect(pids(schedule.due(all, seconds(5), {}))).toEqual([])
    for (const one of all) one.activity.written = undefined
    expect(pids(schedule.due(all, seconds(5), {}))).toEqual([1])
  })

  test('the pause of what was given a prompt begins with that', () => {
    const all = [quiet(1, { nextLookAt: seconds(112), dispatchedAt: seconds(100) })]
    expect(pids(schedule.due(all, seconds(115), {}))).toEqual([])
    expect(pids(schedule.due(all, seconds(116), {}))).toEqual([1])
  })
})

test('where a look costs no process, what is due waits for nothing', () => {
  isConnected = true
  const all = [quiet(1, { nextLookAt: seconds(30) }), quiet(2, { nextLookAt: seconds(31) })]
  expect(pids(schedule.due(all, seconds(30), {}))).toEqual([1])
})
