import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../test/support/test-herd.ts'
import { type AgentEvent, sessionKey } from '../core/event.ts'
import { startOf } from './processes.ts'
import { Reconciler } from './reconcile.ts'
import { StatusFollower } from './status-follower.ts'

let world: TestHerd
let follower: StatusFollower
let sessions: string
beforeEach(() => {
  world = createTestHerd()
  sessions = join(world.dir, '.claude', 'sessions')
  mkdirSync(sessions, { recursive: true })
  const reconciler = new Reconciler(world.herd, world.inventory)
  follower = new StatusFollower({
    ingest: world.ingest,
    inventory: world.inventory,
    log: world.log,
    env: { HOME: world.dir },
    checkProcess: (key) => reconciler.checkNow(key),
    turnEnd: (key) => world.herd.turnEnd(key),
  })
  follower.sweep()
})
afterEach(() => {
  follower[Symbol.dispose]()
  world[Symbol.dispose]()
})

type Content = {
  pid?: number
  session?: string
  procStart?: string
  waitingFor?: string
  startedAt?: number
  at?: number
  directory?: string
}

function publish(status: string, content: Content = {}): string {
  const { pid = process.pid, directory = sessions } = content
  const file = join(directory, `${pid}.json`)
  const text = JSON.stringify({
    pid,
    sessionId: content.session ?? 's',
    cwd: '/p',
    startedAt: content.startedAt ?? Date.now() - 60_000,
    procStart: content.procStart ?? String(startOf(pid) ?? ''),
    kind: 'interactive',
    entrypoint: 'cli',
    status,
    waitingFor: content.waitingFor,
    statusUpdatedAt: content.at ?? Date.now(),
  })
  writeFileSync(`${file}.tmp`, text)
  renameSync(`${file}.tmp`, file)
  return file
}

const tell = (told: Pick<AgentEvent, 'kind' | 'at'> & Partial<AgentEvent>) =>
  world.ingest.own(
    { v: 1, harness: 'claude-code', session: 's', source: 'hook', ...told },
    'tailed',
  )
const verdict = (session = 's') => world.herd.session(sessionKey('claude-code', session))?.verdict
const becomes = (state: string, session?: string) =>
  vi.waitFor(() => expect(verdict(session)?.state).toBe(state), 5_000)

test('a session that nothing else told of is found and followed', async () => {
  publish('busy')
  await becomes('working')
  publish('waiting', { waitingFor: 'permission prompt' })
  await becomes('stuck')
  expect(verdict()).toMatchObject({ reason: 'permission', by: 'status' })
  publish('busy')
  await becomes('working')
  publish('idle')
  await becomes('stuck')
  expect(verdict()).toMatchObject({ reason: 'stopped' })
})

test('what was published before we looked counts from the first sweep', () => {
  publish('waiting', { waitingFor: 'input needed', at: Date.now() - 5_000 })
  follower.sweep()
  expect(world.queue()).toEqual(['s'])
})

test('a session at its first empty prompt is not stuck', () => {
  publish('idle')
  follower.sweep()
  expect(verdict()).toMatchObject({ state: 'unknown', why: expect.stringContaining('yet') })
})

test('an idle between two turns does not queue it', async () => {
  publish('busy')
  await becomes('working')
  const seen: unknown[] = []
  world.herd.onChange(() => seen.push(verdict()?.state))
  publish('idle')
  follower.sweep()
  publish('busy')
  follower.sweep()
  publish('waiting')
  await becomes('stuck')
  expect(seen).not.toContain('unknown')
  expect(seen.indexOf('stuck')).toBe(seen.lastIndexOf('working') + 1)
  expect(verdict()).toMatchObject({ reason: 'permission' })
})

test('an idle counts at once when a hook told the end of the turn', async () => {
  publish('busy', { at: Date.now() - 5_000 })
  await becomes('working')
  tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 20 })
  publish('idle')
  follower.sweep()
  expect(verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('but not when a subagent ran on at that end', async () => {
  publish('busy', { at: Date.now() - 5_000 })
  await becomes('working')
  tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 20, note: 'a subagent runs' })
  publish('idle')
  follower.sweep()
  expect(verdict()?.state).toBe('working')
  await becomes('stuck')
})

test('nor when that subagent was given a permission meanwhile', async () => {
  publish('busy', { at: Date.now() - 5_000 })
  await becomes('working')
  tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 4_000, note: 'a subagent runs' })
  publish('waiting', { at: Date.now() - 3_000 })
  await becomes('stuck')
  publish('busy', { at: Date.now() - 2_000 })
  await becomes('working')
  publish('idle', { at: Date.now() - 600 })
  follower.sweep()
  expect(verdict()?.state).toBe('working')
  await becomes('stuck')
})

