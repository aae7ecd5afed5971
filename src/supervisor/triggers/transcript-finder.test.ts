import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { sessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { Proofs } from './proofs.ts'
import { TranscriptFinder } from './transcript-finder.ts'

const MARK = 'k3f9x2m7q1'
const SERVER = 4_711
const [OLD, NEW] = ['01a1ec39-4a8c-7360-b231-e61499568aa0', '01a1ec3a-1cc0-70b0-817a-e851c971d25a']

let scene: TestHerd
let finder: TranscriptFinder
beforeEach(() => {
  scene = createTestHerd()
  finder = new TranscriptFinder(scene.herd, new Proofs())
})
afterEach(() => scene[Symbol.dispose]())

function rollout(session: string, thread_source = 'user'): string {
  const today = new Date()
  const day = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((n) =>
    `${n}`.padStart(2, '0'),
  )
  const path = join(
    scene.dir,
    '.codex',
    'sessions',
    ...day,
    `rollout-2026-11-18T01-15-40-${session}.jsonl`,
  )
  mkdirSync(dirname(path), { recursive: true })
  const payload = { id: session, originator: 'codex-tui', thread_source, cwd: scene.dir }
  writeFileSync(path, `${JSON.stringify({ type: 'session_meta', payload })}\n`)
  return path
}

function prompted(path: string, text: string): string {
  const item = { type: 'UserMessage', content: [{ type: 'text', text }] }
  const payload = { type: 'item_completed', item }
  const line = { timestamp: new Date().toISOString(), type: 'event_msg', payload }
  appendFileSync(path, `${JSON.stringify(line)}\n`)
  return path
}

/** A process in one of our panes that has these files open. */
async function running(...paths: string[]): Promise<Runtime> {
  const holds = `for (const path of ${JSON.stringify(paths)}) require('fs').openSync(path); console.log(1); setInterval(() => 0, 1000)`
  const env = { HOME: scene.dir, TMUX: `/s,${SERVER},0`, TMUX_PANE: '%1' }
  const child = spawn(process.execPath, ['-e', holds], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const pane = { socket: '/s', id: '%1', server: SERVER, pid: child.pid }
  return { harness: 'codex', status: 'ready', pane } as Runtime
}

const sessionOf = (id: string) => scene.herd.session(sessionKey('codex', id))

test('the only transcript that its process has open is its own, and is reported with its pane', async () => {
  const path = rollout(OLD)
  const runtime = await running(path, rollout(NEW, 'thread_title'))
  expect(await finder.find(runtime, [])).toMatchObject({ session: OLD, path })
  expect(sessionOf(OLD)).toMatchObject({ transcript: path, pane: { id: '%1', server: SERVER } })
  expect(sessionOf(OLD)?.verdict.state).not.toBe('working')
  const { lastAt } = sessionOf(OLD) ?? {}
  await finder.find(runtime, [])
  expect(sessionOf(OLD)?.lastAt).toBe(lastAt)
})

test('of several, it is the one that holds one of our prompts', async () => {
  const runtime = await running(rollout(OLD), rollout(NEW))
  expect(await finder.find(runtime, [MARK])).toBeUndefined()
  prompted(rollout(OLD), `Somebody quotes tb:${MARK} here.`)
  expect(await finder.find(runtime, [MARK])).toBeUndefined()
  prompted(rollout(NEW), `[tb:${MARK}] Go on.`)
  expect(await finder.find(runtime, [MARK])).toMatchObject({ session: NEW })
})

test('one that is not open counts only if it holds one of our prompts', async () => {
  const path = rollout(OLD)
  const runtime = await running()
  expect(await finder.find(runtime, [MARK])).toBeUndefined()
  expect(await finder.find(runtime, [])).toBeUndefined()
  prompted(path, `[tb:${MARK}] Go on.`)
  expect(await finder.find(runtime, [MARK])).toMatchObject({ session: OLD, path })
})

test('so does one of Gemini CLI, which has none open', async () => {
  const chats = join(scene.dir, '.gemini', 'tmp', 'ranch', 'chats')
  mkdirSync(chats, { recursive: true })
  const session = '3a4cb986-7a57-4acb-8511-f313c0e7b615'
  const path = join(chats, 'session-2026-11-16T05-40-3a4cb986.jsonl')
  const timestamp = new Date().toISOString()
  const user = { timestamp, type: 'user', content: [{ text: `[tb:${MARK}] Go on.` }] }
  writeFileSync(path, `${JSON.stringify({ sessionId: session, kind: 'main' })}\n`)
  const runtime = { ...(await running()), harness: 'gemini' } as Runtime
  expect(await finder.find(runtime, [MARK])).toBeUndefined()
  appendFileSync(path, `${JSON.stringify(user)}\n`)
  expect(await finder.find(runtime, [MARK])).toMatchObject({ session, path })
})

test('a prompt is taken if any session that its process has open has it', async () => {
  expect(await finder.isTaken(await running(), MARK)).toBeUndefined()
  const runtime = await running(rollout(OLD), rollout(NEW))
  expect(await finder.isTaken(runtime, MARK)).toBe(false)
  prompted(rollout(OLD), `[tb:${MARK}] Go on.`)
  expect(await finder.isTaken(runtime, MARK)).toBe(true)
})

test('it does not search if hooks name it, or another process has the pid by now', async () => {
  const runtime = await running(rollout(OLD))
  const elsewhere = { ...runtime, pane: { ...paneIn(runtime), id: '%2' } } as Runtime
  expect(await finder.find(elsewhere, [])).toBeUndefined()
  const at = scene.herd.clock.now()
  const about = {
    v: 1,
    kind: 'started',
    harness: 'codex',
    session: NEW,
    source: 'hook',
    at,
  } as const
  scene.herd.receive(withoutSecrets({ ...about, transcript: '/x.jsonl' }), { recovered: false })
  expect(await finder.find({ ...runtime, sessionId: NEW }, [])).toBeUndefined()
})
