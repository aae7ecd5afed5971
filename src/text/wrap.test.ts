import { expect, test } from 'vitest'
import { spelledDuration, wrap } from './wrap.ts'

test('lines break at spaces, by the width of what is shown', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('名前 名前 名前', 9)).toEqual(['名前 名前', '名前'])
  expect(wrap('', 9)).toEqual([''])
})

test('a word wider than a line stays whole', () => {
  expect(wrap('see /a/very/long/path there', 8)).toEqual(['see', '/a/very/long/path', 'there'])
})

test('a line keeps its indentation', () => {
  expect(wrap('  - one two', 8)).toEqual(['  - one', 'two'])
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
