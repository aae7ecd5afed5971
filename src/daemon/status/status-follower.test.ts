import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStatusScene, type StatusScene } from '../../../test/support/daemon/status-scene.ts'
import { sessionKey } from '../../core/session/event.ts'

let it: StatusScene

beforeEach(() => {
  it = createStatusScene()
})
afterEach(() => it[Symbol.dispose]())

/** The clock decides how long an idle must last, and it does not stop while a busy machine delays us. */
function inNoTime(work: () => void): void {
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
  try {
    work()
  } finally {
    vi.useRealTimers()
  }
}

test('a session that nothing else reported is found and followed', async () => {
  it.publish('busy')
  await it.becomes('working')
  it.publish('waiting', { waitingFor: 'permission prompt' })
  await it.becomes('stuck')
  expect(it.verdict()).toMatchObject({ reason: 'permission', by: 'status' })
  it.publish('busy')
  await it.becomes('working')
  it.publish('idle')
  await it.becomes('stuck')
  expect(it.verdict()).toMatchObject({ reason: 'stopped' })
})

test('what was published before we looked counts from the first sweep', () => {
  it.publish('waiting', { waitingFor: 'input needed', at: Date.now() - 5_000 })
  it.follower.sweep()
  expect(it.world.queue()).toEqual(['s'])
})

test('a session at its first empty prompt is not stuck', () => {
  it.publish('idle')
  it.follower.sweep()
  expect(it.verdict()).toMatchObject({ state: 'unknown', why: expect.stringContaining('yet') })
})

test('an idle between two turns does not queue it', async () => {
  it.publish('busy')
  await it.becomes('working')
  const seen: unknown[] = []
  it.world.herd.onChange(() => seen.push(it.verdict()?.state))
  inNoTime(() => {
    it.publish('idle')
    it.follower.sweep()
    it.publish('busy', { at: Date.now() + 1 })
    it.follower.sweep()
  })
  it.publish('waiting', { at: Date.now() + 2 })
  await it.becomes('stuck')
  expect(seen).not.toContain('unknown')
  expect(seen.indexOf('stuck')).toBe(seen.lastIndexOf('working') + 1)
  expect(it.verdict()).toMatchObject({ reason: 'permission' })
})

test('an idle counts at once if a hook reported the end of the turn', async () => {
  it.publish('busy', { at: Date.now() - 5_000 })
  await it.becomes('working')
  it.tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 20 })
  it.publish('idle')
  it.follower.sweep()
  expect(it.verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('but not if a subagent was still running at that end', async () => {
  it.publish('busy', { at: Date.now() - 5_000 })
  await it.becomes('working')
  it.tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 20, note: 'a subagent runs' })
  inNoTime(() => {
    it.publish('idle')
    it.follower.sweep()
  })
  expect(it.verdict()?.state).toBe('working')
  await it.becomes('stuck')
})

test('nor if that subagent got a permission in the meantime', async () => {
  it.publish('busy', { at: Date.now() - 5_000 })
  await it.becomes('working')
  it.tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 4_000, note: 'a subagent runs' })
  it.publish('waiting', { at: Date.now() - 3_000 })
  await it.becomes('stuck')
  it.publish('busy', { at: Date.now() - 2_000 })
  await it.becomes('working')
  inNoTime(() => {
    it.publish('idle', { at: Date.now() - 600 })
    it.follower.sweep()
  })
  expect(it.verdict()?.state).toBe('working')
  await it.becomes('stuck')
})

test('an idle counts sooner if the end of the turn was reported, too', async () => {
  it.publish('busy', { at: Date.now() - 1_000 })
  await it.becomes('working')
  const end = { kind: 'stuck', reason: 'stopped', source: 'transcript' } as const
  inNoTime(() => {
    it.publish('idle', { at: Date.now() - 160 })
    it.follower.sweep()
    expect(it.verdict()?.state).toBe('working')
    it.tell({ ...end, at: Date.now() - 200, note: 'a subagent runs' })
    it.follower.sweep()
    expect(it.verdict()?.state).toBe('working')
    it.tell({ ...end, at: Date.now() - 170 })
    it.follower.sweep()
    expect(it.verdict()).toMatchObject({ state: 'stuck', by: 'status' })
  })
})

