import { expect, test } from 'vitest'
import { isPromptedOnce, nodeScript } from './node-script.ts'

test.each<[string[], boolean, boolean]>([
  [['node', 'gemini'], true, false],
  [['node', 'gemini', '-i', 'look'], true, false],
  [['node', 'gemini', '-p', 'look'], true, true],
  [['node', 'gemini', '--prompt=look'], true, true],
  [['node', 'gemini'], false, true],
])('%j on a terminal (%s) answers one prompt and exits: %s', (argv, hasTerminal, expected) => {
  expect(isPromptedOnce({ argv, hasTerminal })).toBe(expected)
})

test.each<[string, string[], string | undefined]>([
  ['node', ['node', '--expose-gc', '/opt/cli.js', '--flag'], '/opt/cli.js'],
  ['MainThread', ['node', '/opt/cli.js'], '/opt/cli.js'],
  ['node', ['node', '-i'], undefined],
  ['vim', ['vim', '/opt/cli.js'], undefined],
])('the script of %s %j is %s', (name, argv, expected) => {
  expect(nodeScript({ name, argv })).toBe(expected)
})
