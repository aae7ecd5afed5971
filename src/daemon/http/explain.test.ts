import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appParts } from '../../../test/support/daemon/app-parts.ts'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { ExplainAllView, ExplainView, Problem } from '../../contract/responses.ts'
import { createApp } from './app.ts'

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

async function get<View>(query: Record<string, string>): Promise<View> {
  const app = createApp(appParts(world), { kind: 'unix' })
  return (await (await app.request(`/explain?${new URLSearchParams(query)}`)).json()) as View
}
const explain = (target: string, socket?: string) =>
  get<ExplainView>({ target, ...(socket && { socket }) })
const refused = (target: string) => get<Problem>({ target })

function hook(session: string, name: string, more: { at?: number; tmux?: string } = {}): void {
  const payload = { session_id: session, hook_event_name: name, cwd: '/p' }
  const pane = more.tmux === undefined ? {} : { tmux: `${more.tmux},1,0`, pane: '%4' }
  const envelope = { v: 1, harness: 'claude-code', at: more.at ?? Date.now(), payload, ...pane }
  world.ingest.hook(envelope, 'live')
}

test('a session is explained by its id, its key, its first letters and its pane', async () => {
  hook('abcdef-1', 'Stop', { tmux: '/tmp/tb-none/default' })
  for (const target of ['abcdef-1', 'claude-code:abcdef-1', 'abcd', '%4']) {
    expect(await explain(target)).toMatchObject({
      session: 'abcdef-1',
      title: 'Claude Code',
      state: 'stuck',
      reason: 'stopped',
      ask: { text: 'Finished its turn.' },
      listed: true,
      resumed: false,
      why: expect.stringContaining('Its hook Stop'),
      because: [{ source: 'hook', claim: 'stuck (finished)', detail: 'Stop', decided: true }],
      missing: expect.arrayContaining([expect.stringMatching(/publishes no status/)]),
    })
  }
})

describe('an unclear target is refused with what to do', () => {
  test('an unknown one', async () => {
    expect(await refused('nobody')).toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringMatching(/sessions/),
    })
  })

  test('too few letters, or letters that several begin with', async () => {
    hook('abcdef-1', 'Stop')
    expect(await refused('abc')).toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringMatching(/^Give at least 4 letters of a session's id\./),
    })
    hook('abcdef-2', 'Stop')
    expect((await refused('abcd')).detail).toMatch(/2 sessions: .*:abcdef-1\), .*:abcdef-2\)\.$/)
  })

  test('an unknown pane', async () => {
    expect((await refused('%9')).detail).toMatch(/^No pane %9 is on any tmux server/)
  })

  test("a pane of that name on two servers: the one on the caller's server wins", async () => {
    hook('here', 'Stop', { tmux: '/tmp/tb-none/a' })
    hook('there', 'Stop', { tmux: '/tmp/tb-none/b' })
    expect(await explain('%4', '/tmp/tb-none/a')).toMatchObject({ session: 'here' })
    expect(await explain('%4', '/tmp/tb-none/b')).toMatchObject({ session: 'there' })
    expect((await refused('%4')).detail).toMatch(/on 2 tmux servers/)
  })
})

test('in a pane, the live session wins, and otherwise the last that ended', async () => {
  const tmux = '/tmp/tb-none/a'
  hook('first', 'Stop', { tmux, at: Date.now() - 2_000 })
  hook('first', 'SessionEnd', { tmux, at: Date.now() - 1_000 })
  expect(await explain('%4')).toMatchObject({ session: 'first', state: 'ended', missing: [] })
  hook('second', 'UserPromptSubmit', { tmux })
  expect(await explain('%4')).toMatchObject({ session: 'second', state: 'working' })
  hook('elsewhere', 'Stop', { tmux: '/tmp/tb-none/b', at: Date.now() + 1_000 })
  hook('elsewhere', 'SessionEnd', { tmux: '/tmp/tb-none/b', at: Date.now() + 1_001 })
  expect(await explain('%4')).toMatchObject({ session: 'second' })
})

test('everything: the queue first, then work, then the rest; ended sessions only on request', async () => {
  hook('new', 'SessionStart')
  hook('busy', 'UserPromptSubmit')
  hook('head', 'Stop', { at: Date.now() - 900 })
  hook('next', 'Stop')
  hook('over', 'SessionEnd')
  const ids = async (query: Record<string, string>) =>
    (await get<ExplainAllView>(query)).sessions.map(({ session }) => session)
  expect(await ids({})).toEqual(['head', 'next', 'busy', 'new'])
  expect(await ids({ ended: '1' })).toEqual(['head', 'next', 'busy', 'new', 'over'])
})

