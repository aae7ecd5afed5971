import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStatusScene, type StatusScene } from '../../../test/support/daemon/status-scene.ts'
import { sessionKey } from '../../core/session/event.ts'
import { isQueued } from '../../core/session/queue.ts'
import { nameOf } from '../../process/command.ts'

let it: StatusScene
/** Of the last hook: no two of them in one millisecond. */
let at: number
let one: ChildProcess
let two: ChildProcess
beforeEach(async () => {
  it = createStatusScene()
  at = Date.now() - 1_000
  one = await claude()
  two = await claude()
})
afterEach(() => {
  for (const child of [one, two]) child.kill('SIGKILL')
  it[Symbol.dispose]()
})

/** A process that calls itself like the harness. */
async function claude(): Promise<ChildProcess> {
  const file = join(it.world.dir, 'claude')
  if (!existsSync(file)) copyFileSync('/bin/sleep', file)
  const child = spawn(file, ['60'])
  await vi.waitFor(() => expect(nameOf(child.pid ?? 0)).toBe('claude'), 15_000)
  return child
}

const twin = () => `s#${two.pid}`
const session = (id: string) => it.world.herd.session(sessionKey('claude-code', id))
const listed = () => [...it.world.herd.sessions()].filter(isQueued).map(({ id }) => id)
const publish = (child: ChildProcess, status: string) =>
  it.publish(status, { pid: child.pid ?? 0, startedAt: Date.now() })

function hook(child: ChildProcess, name: string, more: object = {}, entrypoint = 'cli'): void {
  at += 10
  const payload = { session_id: 's', hook_event_name: name, transcript_path: '/x/s.jsonl', ...more }
  const envelope = { v: 1, harness: 'claude-code', at, pid: child.pid, entrypoint, payload }
  it.world.ingest.hook(envelope, 'live')
}

test('two processes with one session are two sessions, by their status', async () => {
  publish(one, 'waiting')
  await it.becomes('stuck')
  publish(two, 'waiting')
  await it.becomes('stuck', twin())
  expect(listed()).toEqual(['s', twin()])
  publish(one, 'busy')
  await it.becomes('working')
  expect(listed()).toEqual([twin()])
  expect(session(twin())).toMatchObject({ pid: two.pid, transcript: undefined })
})

test('and by their hooks, whichever comes first', () => {
  hook(one, 'Stop', { last_assistant_message: 'One.' })
  hook(two, 'SessionStart', { source: 'resume' })
  hook(two, 'Stop', { last_assistant_message: 'Two.' })
  expect(session('s')).toMatchObject({ pid: one.pid, verdict: { ask: { text: 'One.' } } })
  expect(session(twin())).toMatchObject({ pid: two.pid, verdict: { ask: { text: 'Two.' } } })
  hook(one, 'UserPromptSubmit', { prompt: 'Go on' })
  expect(listed()).toEqual([twin()])
})

test('what one of them writes to the transcript says nothing about the other', () => {
  const prompt = { kind: 'unstuck', prompt: true, source: 'transcript' } as const
  hook(one, 'Stop', { last_assistant_message: 'One.' })
  hook(two, 'Stop', { last_assistant_message: 'Two.' })
  it.tell({ ...prompt, at: Date.now() + 10 })
  expect(listed()).toEqual(['s', twin()])
  hook(two, 'SessionEnd', { reason: 'other' })
  it.tell({ ...prompt, at: Date.now() + 20 })
  expect(listed()).toEqual([])
})

test('the second one stays what it is when the first one has ended', () => {
  hook(one, 'Stop', { last_assistant_message: 'One.' })
  hook(two, 'Stop', { last_assistant_message: 'Two.' })
  hook(one, 'SessionEnd', { reason: 'other' })
  hook(two, 'Stop', { last_assistant_message: 'Three.' })
  expect(listed()).toEqual([twin()])
})

test('a process that continues it after the first one has ended is no twin', async () => {
  hook(one, 'Stop', { last_assistant_message: 'One.' })
  one.kill('SIGKILL')
  await vi.waitFor(() => expect(one.signalCode).toBe('SIGKILL'), 15_000)
  hook(two, 'SessionStart', { source: 'resume' })
  hook(two, 'Stop', { last_assistant_message: 'Two.' })
  expect(listed()).toEqual(['s'])
  expect(session('s')).toMatchObject({ pid: two.pid })
})

test('a headless run of it is no twin', () => {
  hook(one, 'Stop', { last_assistant_message: 'One.' })
  hook(two, 'Stop', { last_assistant_message: 'Two.' }, 'sdk-cli')
  expect(session(twin())).toBeUndefined()
  expect(session('s')).toMatchObject({ pid: one.pid, verdict: { ask: { text: 'One.' } } })
})
