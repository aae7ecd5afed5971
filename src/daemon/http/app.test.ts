import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appParts } from '../../../test/support/daemon/app-parts.ts'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { QueueView, SkipView, WaitView } from '../../contract/responses.ts'
import { type AppParts, createApp } from './app.ts'

let world: TestHerd
let parts: AppParts

beforeEach(() => {
  world = createTestHerd()
  parts = appParts(world)
})
afterEach(() => world[Symbol.dispose]())

const unix = () => createApp(parts, { kind: 'unix' })
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  unix().request(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const stop = (session: string, text = 'Done.') => ({
  session_id: session,
  hook_event_name: 'Stop',
  cwd: '/home/op/proj',
  last_assistant_message: text,
})
const permission = (session: string) => ({
  session_id: session,
  hook_event_name: 'PermissionRequest',
  tool_name: 'Bash',
  tool_input: { command: 'make' },
})
const envelope = (payload: unknown, more: object = {}) => ({
  v: 1,
  harness: 'claude-code',
  at: Date.now(),
  payload,
  ...more,
})
const SOCKET = '/tmp/tb-none/default'
const stopIn = (session: string, pane: string) =>
  post('/event', envelope(stop(session), { tmux: `${SOCKET},123,0`, pane }))
const event = { v: 1, kind: 'stuck', harness: 'x', session: 's', at: 1, source: 'api' }
const queue = async () => (await (await unix().request('/queue')).json()) as QueueView
const sessionsInQueue = async () => (await queue()).items.map((item) => item.session)
const logLength = () => world.store.db.prepare('SELECT count(*) AS n FROM events').get()?.['n']

describe('hooks', () => {
  test('a stop enters the queue and a prompt leaves it', async () => {
    expect((await post('/event', envelope(stop('a')))).status).toBe(202)
    expect(await sessionsInQueue()).toEqual(['a'])
    const prompt = { session_id: 'a', hook_event_name: 'UserPromptSubmit', prompt: 'go on' }
    await post('/event', envelope(prompt))
    expect(await sessionsInQueue()).toEqual([])
  })

  test('a second event with another pane moves the session there', async () => {
    await stopIn('a', '%1')
    await stopIn('a', '%7')
    expect((await queue()).items[0]?.pane).toMatchObject({ id: '%7' })
    expect(await (await unix().request('/next')).text()).toBe('%7')
  })

  test('a bare payload is accepted, without a pane', async () => {
    expect((await post('/event', stop('a'))).status).toBe(202)
    expect((await queue()).items[0]).toMatchObject({ session: 'a', pane: null })
  })

  test('a hook that nobody understands is recorded and ignored', async () => {
    const odd = { session_id: 'a', hook_event_name: 'BrandNewHook', extra: { deep: [1] } }
    expect((await post('/event', envelope(odd))).status).toBe(202)
    expect(await sessionsInQueue()).toEqual([])
    expect(world.store.db.prepare('SELECT name FROM ignored_signals').get()).toEqual({
      name: 'BrandNewHook',
    })
  })
})

test('only the supervisor itself can name the subject of an item', async () => {
  await post('/v1/events', { ...event, about: { kind: 'trigger', id: 'trg_1' } })
  expect((await queue()).items[0]?.about).toEqual({ kind: 'session', id: 's' })
})

describe('bad input', () => {
  const forged = { socket: '/x', id: '%1; kill-server' }
  const deep = `${'['.repeat(500)}${']'.repeat(500)}`

  test.each([
    ['/event', '{', 400],
    ['/event', '', 400],
    ['/event', 'null', 400],
    ['/event', '[]', 400],
    ['/event', '"text"', 400],
    ['/event', JSON.stringify(envelope({ session_id: 7, hook_event_name: 'Stop' })), 400],
    ['/event', JSON.stringify(envelope(stop('a'), { at: 'now' })), 400],
    ['/event', JSON.stringify(envelope(stop('a'), { harness: '../etc' })), 400],
    ['/event', JSON.stringify(envelope(stop('a'), { harness: 'unheard-of' })), 400],
    ['/v1/events', '{', 400],
    ['/v1/events', '{}', 400],
    ['/v1/events', JSON.stringify({ ...event, at: -1 }), 400],
    ['/v1/events', JSON.stringify({ ...event, session: 'a\ud800b' }), 400],
    ['/v1/events', JSON.stringify({ ...event, at: 1e300 }), 400],
    ['/v1/events', JSON.stringify({ ...event, pane: { socket: 'x', id: '%1' } }), 400],
    ['/v1/events', JSON.stringify({ ...event, pane: forged }), 400],
    ['/v1/events', `${JSON.stringify(event).slice(0, -1)},"x":${deep}}`, 400],
    ['/v1/events', JSON.stringify({ ...event, filler: 'x'.repeat(300_000) }), 413],
    ['/v1/events', JSON.stringify({ ...event, pane: { socket: '/a\0b', id: '%1' } }), 400],
    ['/servers', JSON.stringify({ socket: '/a\0b' }), 400],
    ['/skip', '{"cooldownMs":"long"}', 400],
    ['/skip', '{"sesion":"r"}', 400],
    ['/skip', '{"session":""}', 400],
    ['/skip', '[]', 400],
    ['/skip', '{"session":"nobody"}', 404],
    ['/skip', '{"until":1}', 400],
    ['/skip', '{"until":9e15}', 400],
    ['/skip', '{"cooldownMs":1,"until":1}', 400],
    ['/dismiss', '{}', 400],
    ['/dismiss', '{"session":"nobody"}', 404],
    ['/dismiss', '{"target":"nobody"}', 404],
    ['/dismiss', '{"session":"a","evenBlocked":"yes"}', 400],
    ['/nowhere', '{}', 404],
  ])('POST %s %.60s is refused with %i, and nothing is stored', async (path, body, status) => {
    const response = await post(path, body)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status, code: expect.any(String) })
    expect(logLength()).toBe(0)
  })

  test('a body of another type is refused', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await post('/event', stop('a'), form)).status).toBe(415)
    expect((await post('/event', stop('a'), { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('an event of a kind from the future is recorded and ignored', async () => {
    expect((await post('/v1/events', { ...event, kind: 'levitated' })).status).toBe(202)
    expect(logLength()).toBe(0)
    expect(world.store.db.prepare('SELECT name FROM ignored_signals').get()).toEqual({
      name: 'levitated',
    })
  })

  test('unknown fields of an event are kept', async () => {
    await post('/v1/events', { ...event, colour: 'blue' })
    const row = world.store.db.prepare('SELECT entry FROM events').get()
    expect(row?.['entry']).toContain('"colour":"blue"')
  })

  test('the label of an event is shown, and an unknown one is left out', async () => {
    const stuck = { ...event, kind: 'stuck', ask: { text: 'Which?' } }
    await post('/v1/events', { ...stuck, session: 'known', label: 'asks' })
    await post('/v1/events', { ...stuck, session: 'strange', label: '\u001b[31mbad' })
    await post('/v1/events', { ...stuck, session: 'none', label: 7 })
    const { items } = await queue()
    expect(items.map(({ session, label }) => [session, label])).toEqual([
      ['known', 'asks'],
      ['strange', 'finished'],
      ['none', 'finished'],
    ])
    const stored = world.store.db.prepare('SELECT entry FROM events').all()
    expect(JSON.stringify(stored)).not.toContain('bad')
  })

  test('whatever JSON comes in, the answer is 2xx or 4xx and the queue stays readable', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/event', '/v1/events', '/skip'),
        fc.json(),
        async (path, body) => {
          expect((await post(path, body)).status).toBeLessThan(500)
          expect((await unix().request('/queue')).status).toBe(200)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a store that cannot write answers 503 and keeps nothing', async () => {
    world.store.db.exec(
      'CREATE TRIGGER no BEFORE INSERT ON events BEGIN SELECT raise(ABORT, "full"); END',
    )
    const response = await post('/event', envelope(stop('a')))
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'NOT_STORED' })
    expect(await sessionsInQueue()).toEqual([])
  })
})

