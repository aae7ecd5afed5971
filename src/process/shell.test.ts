import { expect, test } from 'vitest'
import { isShell } from './shell.ts'

test.each([
  ['bash', ['-bash']],
  ['bash', ['bash', '-l']],
  ['bash', ['bash', '--rcfile', '/tmp/rc', '-i']],
  ['zsh', ['zsh', '-o', 'vi']],
  ['sh', ['sh']],
  ['sh', []],
  ['busybox', ['busybox', 'sh']],
])('%s started as %j is a shell at its prompt', (name, argv) => {
  expect(isShell(name, argv)).toBe(true)
})

test.each([
  ['bash', ['bash', 'install.sh']],
  ['sh', ['sh', '-c', 'read line']],
  ['bash', ['bash', '-lc', 'make']],
  ['sh', ['sh', '-e', 'install.sh']],
  ['python3', ['python3', '-i']],
  ['busybox', ['busybox', 'vi']],
])('%s started as %j is a program', (name, argv) => {
  expect(isShell(name, argv)).toBe(false)
})
