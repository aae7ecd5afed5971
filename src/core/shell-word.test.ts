import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test('a shell reads back every word as it was', () => {
  const words = [
    '',
    'plain',
    '/a/b-c.d',
    "it's",
    "'",
    '$HOME `id` "x"',
    'two\nlines',
    '~',
    '*',
    '!1',
  ]
  const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${words.join('\0')}\0`)
})

test('what needs no quotes gets none', () => {
  expect(['/usr/bin/env', 'A=b', '50%'].map(shellWord)).toEqual(['/usr/bin/env', 'A=b', '50%'])
})
