import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Seat, Sitter } from '../adapter/adapter.ts'
import { seating } from './seating.ts'

const T = 1_794_805_464_000

/** An id of a session that was made then. */
const made = (at: number, n = 0) => {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7ac1-956f-${String(n).padStart(12, '0')}`
}
const seat = (title: string, startedAt = T): Seat => ({ title, startedAt })
const sitter = (name?: string, at = T + 60_000, n = 0): Sitter => ({
  id: made(at, n),
  name,
  cwd: '/home/op/proj',
})

describe('the terminal that shows a session', () => {
  test.each([
    'Mend it | proj',
    '⠹ Mend it | proj',
    '[ ! ] Action Required | Mend it | proj',
    'Mend it',
  ])('is the one that has its name in its title: %s', (title) => {
    const [other, right] = [seat('Deploy it | proj'), seat(title)]
    expect(seating.seatOf(sitter('Mend it'), [sitter('Deploy it')], [other, right])).toBe(right)
  })

  test('is none where no title has its name: it goes on without a terminal', () => {
    expect(seating.seatOf(sitter('Mend it'), [], [seat('Deploy it | proj')])).toBeUndefined()
    expect(seating.seatOf(sitter('Mend it'), [], [seat('proj')])).toBeUndefined()
    expect(seating.seatOf(sitter('Mend it'), [], [])).toBeUndefined()
  })

  test('is not told by a name that two sessions have', () => {
    const twin = sitter('Mend it', T + 90_000, 1)
    expect(seating.seatOf(sitter('Mend it'), [twin], [seat('Mend it | proj')])).toBeUndefined()
  })

  test('is the one in which it was made, where names are the same or there are none yet', () => {
    const [first, second] = [seat('proj', T), seat('⠹ proj', T + 3_000)]
    const [one, two] = [sitter(undefined, T + 300, 1), sitter(undefined, T + 3_300, 2)]
    expect(seating.seatOf(one, [two], [first, second])).toBe(first)
    expect(seating.seatOf(two, [one], [first, second])).toBe(second)
    const named = [seat('Mend it | proj', T), seat('Mend it | proj', T + 3_000)]
    const twins = [sitter('Mend it', T + 300, 1), sitter('Mend it', T + 3_300, 2)]
    expect(seating.seatOf(twins[0]!, [twins[1]!], named)).toBe(named[0])
  })

  test('is none where a session that was made later may be shown there by now', () => {
    const begunThere = sitter(undefined, T + 300)
    const later = { id: made(T + 120_000, 1) }
    expect(seating.seatOf(begunThere, [], [seat('proj')])).toEqual(seat('proj'))
    expect(seating.seatOf(begunThere, [later], [seat('proj')])).toBeUndefined()
    expect(
      seating.seatOf({ ...later, cwd: '/home/op/proj' }, [begunThere], [seat('proj')]),
    ).toBeUndefined()
  })

  test('is none where another one is open that may have waited for the daemon', () => {
    const [waiting, young] = [seat('proj', T), seat('proj', T + 8_500)]
    const first = sitter(undefined, T + 8_000, 1)
    expect(seating.seatOf(first, [], [waiting, young])).toBeUndefined()
    const second = sitter(undefined, T + 9_600, 2)
    expect(seating.seatOf(first, [second], [waiting, young])).toBeUndefined()
    expect(seating.seatOf(second, [first], [waiting, young])).toBeUndefined()
  })

  test('is none for a session of another directory, or with an id of another kind', () => {
    const elsewhere = { ...sitter(undefined, T + 300), cwd: '/home/op/shop' }
    expect(seating.seatOf(elsewhere, [], [seat('proj')])).toBeUndefined()
    const other = { ...sitter(), id: '5e551000-0000-4000-8000-000000000001' }
    expect(seating.seatOf(other, [], [seat('proj')])).toBeUndefined()
  })

  test('is never one for two sessions', () => {
    const names = fc.option(fc.constantFrom('Mend it', 'Deploy it'), { nil: undefined })
    const times = fc.integer({ min: 0, max: 20 }).map((n) => T + n * 700)
    const sitters = fc.uniqueArray(
      fc
        .tuple(names, times, fc.integer({ min: 0, max: 99 }))
        .map(([name, at, n]) => sitter(name, at, n)),
      { selector: ({ id }) => id, maxLength: 5 },
    )
    const titles = fc.constantFrom(
      'proj',
      'Mend it | proj',
      '⠹ Deploy it | proj',
      '[ . ] Action Required | proj',
    )
    const seats = fc.array(
      fc.tuple(titles, times).map(([title, at]) => seat(title, at)),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(sitters, seats, (all, places) => {
        const taken = all.flatMap(
          (one) =>
            seating.seatOf(
              one,
              all.filter((other) => other !== one),
              places,
            ) ?? [],
        )
        expect(new Set(taken).size).toBe(taken.length)
      }),
      { numRuns: 1_000 },
    )
  })
})

test('the names of sessions are read from lines of which any may be broken', () => {
  const text =
    '{"id":"a","thread_name":"One"}\nnonsense\n{"id":"b"}\n[]\n{"id":"a","thread_name":"Two"}\n'
  expect([...seating.namesIn(text)]).toEqual([['a', 'Two']])
})

test('a lock names its session', () => {
  expect(seating.openIn('01a1e2bd-fd08-7ac1-956f-5a1f31aec7ef.lock')).toBe(
    '01a1e2bd-fd08-7ac1-956f-5a1f31aec7ef',
  )
  expect(seating.openIn('.lock')).toBeUndefined()
})
