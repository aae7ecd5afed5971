import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ADAPTERS } from '../harness/registry.ts'
import { type FoundProgram, isWatched, newFoundProgram, stirs } from './found-program.ts'

let program: FoundProgram
let cat: ChildProcessByStdio<Writable, Readable, null>
beforeEach(async () => {
  cat = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  await once(cat, 'spawn')
  await say('ready')
  const [adapter] = ADAPTERS
  if (!adapter || cat.pid === undefined) throw new Error('nothing to look at')
  const pane = { socket: '/tmp/tb-nowhere/none', id: '%1' }
  const about = { pane, adapter, pid: cat.pid, pidStart: undefined, statusFile: undefined }
  program = newFoundProgram(about)
})
afterEach(() => void cat.kill('SIGKILL'))

async function say(text: string): Promise<void> {
  cat.stdin.write(text)
  await once(cat.stdout, 'data')
}

test('a program stirs when it has written something, and once more, as tmux may show it later', async () => {
  expect([stirs(program), stirs(program), stirs(program)]).toEqual([true, true, false])
  await say('a dialog')
  expect([stirs(program), stirs(program), stirs(program)]).toEqual([true, true, false])
})

test('of a program that is gone it cannot be told', async () => {
  cat.kill('SIGKILL')
  await once(cat, 'exit')
  expect(stirs(program)).toBeUndefined()
})

test('a program is watched closely while it is new, and for as long as it asks something', () => {
  const { foundAt } = program
  expect(isWatched(program, foundAt + 9_000)).toBe(true)
  expect(isWatched(program, foundAt + 11_000)).toBe(false)
  expect(isWatched({ ...program, isAsking: true }, foundAt + 3_600_000)).toBe(true)
})
