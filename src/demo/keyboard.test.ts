import { expect, test } from 'vitest'
import { keysOf } from './keyboard.ts'

test('keys that arrive together are separated', () => {
  expect(keysOf('yé\r')).toEqual(['y', 'é', 'Enter'])
  expect(keysOf('\u001b[A\u001bOB\u001b')).toEqual(['Up', 'Down', 'Escape'])
  expect(keysOf('\u007f\u0003')).toEqual(['Backspace', 'Escape'])
})

test('keys without a meaning here are dropped', () => {
  expect(keysOf('\u001b[1;5C\u001b[<0;10;10M\u0000')).toEqual([])
})
