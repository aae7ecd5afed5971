import { expect, test } from 'vitest'
import { durationText, remainingText } from './duration.ts'

test.each([
  [-5_000, '0s'],
  [999, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [59 * 60_000, '59m'],
  [3_600_000, '1h00m'],
  [3_600_000 + 4 * 60_000, '1h04m'],
  [10 * 3_600_000, '10h'],
  [23 * 3_600_000, '23h'],
  [24 * 3_600_000, '1d'],
])('%i ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('what is left is rounded up, so that it is 0s only when it is over', () => {
  expect(remainingText(1_001, 1_000)).toBe('1s')
  expect(remainingText(61_000, 1_000)).toBe('1m')
  expect(remainingText(1_000, 1_000)).toBe('0s')
  expect(remainingText(0, 5_000)).toBe('0s')
})
