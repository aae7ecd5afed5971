import { expect, test } from 'vitest'
import { age, table } from './output.ts'

test('ages are told in the largest unit that says enough', () => {
  const now = 10 * 86_400_000
  const ages = [0, 59_000, 60_000, 3_599_000, 3_600_000, 86_400_000].map((ms) => age(now - ms, now))
  expect(ages).toEqual(['0s', '59s', '1m', '59m', '1h', '1d'])
  expect(age(now + 5_000, now)).toBe('0s')
})

test('columns line up whatever the width of their characters', () => {
  expect(
    table(
      [
        ['a', 'x'],
        ['項目', 'y'],
      ],
      80,
    ),
  ).toBe('a     x\n項目  y')
})

test('a line is cut at the width, never inside a character', () => {
  expect(table([['項目項目']], 6)).toBe('項目…')
})

test('nothing that controls a terminal comes through', () => {
  expect(table([['a\u001b[31mred\u0007', 'b\nc']], 80)).toBe('ared  b c')
})
