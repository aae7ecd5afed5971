import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LinuxFiles } from './linux-files.ts'

const buffer = Buffer.alloc(4_096)
let files: LinuxFiles
let child: ChildProcess
beforeEach(async () => {
  files = new LinuxFiles('stat')
  child = spawn('sleep', ['600'])
  await once(child, 'spawn')
})
afterEach(() => {
  child.kill('SIGKILL')
  files[Symbol.dispose]()
})

/** A process takes its time on a busy machine. */
const PATIENT = { timeout: 15_000 }
const pid = () => child.pid ?? 0
const read = () => buffer.toString('latin1', 0, files.read(pid(), buffer))
const openFiles = () =>
  readdirSync('/proc/self/fd')
    .map((fd) => targetOf(`/proc/self/fd/${fd}`))
    .filter((target) => target === `/proc/${pid()}/stat`)

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}

test('a process is read again each time, through one open file', async () => {
  await expect.poll(read, PATIENT).toMatch(/^\d+ \(sleep\) [SR] /)
  child.kill('SIGSTOP')
  await expect.poll(read, PATIENT).toMatch(/^\d+ \(sleep\) T /)
  expect(openFiles()).toHaveLength(1)
})

test('a process that is gone cannot be read, and keeps nothing open', async () => {
  read()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(read).toThrow()
  expect(openFiles()).toEqual([])
})

test('a file that nobody reads any more is closed, and can be read again', () => {
  read()
  files.releaseUnasked()
  expect(openFiles()).toHaveLength(1)
  files.releaseUnasked()
  expect(openFiles()).toEqual([])
  expect(read()).toMatch(/\(sleep\)/)
})