test('an idle counts sooner when the end of the turn was told, too', async () => {
  publish('busy', { at: Date.now() - 1_000 })
  await becomes('working')
  publish('idle', { at: Date.now() - 160 })
  follower.sweep()
  expect(verdict()?.state).toBe('working')
  const end = { kind: 'stuck', reason: 'stopped', source: 'transcript' } as const
  tell({ ...end, at: Date.now() - 200, note: 'a subagent runs' })
  follower.sweep()
  expect(verdict()?.state).toBe('working')
  tell({ ...end, at: Date.now() - 170 })
  follower.sweep()
  expect(verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('but not when a prompt was typed meanwhile, which begins the next turn', async () => {
  publish('busy', { at: Date.now() - 5_000 })
  await becomes('working')
  tell({ kind: 'unstuck', prompt: true, at: Date.now() - 2_000 })
  tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 170 })
  publish('idle', { at: Date.now() - 160 })
  follower.sweep()
  expect(verdict()?.state).toBe('working')
  await becomes('stuck')
})

test('an idle that a prompt has overtaken counts again if it stays', () => {
  publish('idle', { at: Date.now() - 4_000 })
  follower.sweep()
  tell({ kind: 'unstuck', prompt: true, at: Date.now() - 2_500 })
  expect(verdict()).toMatchObject({ state: 'working', by: 'hook' })
  const now = world.herd.clock.now()
  follower.confirm(world.herd.sessions(), now - 1_000)
  expect(verdict()?.state).toBe('working')
  follower.confirm(world.herd.sessions(), now)
  expect(verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('a directory that is made later is found, and one made anew', async () => {
  rmSync(sessions, { recursive: true })
  follower.sweepUnwatched()
  mkdirSync(sessions)
  publish('busy')
  follower.sweep()
  expect(verdict()?.state).toBe('working')
  rmSync(sessions, { recursive: true })
  mkdirSync(sessions)
  follower.sweep()
  publish('waiting')
  await becomes('stuck')
})

test("another configuration's directory is found through a transcript", async () => {
  const directory = join(world.dir, 'other', 'sessions')
  mkdirSync(directory, { recursive: true })
  publish('waiting', { directory })
  const transcript = join(world.dir, 'other', 'projects', '-p', 's.jsonl')
  const payload = {
    session_id: 's',
    hook_event_name: 'UserPromptSubmit',
    transcript_path: transcript,
  }
  world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now() - 1_000, payload }, 'live')
  expect(verdict()?.state).toBe('working')
  follower.follow(world.herd.session(sessionKey('claude-code', 's'))!)
  expect(verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('one process that goes on with another session ends the one before', async () => {
  const at = Date.now()
  publish('waiting', { session: 'before', at })
  await becomes('stuck', 'before')
  publish('idle', { session: 'after', at })
  await becomes('unknown', 'after')
  expect(verdict('before')).toMatchObject({ state: 'ended', why: expect.stringContaining('after') })
})

test.each([
  ['that was seen', 'busy'],
  ['that was missed', 'waiting'],
] as const)(
  'a session that follows another begins at an empty prompt, though its process is still busy with a command %s',
  async (_, seen) => {
    const at = Date.now() - 5_000
    publish(seen, { session: 'before', at: at - (seen === 'busy' ? 0 : 100) })
    await becomes(seen === 'busy' ? 'working' : 'stuck', 'before')
    publish('busy', { session: 'after', at })
    await becomes('ended', 'before')
    expect(verdict('after')?.state).toBe('unknown')
    publish('idle', { session: 'after', at: at + 100 })
    await vi.waitFor(() => expect(verdict('after')).toMatchObject({ by: 'status' }), 5_000)
    expect(verdict('after')?.state).toBe('unknown')
    publish('busy', { session: 'after' })
    await becomes('working', 'after')
  },
)

test('what is published last counts, although its time is older', async () => {
  publish('waiting', { session: 'before' })
  await becomes('stuck', 'before')
  publish('waiting', { session: 'after' })
  await becomes('stuck', 'after')
  publish('busy', { session: 'after', at: Date.now() - 5_000 })
  await becomes('working', 'after')
})

describe('files that others left', () => {
  test('of a process that is gone', () => {
    publish('waiting', { pid: 4_000_000, procStart: '1' })
    follower.sweep()
    expect(world.herd.session(sessionKey('claude-code', 's'))).toBeUndefined()
  })

  test('of a process whose pid is another one by now', () => {
    publish('waiting', { procStart: '1' })
    follower.sweep()
    expect(world.herd.session(sessionKey('claude-code', 's'))).toBeUndefined()
  })

  test.runIf(process.getuid?.() === 0)('of another user', () => {
    const file = publish('waiting')
    chownSync(file, 65534, 65534)
    follower.sweep()
    expect(world.herd.session(sessionKey('claude-code', 's'))).toBeUndefined()
  })
})

test('the end of a process whose file is taken away is seen at once', async () => {
  const child = spawn('sleep', ['60'])
  await vi.waitFor(() => expect(startOf(child.pid!)).toBeDefined())
  const file = publish('waiting', { pid: child.pid! })
  await becomes('stuck')
  rmSync(file)
  child.kill('SIGKILL')
  await becomes('ended')
})

test('a session that two processes have ends with the second of them', async () => {
  const child = spawn('sleep', ['60'])
  const pid = child.pid ?? 0
  publish('waiting')
  await becomes('stuck')
  const file = publish('busy', { pid })
  await becomes('working')
  child.kill('SIGKILL')
  rmSync(file)
  await becomes('ended')
  follower.confirm(world.herd.sessions(), world.herd.clock.now() + 3_000)
  expect(verdict()).toMatchObject({ state: 'stuck', by: 'status' })
  expect(world.herd.session(sessionKey('claude-code', 's'))?.pid).toBe(process.pid)
})

describe('what cannot be looked at is as if it were not there', () => {
  test.each([
    ['a name that is too long', `/${'a'.repeat(300)}/projects/p/s.jsonl`],
    ['a NUL', '/a\0b/projects/p/s.jsonl'],
  ])('%s in the path of a transcript', (_, transcript) => {
    tell({ kind: 'unstuck', at: Date.now(), transcript })
    follower.follow(world.herd.session(sessionKey('claude-code', 's'))!)
    follower.sweep()
    expect(verdict()?.state).toBe('working')
  })

  test('a directory that leads to itself', () => {
    rmSync(sessions, { recursive: true })
    symlinkSync('sessions', sessions)
    expect(() => follower.sweep()).not.toThrow()
  })

  test('a file without end', async () => {
    const child = spawn('sleep', ['60'])
    symlinkSync(`/proc/${child.pid}/pagemap`, join(sessions, `${child.pid}.json`))
    follower.sweep()
    expect(world.queue()).toEqual([])
    child.kill()
  })
})

test('of two files of one session the other one counts when one is withdrawn', async () => {
  const child = spawn('sleep', ['60'])
  await vi.waitFor(() => expect(startOf(child.pid!)).toBeDefined())
  publish('waiting')
  await becomes('stuck')
  const second = publish('busy', { pid: child.pid! })
  await becomes('working')
  writeFileSync(second, '{')
  await becomes('stuck')
  child.kill()
})

test('what an earlier daemon read and nobody publishes now is withdrawn', () => {
  tell({
    kind: 'stuck',
    reason: 'permission',
    at: Date.now() - 9_000,
    source: 'status',
    pid: process.pid,
  })
  expect(verdict()?.state).toBe('stuck')
  vi.useFakeTimers({ now: Date.now() + 5_000, toFake: ['Date'] })
  follower.confirm(world.herd.sessions(), world.herd.clock.now())
  vi.useRealTimers()
  expect(verdict()?.state).toBe('unknown')
})

describe('what is not understood makes the next source count', () => {
  const hook = (name: string) => {
    const payload = { session_id: 's', hook_event_name: name }
    world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now(), payload }, 'live')
  }

  test.each(['', '{"pid":', '{"pid":"x"}', 'null'])('%j', async (text) => {
    const file = publish('busy')
    await becomes('working')
    hook('Stop')
    expect(verdict()?.state).toBe('working')
    writeFileSync(file, text)
    await vi.waitFor(() => expect(verdict()).toMatchObject({ state: 'stuck', by: 'hook' }), 5_000)
    publish('busy')
    await becomes('working')
  })

  test('a status that a later version may have', async () => {
    publish('busy')
    await becomes('working')
    hook('Stop')
    publish('napping')
    await vi.waitFor(() => expect(verdict()).toMatchObject({ state: 'stuck', by: 'hook' }), 5_000)
  })

  test('a file that is taken away from a process that lives', async () => {
    const file = publish('busy')
    await becomes('working')
    hook('Stop')
    rmSync(file)
    await vi.waitFor(() => expect(verdict()).toMatchObject({ state: 'stuck', by: 'hook' }), 5_000)
  })

  test('half a file that is whole a moment later changes nothing', async () => {
    const file = publish('waiting')
    await becomes('stuck')
    const seen: unknown[] = []
    world.herd.onChange(() => seen.push(verdict()?.state))
    writeFileSync(file, '{"pid":')
    follower.sweep()
    publish('busy')
    await becomes('working')
    expect(seen).toEqual(['working'])
  })
})
