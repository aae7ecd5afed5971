import { describe, expect, test } from 'vitest'
import type { Signal } from '../screen/signals.ts'
import { DEFAULT_PACE, freshMs, intervalMs, nextPacing } from './interval.ts'

const DRAWS = [0, 0.25, 0.5, 0.75, 0.999]
const seconds = (signal: Signal, position: number, random: number, isStalled = false) =>
  intervalMs(DEFAULT_PACE, { signal, position }, isStalled, random) / 1_000

describe('the table', () => {
  test.each<[Signal, number, number]>([
    ['dispatched', 10, 15],
    ['edits', 30, 45],
    ['tests', 60, 120],
    ['build', 120, 180],
    ['subagent', 90, 120],
    ['reading', 45, 60],
    ['question', 30, 30],
    ['quiet', 45, 60],
  ])('%s: every %i to %i s', (signal, least, most) => {
    for (const position of [0, 0.5, 1]) {
      for (const random of DRAWS) {
        const interval = seconds(signal, position, random)
        expect(interval).toBeGreaterThanOrEqual(least)
        expect(interval).toBeLessThanOrEqual(most)
      }
    }
    expect(seconds(signal, 0, 0)).toBe(least)
    expect(seconds(signal, 1, 0.999)).toBe(most)
  })

  test('a confirmed stall: every 15 to 20 s, whatever it was doing', () => {
    expect(seconds('build', 1, 0, true)).toBe(15)
    expect(seconds('edits', 0, 0.999, true)).toBeCloseTo(20, 1)
  })
})

describe('the adjustment', () => {
  const pacing = { signal: 'tests', position: 0.5 } as const

  test('new output keeps the interval', () => {
    expect(nextPacing(pacing, 'tests', 'changed')).toEqual(pacing)
  })

  test('output that scrolled far shortens it', () => {
    expect(nextPacing(pacing, 'tests', 'scrolled-far').position).toBe(0)
  })

  test('a spinner alone lengthens it slightly, up to the end of the range', () => {
    const longer = nextPacing(pacing, 'tests', 'spinning')
    expect(longer.position).toBeGreaterThan(0.5)
    expect(longer.position).toBeLessThan(0.75)
    const most = Array(20)
      .fill('spinning')
      .reduce((p) => nextPacing(p, 'tests', 'spinning'), pacing)
    expect(most.position).toBe(1)
  })

  test('another signal starts in the middle of its own range', () => {
    expect(nextPacing({ signal: 'tests', position: 1 }, 'edits', 'changed').position).toBe(0.5)
  })
})

test('jitter separates two panes with the same work a little', () => {
  expect(seconds('tests', 0.5, 0.999) - seconds('tests', 0.5, 0)).toBeLessThan(15)
  expect(new Set(DRAWS.map((random) => seconds('tests', 0.5, random))).size).toBe(DRAWS.length)
})

test('the fresh pace begins with a second or two, and doubles', () => {
  expect(freshMs(DEFAULT_PACE, 0, 0)).toBe(1_000)
  expect(freshMs(DEFAULT_PACE, 0, 0.999)).toBeLessThanOrEqual(2_000)
  expect([1, 2, 3].map((looks) => freshMs(DEFAULT_PACE, looks, 0))).toEqual([2_000, 4_000, 8_000])
})

test('no setting brings two looks closer than the minimum distance', () => {
  const hasty = { ...DEFAULT_PACE, freshMs: [1, 1], leastMs: 700 } as const
  expect(freshMs(hasty, 0, 0)).toBe(700)
  const intervalsMs = { ...DEFAULT_PACE.intervalsMs, edits: [5, 5] } as const
  expect(intervalMs({ ...hasty, intervalsMs }, { signal: 'edits', position: 0 }, false, 0)).toBe(
    700,
  )
})
