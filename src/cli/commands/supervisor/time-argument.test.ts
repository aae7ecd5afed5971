import { expect, test } from 'vitest'
import { momentOf } from './time-argument.ts'

const NOW = new Date(2026, 5, 15, 12, 0, 0).getTime()

test.each([
  ['45s', NOW - 45_000],
  ['30m', NOW - 1_800_000],
  ['2h', NOW - 7_200_000],
  ['7d', NOW - 604_800_000],
  ['09:30', new Date(2026, 5, 15, 9, 30).getTime()],
  ['2026-06-01', new Date(2026, 5, 1).getTime()],
  ['2026-06-01 08:15', new Date(2026, 5, 1, 8, 15).getTime()],
  ['2026-06-01T08:15:30', new Date(2026, 5, 1, 8, 15, 30).getTime()],
  ['2026-06-01T08:15:30Z', Date.UTC(2026, 5, 1, 8, 15, 30)],
])('%s is a time', (text, at) => {
  expect(momentOf(text, NOW)).toBe(at)
})

test.each(['', 'yesterday', '2x', '-5m', '25:99', '2026-13-45', '99999999d'])(
  '"%s" is refused with an example of a valid time',
  (text) => {
    expect(() => momentOf(text, NOW)).toThrowError(
      expect.objectContaining({ code: 'BAD_USAGE', hint: expect.stringContaining('2h') }),
    )
  },
)
