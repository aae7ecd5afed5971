import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CaptureRequest, CaptureSchedule } from './capture-schedule.ts'

let isCheap: boolean
let schedule: CaptureSchedule
beforeEach(() => {
  isCheap = false
  schedule = new CaptureSchedule(
    () => isCheap,
    () => {},
  )
})
afterEach(() => schedule[Symbol.dispose]())

function request(pane: string, about: Partial<CaptureRequest>): CaptureRequest {
  return { pane, from: 0, until: 0, isUrgent: false, take: () => {}, ...about }
}

const panes = (due: CaptureRequest[]) => due.map(({ pane }) => pane)

test('if a look costs a process, captures that are not urgent wait for urgent ones', () => {
  const all = [
    request('%1', { from: 30_000, until: 40_000 }),
    request('%2', { from: 39_000, until: 50_000 }),
  ]
  expect(panes(schedule.due(all, 39_900, 'time'))).toEqual([])
  expect(panes(schedule.due(all, 40_000, 'time'))).toEqual(['%1', '%2'])
})

test('due captures join a process that starts anyway, or a screen that is needed now', () => {
  const all = [
    request('%1', { from: 30_000, until: 40_000 }),
    request('%2', { from: 32_000, until: 40_000 }),
  ]
  for (const reason of ['process', 'asked'] as const) {
    expect(panes(schedule.due(all, 31_000, reason))).toEqual(['%1'])
  }
})

test('two processes have a pause between them, unless something is urgent', () => {
  const all = [request('%1', { from: 30_000, until: 30_000 })]
  expect(panes(schedule.due(all, 30_000, 'time'))).toEqual(['%1'])
  expect(panes(schedule.due(all, 30_700, 'time'))).toEqual([])
  const urgent = request('%2', { from: 30_600, until: 40_000, isUrgent: true })
  expect(panes(schedule.due([...all, urgent], 30_700, 'time'))).toEqual(['%1', '%2'])
  expect(panes(schedule.due(all, 31_500, 'time'))).toEqual(['%1'])
})

test('if a look costs no process, due captures do not wait', () => {
  isCheap = true
  const all = [
    request('%1', { from: 30_000, until: 40_000 }),
    request('%2', { from: 31_000, until: 40_000 }),
  ]
  expect(panes(schedule.due(all, 30_000, 'time'))).toEqual(['%1'])
})
