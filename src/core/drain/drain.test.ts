import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterLook,
  afterResolution,
  afterRevision,
  type DrainLook,
  type DrainState,
  firstLook,
} from './drain.ts'

const look = (now: number, key: number, more: Partial<DrainLook> = {}): DrainLook => ({
  ...{ now, key, pane: '%1', othersKey: undefined, isBusy: false, arrival: '%1 100' },
  ...more,
})
const answer = { pane: '%1', outcome: 'answered' as const, episode: 7, at: 105_300 }

/** Looks in a row; the first one is before the Next of second 100. */
function run(...steps: (DrainLook | typeof answer | ((state: DrainState) => DrainState))[]) {
  let state = firstLook(look(99_000, 98, { pane: '%0', arrival: '' }))
  let isDue = false
  for (const step of steps) {
    if (typeof step === 'function') state = step(state)
    else if ('now' in step) {
      const next = afterLook(state, step)
      state = next.state
      isDue ||= next.isDue
    } else state = afterResolution(state, step)
  }
  return { state, isDue }
}

const arrival = look(100_200, 100)

describe('an own answer, then a quiet second', () => {
  test('moves, once', () => {
    expect(run(arrival, look(105_200, 105), answer, look(105_600, 105)).isDue).toBe(false)
    const quiet = run(arrival, answer, look(105_600, 105), look(107_000, 105))
    expect(quiet).toMatchObject({ isDue: true, state: { kind: 'watching' } })
    expect(afterLook(quiet.state, look(107_500, 105)).isDue).toBe(false)
  })

  test('moves again after the next one in the same pane', () => {
    const first = run(arrival, answer, look(107_000, 105))
    const second = afterResolution(first.state, { ...answer, episode: 8, at: 120_000 })
    expect(afterLook(second, look(122_000, 120)).isDue).toBe(true)
  })

  test('moves after an answer that is recognised a moment later', () => {
    const settled = (state: DrainState) =>
      afterResolution(state, { ...answer, outcome: 'settled' as const })
    const revised = (state: DrainState) => afterRevision(state, { episode: 7, outcome: 'answered' })
    expect(run(arrival, settled, look(107_000, 105)).isDue).toBe(false)
    expect(run(arrival, settled, revised, look(107_000, 105)).isDue).toBe(true)
  })

  test('moves after an answer of several keys that is reported at once', () => {
    const typed = [look(103_500, 103), look(104_200, 104), look(105_100, 105)]
    expect(run(arrival, ...typed, answer, look(107_000, 105)).isDue).toBe(true)
  })

  test('moves after one key whose answer is reported late', () => {
    const late = { ...answer, at: 109_500 }
    expect(run(arrival, look(105_500, 105), late, look(109_600, 105)).isDue).toBe(true)
  })

  test('waits until a quiet second has surely passed', () => {
    expect(run(arrival, answer, look(106_999, 105)).isDue).toBe(false)
  })

  test('is judged by a look that began after it', () => {
    expect(run(arrival, answer, look(105_200, 103), look(107_000, 105)).isDue).toBe(true)
  })

  test('waits for the end of a key sequence', () => {
    const busy = run(arrival, answer, look(107_000, 105, { isBusy: true }))
    expect(busy.isDue).toBe(false)
    expect(afterLook(busy.state, look(107_500, 105)).isDue).toBe(true)
  })
})

describe('never', () => {
  const quiet = look(110_000, 105)
  test.each([
    ['without an answer', [arrival, quiet]],
    ['while typing goes on', [arrival, answer, look(105_600, 105), look(106_500, 106)]],
    [
      'after typing went on',
      [arrival, answer, look(105_600, 105), look(106_500, 106), look(120_000, 106)],
    ],
    ['after keys that came only later', [arrival, answer, look(110_000, 106)]],
    [
      'after keys that came before a late report',
      [
        ...[arrival, look(103_500, 103), look(104_500, 104), look(105_500, 104)],
        ...[{ ...answer, at: 106_100 }, look(110_000, 104)],
      ],
    ],
    ['if the last key was long before', [arrival, { ...answer, at: 112_000 }, look(113_000, 105)]],
    ['if the only key was Next itself', [arrival, { ...answer, at: 100_900 }, look(110_000, 100)]],
    ['if another client typed there as late', [arrival, answer, { ...quiet, othersKey: 105 }]],
    ['if it resolved in another pane', [arrival, { ...answer, pane: '%2' }, quiet]],
    ['if it ended', [arrival, { ...answer, outcome: 'ended' }, quiet]],
    ['if it settled by itself', [arrival, { ...answer, outcome: 'settled' }, quiet]],
    [
      'from a pane without Next',
      [look(101_000, 101, { arrival: '' }), answer, { ...quiet, arrival: '' }],
    ],
    [
      'if Next went elsewhere',
      [look(101_000, 101, { arrival: '%2 100' }), answer, { ...quiet, arrival: '%2 100' }],
    ],
    ['after leaving and coming back', [arrival, look(103_000, 103, { pane: '%2' }), answer, quiet]],
    ['from another pane', [arrival, answer, { ...quiet, pane: '%2' }]],
  ] as [string, Parameters<typeof run>][])('%s', (_, steps) => {
    expect(run(...steps).isDue).toBe(false)
  })

  test('for a Next from before the first look', () => {
    let state = firstLook(arrival)
    state = afterResolution(state, answer)
    expect(afterLook(state, quiet).isDue).toBe(false)
  })

  test('if it turns out to be a prompt of ours', () => {
    const revised = (state: DrainState) => afterRevision(state, { episode: 7, outcome: 'settled' })
    expect(run(arrival, answer, revised, quiet).isDue).toBe(false)
    expect(run(arrival, answer, look(105_600, 105), revised, quiet).isDue).toBe(false)
  })

  test('whatever happens: a move follows an answer, on the pane of the last Next, in quiet', () => {
    const panes = fc.constantFrom('%1', '%2')
    const step = fc.oneof(
      fc.record({
        key: fc.nat(3),
        pane: panes,
        arrival: fc.constantFrom('', '%1 100', '%2 101', '%1 102'),
        isBusy: fc.boolean(),
        othersKey: fc.constant(undefined),
      }),
      fc.record({
        pane: panes,
        outcome: fc.constantFrom('answered' as const, 'settled' as const, 'ended' as const),
      }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = firstLook(look(99_000, 98, { arrival: '' }))
        let now = 99_000
        const answers = new Set<string>()
        for (const each of steps) {
          now += 500
          if ('outcome' in each) {
            state = afterResolution(state, { episode: 1, at: now, ...each })
            if (each.outcome === 'answered') answers.add(each.pane)
            continue
          }
          const seen = { ...each, now, key: Math.floor(now / 1_000) - each.key }
          const next = afterLook(state, seen)
          state = next.state
          if (!next.isDue) continue
          expect(answers.has(seen.pane)).toBe(true)
          expect(seen.arrival.startsWith(`${seen.pane} `)).toBe(true)
          expect(seen.isBusy).toBe(false)
          expect(now - seen.key * 1_000).toBeGreaterThanOrEqual(2_000)
        }
      }),
    )
  })
})
