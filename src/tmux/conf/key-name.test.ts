import { expect, test } from 'vitest'
import { canonicalKey, isKeyName } from './key-name.ts'

test.each(['Tab', 'g', 'S', 'M-n', 'C-Space', 'F5', 'F12', 'C-M-x', '/', 'BTab', '0'])(
  '%s is a key',
  (name) => {
    expect(isKeyName(name)).toBe(true)
  },
)

test.each([
  '',
  'tab ',
  'g\n',
  "'",
  '"',
  ';',
  '\\',
  '#',
  '{',
  '}',
  '%',
  '$',
  '~',
  'F13',
  'X-a',
  'gg',
  '-T',
  'C-M-S-C-a',
  "g' ; kill-server '",
  'é',
])('%j is not taken for a key', (name) => {
  expect(isKeyName(name)).toBe(false)
})

test.each([
  ['^a', 'C-a'],
  ['C-M-x', 'M-C-x'],
  ['TAB', 'Tab'],
  ['C-i', 'Tab'],
  ['C-m', 'Enter'],
  ['PgUp', 'PPage'],
  ['f5', 'F5'],
  ['S-Tab', 'BTab'],
])('%s and %s are the same key', (one, other) => {
  expect(canonicalKey(one)).toBe(canonicalKey(other))
})

test('the case of a letter makes it another key', () => {
  expect(canonicalKey('s')).not.toBe(canonicalKey('S'))
  expect(canonicalKey('M-n')).not.toBe(canonicalKey('M-N'))
  expect(canonicalKey('n')).not.toBe(canonicalKey('M-n'))
})