test('but not if a prompt was typed in the meantime, which begins the next turn', async () => {
  it.publish('busy', { at: Date.now() - 5_000 })
  await it.becomes('working')
  it.tell({ kind: 'unstuck', prompt: true, at: Date.now() - 2_000 })
  it.tell({ kind: 'stuck', reason: 'stopped', at: Date.now() - 170 })
  inNoTime(() => {
    it.publish('idle', { at: Date.now() - 160 })
    it.follower.sweep()
  })
  expect(it.verdict()?.state).toBe('working')
  await it.becomes('stuck')
})

test('an idle that a prompt has overtaken counts again if it stays', () => {
  it.publish('idle', { at: Date.now() - 4_000 })
  it.follower.sweep()
  it.tell({ kind: 'unstuck', prompt: true, at: Date.now() - 2_500 })
  expect(it.verdict()).toMatchObject({ state: 'working', by: 'hook' })
  const now = it.world.herd.clock.now()
  it.follower.confirm(it.world.herd.sessions(), now - 1_000)
  expect(it.verdict()?.state).toBe('working')
  it.follower.confirm(it.world.herd.sessions(), now)
  expect(it.verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('a directory that is created or replaced later is found', async () => {
  rmSync(it.sessions, { recursive: true })
  it.follower.sweepUnwatched()
  mkdirSync(it.sessions)
  it.publish('busy')
  it.follower.sweep()
  expect(it.verdict()?.state).toBe('working')
  rmSync(it.sessions, { recursive: true })
  mkdirSync(it.sessions)
  it.follower.sweep()
  it.publish('waiting')
  await it.becomes('stuck')
})

test("another configuration's directory is found through a transcript", async () => {
  const directory = join(it.world.dir, 'other', 'sessions')
  mkdirSync(directory, { recursive: true })
  it.publish('waiting', { directory })
  const transcript = join(it.world.dir, 'other', 'projects', '-p', 's.jsonl')
  const payload = {
    session_id: 's',
    hook_event_name: 'UserPromptSubmit',
    transcript_path: transcript,
  }
  it.world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now() - 1_000, payload }, 'live')
  expect(it.verdict()?.state).toBe('working')
  it.follower.follow(it.world.herd.session(sessionKey('claude-code', 's'))!)
  expect(it.verdict()).toMatchObject({ state: 'stuck', by: 'status' })
})

test('one process that continues with another session ends the one before', async () => {
  const at = Date.now()
  it.publish('waiting', { session: 'before', at })
  await it.becomes('stuck', 'before')
  it.publish('idle', { session: 'after', at })
  await it.becomes('unknown', 'after')
  expect(it.verdict('before')).toMatchObject({
    state: 'ended',
    why: expect.stringContaining('after'),
  })
})

test.each([
  ['that was seen', 'busy'],
  ['that was missed', 'waiting'],
] as const)(
  'a session that follows another begins at an empty prompt, even if its process is still busy with a command %s',
  async (_, seen) => {
    const at = Date.now() - 5_000
    it.publish(seen, { session: 'before', at: at - (seen === 'busy' ? 0 : 100) })
    await it.becomes(seen === 'busy' ? 'working' : 'stuck', 'before')
    it.publish('busy', { session: 'after', at })
    await it.becomes('ended', 'before')
    expect(it.verdict('after')?.state).toBe('unknown')
    it.publish('idle', { session: 'after', at: at + 100 })
    await vi.waitFor(() => expect(it.verdict('after')).toMatchObject({ by: 'status' }), 15_000)
    expect(it.verdict('after')?.state).toBe('unknown')
    it.publish('busy', { session: 'after' })
    await it.becomes('working', 'after')
  },
)

test('a worker without a session is nobody, and its next session begins anew', async () => {
  const more = { kind: 'bg', jobId: 's1' }
  it.publish('idle', { session: 's1', more: { ...more, spare: true } })
  it.follower.sweep()
  expect(it.verdict('s1')).toBeUndefined()
  it.publish('waiting', { session: 's1', more })
  await it.becomes('stuck', 's1')
  it.publish('idle', { session: 's1', more: { ...more, spare: true } })
  await it.becomes('ended', 's1')
  it.publish('busy', { session: 's1', startedAt: Date.now() + 1, at: Date.now() + 2, more })
  await it.becomes('working', 's1')
})

test('the latest publication counts, even if its time is older', async () => {
  it.publish('waiting', { session: 'before' })
  await it.becomes('stuck', 'before')
  it.publish('waiting', { session: 'after' })
  await it.becomes('stuck', 'after')
  it.publish('busy', { session: 'after', at: Date.now() - 5_000 })
  await it.becomes('working', 'after')
})
