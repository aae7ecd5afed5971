import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { createPromptChannels, handOver } from './prompt-channel.ts'

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

test('a command that reports a failure has not taken it', async () => {
  const fails = `console.error('WARNING: old'); console.error('Error: no such thread'); process.exit(1)`
  expect(await handOver(node(fails))).toEqual({
    kind: 'refused',
    why: 'it ended with 1: no such thread',
  })
})

test('a command that fails silently may have taken it', async () => {
  expect(await handOver(node('process.exit(3)'))).toEqual({
    kind: 'unknown',
    why: 'it ended with 3',
  })
})

test.each([
  ['no program', { argv: ['/nowhere/codex'], env: {}, cwd: '/' }],
  ['no directory', { argv: [process.execPath, '-v'], env: {}, cwd: '/nowhere' }],
])('if there is %s, nothing was taken', async (_, command) => {
  expect(await handOver(command)).toEqual({ kind: 'refused', why: 'ENOENT' })
})

test('if a command does not end, nobody knows, and what it started ends with it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tb-channel-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'pid')
  const hangs = `sleep 1000 & echo $! > '${path}'; wait`
  const handed = handOver({ argv: ['/bin/sh', '-c', hangs], env: process.env, cwd: '/' }, 4_000)
  expect(await handed).toMatchObject({ kind: 'unknown' })
  const pid = Number(readFileSync(path, 'utf8'))
  await waitFor(() => !isAlive(pid), { what: 'what it started to end' })
})

test('a command ended by a signal may have taken it', async () => {
  expect(await handOver(node(`process.kill(process.pid, 'SIGTERM')`))).toMatchObject({
    kind: 'unknown',
  })
})

describe('a channel with an unknown result', () => {
  const runtime = { runtimeId: 'rt_1' } as Runtime
  const other = { runtimeId: 'rt_2' } as Runtime

  test('is not asked again for that runtime', async () => {
    const channels = createPromptChannels(() => node('process.exit(3)'))
    expect(channels.has(runtime, 'x')).toBe(true)
    expect(await channels.handOver(runtime, 'x')).toMatchObject({ kind: 'unknown' })
    expect([channels.has(runtime, 'x'), channels.has(other, 'x')]).toEqual([false, true])
  })

  test('does not exist if the program cannot be found', async () => {
    const channels = createPromptChannels(() => {
      throw new Error('it is not installed')
    })
    expect(channels.has(runtime, 'x')).toBe(false)
    expect(await channels.handOver(runtime, 'x')).toMatchObject({ kind: 'refused' })
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