test('since when it is in the queue, and since when it asks its current question', async () => {
  const at = Date.now() - 60_000
  hook('s', 'Stop', { at })
  hook('s', 'PermissionRequest', { at: at + 50_000 })
  const { since, listedSince } = await explain('s')
  expect([since, listedSince]).toEqual([at + 50_000, at])
  hook('s', 'UserPromptSubmit')
  expect(await explain('s')).toMatchObject({ listed: false, listedSince: null })
})

test('no hook came from a session with its own settings: those need hooks', async () => {
  const transcript = join(world.dir, 'other', 'projects', '-p', 's.jsonl')
  const about = { v: 1, harness: 'claude-code', session: 's', at: Date.now(), transcript } as const
  world.ingest.own({ ...about, kind: 'unstuck', source: 'status', detail: 'busy' }, 'tailed')
  expect((await explain('s')).missing.join('\n')).toContain(
    `CLAUDE_CONFIG_DIR=${join(world.dir, 'other')} trailboss install claude-code`,
  )
})

test('a transcript that is missing, unreadable, or present', async () => {
  const transcript = join(world.dir, 't.jsonl')
  const payload = { session_id: 's', hook_event_name: 'Stop', transcript_path: transcript }
  world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now(), payload }, 'live')
  const missing = async () => (await explain('s')).missing.join('\n')
  expect(await missing()).toContain(
    `No transcript found yet; the first prompt makes it: ${transcript}`,
  )
  mkdirSync(transcript)
  expect(await missing()).toContain('cannot be read: it is not a regular file')
  writeFileSync(join(world.dir, 'u.jsonl'), '')
  const moved = { ...payload, transcript_path: join(world.dir, 'u.jsonl') }
  world.ingest.hook({ v: 1, harness: 'claude-code', at: Date.now() + 1, payload: moved }, 'live')
  expect(await missing()).not.toContain('transcript')
})

describe('habits that only Claude Code has are described as they are', () => {
  const at = Date.now()
  const about = { v: 1, harness: 'claude-code', session: 's', at } as const

  test('it was approved, which nobody reports', async () => {
    hook('s', 'UserPromptSubmit', { at: at - 20 })
    hook('s', 'PermissionRequest', { at: at - 10 })
    world.ingest.own({ ...about, kind: 'unstuck', source: 'status', detail: 'busy' }, 'tailed')
    expect((await explain('s')).why).toMatch(
      /asked before that and nobody reported an answer; but approving fires no hook, so it was answered\.$/,
    )
  })

  test('nobody is in front of it', async () => {
    world.ingest.own({ ...about, kind: 'started', source: 'status', headless: true }, 'tailed')
    expect((await explain('s')).missing[0]).toBe(
      'Nobody sits in front of it (claude -p, or a program that drives it): it is never queued.',
    )
  })

  test('it asks something while it starts', async () => {
    const ask = { text: 'Do you trust the files in this folder?' }
    world.ingest.own(
      { ...about, kind: 'stuck', reason: 'permission', source: 'screen', ask },
      'tailed',
    )
    expect((await explain('s')).missing).toContain(
      'So far only its screen shows it. It is probably still starting: its status and its hooks come after this dialog.',
    )
  })
})

test("an unknown harness gets no description of another one's habits", async () => {
  const event = { v: 1, kind: 'stuck', reason: 'stopped', harness: 'my-agent', session: 's' }
  world.ingest.event({ ...event, source: 'api', at: Date.now(), headless: true })
  expect((await explain('s')).missing[0]).toBe('Nobody sits in front of it: it is never queued.')
})

test('a watched program goes by its name, and its screen is the only source', async () => {
  const about = { v: 1, harness: 'program', session: 'gdb-7', at: Date.now() } as const
  world.ingest.own({ ...about, kind: 'stuck', source: 'screen', detail: 'a REPL' }, 'tailed')
  expect(await explain('gdb-7')).toMatchObject({
    title: 'gdb',
    why: 'Its screen shows it (a REPL), and nothing else reports on it.',
    missing: expect.arrayContaining([expect.stringMatching(/^Trail Boss has no adapter for gdb;/)]),
    monitor: null,
  })
})
