import { expect, test } from 'vitest'
import { ageText, durationText, elapsedText, remainingText, spelledDuration } from './duration.ts'

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

test('the remaining time is rounded up, so that it is 0s only when it is over', () => {
  expect(remainingText(1_001, 1_000)).toBe('1s')
  expect(remainingText(61_000, 1_000)).toBe('1m')
  expect(remainingText(1_000, 1_000)).toBe('0s')
  expect(remainingText(0, 5_000)).toBe('0s')
})

test('an unknown age is a dash', () => {
  expect(ageText(5_000, 65_000)).toBe('1m')
  expect(ageText(null, 65_000)).toBe('-')
})

test.each([
  [999, 'a moment'],
  [1_999, '1 second'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [7_200_000, '2 hours'],
  [86_400_000, '1 day'],
  [-5, 'a moment'],
])('%i ms is %s', (ms, spelled) => {
  expect(spelledDuration(ms)).toBe(spelled)
})

test.each([
  [0, '0.0s'],
  [950, '0.9s'],
  [9_999, '10.0s'],
  [10_000, '10s'],
  [3_900_000, '1h05m'],
])('%i ms took %s', (ms, shown) => {
  expect(elapsedText(ms)).toBe(shown)
})