describe('the queue over HTTP', () => {
  test('skip moves the head to the tail, undo brings it back', async () => {
    await post('/event', envelope(stop('a')))
    await post('/event', envelope(stop('b')))
    const skipped = await (await post('/skip', {})).json()
    expect(skipped).toMatchObject({ skipped: { session: 'a', ready: false } })
    expect(await sessionsInQueue()).toEqual(['b', 'a'])
    await post('/skip', { undo: true })
    expect(await sessionsInQueue()).toEqual(['a', 'b'])
  })

  test('dismiss takes one off the queue, undo puts it back in its place', async () => {
    await post('/event', envelope(stop('a')))
    await post('/event', envelope(stop('b')))
    const dismissed = await (await post('/dismiss', { session: 'a' })).json()
    expect(dismissed).toMatchObject({ dismissed: { session: 'a' }, head: null })
    expect(await sessionsInQueue()).toEqual(['b'])
    const all = (await (await unix().request('/queue?all=1')).json()) as QueueView
    expect(all.items.map(({ session }) => session)).toEqual(['b', 'a'])
    expect(all.items[1]?.dismissedAt).toBeGreaterThan(0)
    await post('/dismiss', { undo: true })
    expect(await sessionsInQueue()).toEqual(['a', 'b'])
    expect(await (await post('/dismiss', { undo: true })).json()).toMatchObject({ dismissed: null })
  })

  test('dismiss refuses what waits for an answer, unless it is meant', async () => {
    await post('/event', envelope(permission('a')))
    const refused = await post('/dismiss', { session: 'a' })
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'STILL_BLOCKED' })
    expect(await sessionsInQueue()).toEqual(['a'])
    await post('/dismiss', { session: 'a', evenBlocked: true })
    expect(await sessionsInQueue()).toEqual([])
  })

  test('a skip until a time of the clock says when it is over', async () => {
    await post('/event', envelope(stop('a')))
    const until = Date.now() + 7_200_000
    const answer = (await (await post('/skip', { session: 'a', until })).json()) as SkipView
    expect(Math.abs((answer.skipped?.readyAt ?? 0) - until)).toBeLessThan(100)
  })

  test('wait answers at once if it is so, and otherwise when it becomes so', async () => {
    const wait = async (query: string) =>
      (await (await unix().request(`/wait?${query}`)).json()) as WaitView
    expect(await wait('for=any-stuck')).toMatchObject({ happened: false, item: null })
    const held = wait('for=any-stuck&wait=20')
    await post('/event', envelope(stop('a')))
    expect(await held).toMatchObject({ happened: true, item: { session: 'a' } })
    expect(await wait('for=stuck&target=a')).toMatchObject({ happened: true })
    const working = wait('for=working&target=a&wait=20')
    await post('/event', envelope({ session_id: 'a', hook_event_name: 'UserPromptSubmit' }))
    expect(await working).toMatchObject({ happened: true, session: { state: 'working' } })
    expect(await wait('for=ended&target=a')).toMatchObject({ happened: false })
    const ended = wait('for=stuck&target=a&wait=30')
    await post('/event', envelope({ session_id: 'a', hook_event_name: 'SessionEnd' }))
    expect(await ended).toMatchObject({ happened: false, session: { state: 'ended' } })
  })

  test.each([
    ['', 400],
    ['for=bored', 400],
    ['for=stuck', 400],
    ['for=any-stuck&target=a', 400],
    ['for=stuck&target=nobody', 404],
  ])('wait refuses %j', async (query, status) => {
    await post('/event', envelope(stop('a')))
    expect((await unix().request(`/wait?${query}`)).status).toBe(status)
  })

  test("skip in a stuck session's own pane means that one", async () => {
    await stopIn('a', '%1')
    await stopIn('b', '%2')
    await post('/skip', { pane: { socket: SOCKET, id: '%2' } })
    expect((await queue()).items.map((i) => [i.session, i.ready])).toEqual([
      ['a', true],
      ['b', false],
    ])
  })

  test('skip in a pane where nothing is stuck skips nobody', async () => {
    await stopIn('a', '%1')
    const answer = await post('/skip', { pane: { socket: SOCKET, id: '%2' } })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' })
    expect((await queue()).items).toMatchObject([{ session: 'a', ready: true }])
  })

  test('a second skip in the same pane skips nobody else', async () => {
    await stopIn('a', '%1')
    await stopIn('b', '%2')
    const pane = { socket: SOCKET, id: '%1' }
    const first = await (await post('/skip', { pane })).json()
    const second = await (await post('/skip', { pane })).json()
    expect(first).toMatchObject({ skipped: { session: 'a' }, head: { session: 'b' } })
    expect(second).toEqual(first)
  })

  test('a skip that did not happen cannot be undone', async () => {
    await post('/event', envelope(stop('a')))
    const answer = await post('/skip', { session: 'a', undo: true })
    expect(await answer.json()).toMatchObject({ skipped: null })
  })

  test('a request whose sender has given up is not carried out', async () => {
    await post('/event', envelope(stop('a')))
    const until = (at: number) => ({ 'x-trailboss-deadline': String(at) })
    const late = await post('/skip', {}, until(Date.now() - 1))
    expect(late.status).toBe(409)
    expect(await late.json()).toMatchObject({ code: 'TOO_LATE' })
    expect((await queue()).items[0]).toMatchObject({ session: 'a', ready: true })
    expect((await post('/skip', {}, until(Date.now() + 60_000))).status).toBe(200)
  })

  test('a skip on an empty queue moves nothing', async () => {
    expect(await (await post('/skip', {})).json()).toEqual({ skipped: null, head: null })
  })

  test('a waiting reader is answered when the queue changes', async () => {
    const { version } = await queue()
    const waiting = unix().request(`/queue?after=${version}&wait=20`)
    await post('/event', envelope(stop('a')))
    expect(((await (await waiting).json()) as QueueView).items).toHaveLength(1)
  })

  test('a waiting reader is answered when another session works', async () => {
    const before = await queue()
    const waiting = unix().request(`/queue?after=${before.version}&wait=20`)
    await post('/v1/events', { ...event, kind: 'unstuck', session: 'r', at: Date.now() })
    expect([before.working, ((await (await waiting).json()) as QueueView).working]).toEqual([0, 1])
  })
})

