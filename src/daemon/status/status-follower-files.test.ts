import { spawn } from 'node:child_process'
import { chownSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createStatusScene, type StatusScene } from '../../../test/support/daemon/status-scene.ts'
import { sessionKey } from '../../core/session/event.ts'
import { startOf } from '../../process/process-state.ts'

/** On a busy machine, other processes and kernel notifications take their time. */
const PATIENT_MS = 15_000

let it: StatusScene

beforeEach(() => {
  it = createStatusScene()
})
afterEach(() => it[Symbol.dispose]())

describe('files that others left', () => {
  test('of a process that is gone', () => {
    it.publish('waiting', { pid: 4_000_000, procStart: '1' })
    it.follower.sweep()
    expect(it.world.herd.session(sessionKey('claude-code', 's'))).toBeUndefined()
  })

  test('of a process whose pid now belongs to another one', () => {
    it.publish('waiting', { procStart: '1' })
    it.follower.sweep()
    expect(it.world.herd.session(sessionKey('claude-code', 's'))).toBeUndefined()
  })

  test.runIf(process.getuid?.() === 0)('of another user', () => {
    const file = it.publish('waiting')
    chownSync(file, 65534, 65534)
    it.follower.sweep()
    expect(it.world.herd.session(sessionKey('claude-code', 's'))).toBeUndefined()
  })
})

test('the end of a process whose file was removed is seen at once', async () => {
  const child = spawn('sleep', ['60'])
  await vi.waitFor(() => expect(startOf(child.pid!)).toBeDefined(), PATIENT_MS)
  const file = it.publish('waiting', { pid: child.pid! })
  await it.becomes('stuck')
  rmSync(file)
  child.kill('SIGKILL')
  await it.becomes('ended')
})

test('a session that two processes have ends with the second of them', async () => {
  const child = spawn('sleep', ['60'])
  const pid = child.pid ?? 0
  it.publish('waiting')
  await it.becomes('stuck')
  const file = it.publish('busy', { pid })
  await it.becomes('working')
  child.kill('SIGKILL')
  rmSync(file)
  await it.becomes('ended')
  it.follower.confirm(it.world.herd.sessions(), it.world.herd.clock.now() + 3_000)
  expect(it.verdict()).toMatchObject({ state: 'stuck', by: 'status' })
  expect(it.world.herd.session(sessionKey('claude-code', 's'))?.pid).toBe(process.pid)
})

describe('what cannot be looked at is treated as missing', () => {
  test.each([
    ['a name that is too long', `/${'a'.repeat(300)}/projects/p/s.jsonl`],
    ['a NUL', '/a\0b/projects/p/s.jsonl'],
  ])('%s in the path of a transcript', (_, transcript) => {
    it.tell({ kind: 'unstuck', at: Date.now(), transcript })
    it.follower.follow(it.world.herd.session(sessionKey('claude-code', 's'))!)
    it.follower.sweep()
    expect(it.verdict()?.state).toBe('working')
  })

  test('a directory that leads to itself', () => {
    rmSync(it.sessions, { recursive: true })
    symlinkSync('sessions', it.sessions)
    expect(() => it.follower.sweep()).not.toThrow()
  })

  test('a file without end', async () => {
    const child = spawn('sleep', ['60'])
    symlinkSync(`/proc/${child.pid}/pagemap`, join(it.sessions, `${child.pid}.json`))
    it.follower.sweep()
    expect(it.world.queue()).toEqual([])
    child.kill()
  })
})

test('of two files of one session, the other one counts when one is withdrawn', async () => {
  const child = spawn('sleep', ['60'])
  await vi.waitFor(() => expect(startOf(child.pid!)).toBeDefined(), PATIENT_MS)
  it.publish('waiting')
  await it.becomes('stuck')
  const second = it.publish('busy', { pid: child.pid! })
  await it.becomes('working')
  writeFileSync(second, '{')
  await it.becomes('stuck')
  child.kill()
})

test('what an earlier daemon read and nobody publishes now is withdrawn', () => {
  it.tell({
    kind: 'stuck',
    reason: 'permission',
    at: Date.now() - 9_000,
    source: 'status',
    pid: process.pid,
  })
  expect(it.verdict()?.state).toBe('stuck')
  vi.useFakeTimers({ now: Date.now() + 5_000, toFake: ['Date'] })
  it.follower.confirm(it.world.herd.sessions(), it.world.herd.clock.now())
  vi.useRealTimers()
  expect(it.verdict()?.state).toBe('unknown')
})

describe('a status that cannot be parsed makes the next source count', () => {
  const hook = (name: string) => {
    const payload = { session_id: 's', hook_event_name: name }
    it.world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now(), payload }, 'live')
  }

  const byHook = () =>
    vi.waitFor(() => expect(it.verdict()).toMatchObject({ state: 'stuck', by: 'hook' }), PATIENT_MS)

  test.each(['', '{"pid":', '{"pid":"x"}', 'null'])('%j', async (text) => {
    const file = it.publish('busy')
    await it.becomes('working')
    hook('Stop')
    expect(it.verdict()?.state).toBe('working')
    writeFileSync(file, text)
    await byHook()
    it.publish('busy')
    await it.becomes('working')
  })

  test('a status that a later version may have', async () => {
    it.publish('busy')
    await it.becomes('working')
    hook('Stop')
    it.publish('napping')
    await byHook()
  })

  test('a file that is removed while its process lives', async () => {
    const file = it.publish('busy')
    await it.becomes('working')
    hook('Stop')
    rmSync(file)
    await byHook()
  })

  test('half a file that is complete a moment later changes nothing', async () => {
    const file = it.publish('waiting')
    await it.becomes('stuck')
    const seen: unknown[] = []
    it.world.herd.onChange(() => seen.push(it.verdict()?.state))
    writeFileSync(file, '{"pid":')
    it.follower.sweep()
    it.publish('busy')
    await it.becomes('working')
    expect(seen).toEqual(['working'])
  })
})
