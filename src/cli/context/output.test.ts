import { expect, test } from 'vitest'
import { age } from './output.ts'

test('ages are told in the largest unit that says enough', () => {
  const now = 10 * 86_400_000
  const ages = [0, 59_000, 60_000, 3_599_000, 3_600_000, 86_400_000].map((ms) => age(now - ms, now))
  expect(ages).toEqual(['0s', '59s', '1m', '59m', '1h', '1d'])
  expect(age(now + 5_000, now)).toBe('0s')
})
