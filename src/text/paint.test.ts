import { expect, test } from 'vitest'
import { hasColor, useNoColor } from './paint.ts'

const terminal = { isTTY: true, hasColors: () => true }
const dumb = { isTTY: true, hasColors: () => false }
const pipe = { isTTY: false, hasColors: () => false }

test.each<[what: string, stream: typeof terminal, env: Record<string, string>, boolean]>([
  ['a terminal', terminal, {}, true],
  ['a terminal without colours', dumb, {}, false],
  ['a pipe', pipe, {}, false],
  ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', pipe, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR over NO_COLOR', pipe, { FORCE_COLOR: '3', NO_COLOR: '1' }, true],
  ['FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
])('with %s there is colour: %#', (_what, stream, env, expected) => {
  expect(hasColor(stream, env)).toBe(expected)
})

test('the flag outweighs any variable', () => {
  const env: NodeJS.ProcessEnv = { FORCE_COLOR: '1' }
  useNoColor(env)
  expect(hasColor(terminal, env)).toBe(false)
})
