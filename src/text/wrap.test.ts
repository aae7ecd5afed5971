import { expect, test } from 'vitest'
import { wrapProse } from './wrap.ts'

test('lines break at spaces, by their displayed width', () => {
  expect(wrapProse('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrapProse('名前 名前 名前', 9)).toEqual(['名前 名前', '名前'])
  expect(wrapProse('', 9)).toEqual([''])
})

test('a word wider than a line stays whole', () => {
  expect(wrapProse('see /a/very/long/path there', 8)).toEqual(['see', '/a/very/long/path', 'there'])
})

test('indented text continues below its first word', () => {
  expect(wrapProse('  one two', 6)).toEqual(['  one', '  two'])
  expect(wrapProse('  - one two', 8)).toEqual(['  - one', '    two'])
})

test('a colour takes no room and is not broken', () => {
  const red = '\u001b[31mtwo\u001b[39m'
  expect(wrapProse(`one ${red}`, 7)).toEqual([`one ${red}`])
  expect(wrapProse(`one ${red} three`, 7)).toEqual([`one ${red}`, 'three'])
})
