import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newWriting, stirs, type Writing } from './stirring.ts'

let writing: Writing
let cat: ChildProcessByStdio<Writable, Readable, null>
beforeEach(async () => {
  cat = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  await once(cat, 'spawn')
  await say('ready')
  writing = newWriting()
})
afterEach(() => void cat.kill('SIGKILL'))

async function say(text: string): Promise<void> {
  cat.stdin.write(text)
  await once(cat.stdout, 'data')
}

const look = () => stirs(cat.pid ?? 0, writing)

test('a program stirs when it has written something, and once more, as tmux may show it later', async () => {
  expect([look(), look(), look()]).toEqual([true, true, false])
  await say('a dialog')
  expect([look(), look(), look()]).toEqual([true, true, false])
})

test('of a program that is gone it cannot be told', async () => {
  cat.kill('SIGKILL')
  await once(cat, 'exit')
  expect(look()).toBeUndefined()
})