describe('over TCP', () => {
  const tokens = { full: 'a'.repeat(64), ingest: 'b'.repeat(64) }
  const tcp = () => createApp(parts, { kind: 'tcp', port: 4_000, tokens })
  const good = { host: '127.0.0.1:4000', authorization: `Bearer ${tokens.full}` }
  const get = (headers: Record<string, string>, path = '/queue') => tcp().request(path, { headers })

  test.each<[string, Record<string, string>, number]>([
    ['all that is needed', good, 200],
    ['localhost', { ...good, host: 'localhost:4000' }, 200],
    ['our own origin', { ...good, origin: 'http://127.0.0.1:4000' }, 200],
    ['a same-origin fetch', { ...good, 'sec-fetch-site': 'same-origin' }, 200],
    ['a rebound host', { ...good, host: 'evil.test:4000' }, 421],
    ['a host without port', { ...good, host: '127.0.0.1' }, 421],
    ['another origin', { ...good, origin: 'http://evil.test' }, 403],
    ['a null origin', { ...good, origin: 'null' }, 403],
    [
      'origin and host of the same evil',
      { ...good, host: 'evil.test:4000', origin: 'http://evil.test:4000' },
      421,
    ],
    ['a cross-site fetch', { ...good, 'sec-fetch-site': 'cross-site' }, 403],
    ['no token', { host: '127.0.0.1:4000' }, 401],
    ['a wrong token', { ...good, authorization: `Bearer ${'c'.repeat(64)}` }, 401],
    ['the ingest token on a read', { ...good, authorization: `Bearer ${tokens.ingest}` }, 401],
  ])('%s', async (_, headers, status) => {
    expect((await get(headers)).status).toBe(status)
    expect((await get(headers, '/healthz')).status).toBe(status)
  })

  test('the ingest token can append, and nothing else', async () => {
    const authorization = `Bearer ${tokens.ingest}`
    const headers = { ...good, authorization, 'content-type': 'application/json' }
    const send = (path: string, body: unknown) =>
      tcp().request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect((await send('/event', stop('a'))).status).toBe(202)
    expect((await send('/skip', {})).status).toBe(401)
  })

  test('no answer carries a CORS header', async () => {
    const response = await get({ ...good, origin: 'http://evil.test' })
    expect(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
    ).toEqual([])
  })
})
