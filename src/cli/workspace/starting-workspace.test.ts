import { expect, test } from 'vitest'
import { nameFor } from './starting-workspace.ts'

test.each([
  ['/home/op/ranch', 'ranch'],
  ['/home/op/My Ranch (2)', 'my-ranch-2'],
  ['/home/op/.dotfiles', 'dotfiles'],
  [`/home/op/${'x'.repeat(60)}`, 'x'.repeat(40)],
  ['/home/op/牧場', 'main'],
  ['/', 'main'],
])('a workspace in %s is called %s', (directory, name) => {
  expect(nameFor(directory)).toBe(name)
})
