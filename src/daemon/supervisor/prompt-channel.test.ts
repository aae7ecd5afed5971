import { expect, test } from 'vitest'
import { handOver } from './prompt-channel.ts'

const node = (source: string, ...args: string[]) => ({
  argv: [process.execPath, '-e', source, '--', ...args],
  env: {},
  cwd: '/',
})

test('a command that succeeds has taken it', async () => {
  const words = `it's "$HOME"; $(reboot)\n`
  const takes = `process.exit(process.argv.at(-1) === ${JSON.stringify(words)} ? 0 : 1)`
  expect(await handOver(node(takes, words))).toEqual({ kind: 'sent' })
})

test('one that fails has not, and says how', async () => {
  expect(await handOver(node('process.exit(3)'))).toEqual({
    kind: 'refused',
    why: 'it exited with 3',
  })
})

test.each([
  ['no program', { argv: ['/nowhere/codex'], env: {}, cwd: '/' }],
  ['no directory', { argv: [process.execPath, '-v'], env: {}, cwd: '/nowhere' }],
])('where there is %s, nothing was taken', async (_, command) => {
  expect(await handOver(command)).toEqual({ kind: 'refused', why: 'ENOENT' })
})

test('of one that does not end nobody knows', async () => {
  const hangs = node('setInterval(() => {}, 1_000)')
  expect(await handOver(hangs, 300)).toMatchObject({ kind: 'unknown' })
})

test('one that ends by a signal may have taken it', async () => {
  expect(await handOver(node(`process.kill(process.pid, 'SIGTERM')`))).toMatchObject({
    kind: 'unknown',
  })
})
