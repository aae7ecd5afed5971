import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { QueueView } from '../contract/responses.ts'
import { TrailBossError } from '../core/errors.ts'
import { DaemonClient } from './daemon-client.ts'

type Handler = (request: Seen, response: ServerResponse) => void
type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

let directory: string
let socketPath: string
let client: DaemonClient
let cleanups: (() => void)[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tb-client-'))
  socketPath = join(directory, 's.sock')
  client = new DaemonClient(socketPath)
  cleanups = []
})

afterEach(() => {
  client[Symbol.dispose]()
  for (const cleanup of cleanups) cleanup()
  rmSync(directory, { recursive: true, force: true })
})

test('asks for the queue and gives back the view', async () => {
  const view: QueueView = { version: 7, items: [], working: 2 }
  const seen = await serve(json(view))
  expect(await client.queue()).toEqual(view)
  expect(seen.map(({ method, url }) => [method, url])).toEqual([['GET', '/queue']])
})

test('waits for the queue with the version it has', async () => {
  const seen = await serve(json({ version: 8, items: [] }))
  expect((await client.waitForQueue(7)).version).toBe(8)
  expect(seen[0]?.url).toBe('/queue?after=7&wait=25')
})

test('asks each question at its own address', async () => {
  const seen = await serve(json({ sessions: [] }))
  await client.status()
  await client.sessions()
  await client.health()
  await client.explain('a b&c=%1')
  expect(seen.map(({ url }) => url)).toEqual([
    '/status',
    '/sessions',
    '/healthz',
    '/explain?target=a+b%26c%3D%251',
  ])
})

test('sends a token when it acts for somebody, and otherwise none', async () => {
  const seen = await serve(json({}))
  await client.post('/bridge/list_threads', {}, { bearer: 'tbr_x' })
  await client.post('/threads', {})
  expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer tbr_x', undefined])
})

test('returns the next pane as bare text, and nothing if nothing is ready', async () => {
  const answers = ['%12\n', '']
  await serve((_, response) => response.end(answers.shift()))
  expect(await client.next()).toBe('%12')
  expect(await client.next()).toBe('')
})

test('posts a skip as JSON', async () => {
  const seen = await serve(json({ skipped: null, head: null }))
  const target = { session: 'ünï', harness: 'codex' }
  expect(await client.skip(target)).toEqual({ skipped: null, head: null })
  expect(seen[0]?.method).toBe('POST')
  expect(seen[0]?.headers['content-type']).toBe('application/json')
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(target)
})

test('asks any other route for JSON, and leaves out what is undefined', async () => {
  const seen = await serve(json({ runtimes: [] }))
  expect(await client.get('/runtimes')).toEqual({ runtimes: [] })
  await client.get('/runtimes', { agent: 'ranch/lead & co', limit: 5, thread: undefined })
  await client.post('/runtimes/start', { agent: 'ranch/lead' })
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/runtimes', ''],
    ['GET', '/runtimes?agent=ranch%2Flead+%26+co&limit=5', ''],
    ['POST', '/runtimes/start', '{"agent":"ranch/lead"}'],
  ])
})

test('posts an event and needs no body in the answer', async () => {
  const seen = await serve((_, response) => response.writeHead(202).end())
  const event = { v: 1, kind: 'seen', harness: 'x', session: 's', at: 1, source: 'api' } as const
  await client.postEvent(event)
  expect(seen[0]?.url).toBe('/v1/events')
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(event)
})

test('says that the daemon is down when there is no socket', async () => {
  await expect(client.queue()).rejects.toMatchObject({
    code: 'DAEMON_DOWN',
    message: 'The daemon is not running.',
    hint: 'Start it with: trailboss up',
  })
})

test('says that the daemon is down when nobody listens on the socket', async () => {
  // Exits without closing, so that the socket file remains.
  const leave = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', leave], { stdio: 'ignore' })).toThrow()
  await expect(client.queue()).rejects.toMatchObject({
    code: 'DAEMON_DOWN',
    message: 'The daemon is not running.',
  })
})

test('says that the daemon hangs when it does not answer in time', async () => {
  await serve(() => {})
  const hasty = new DaemonClient(socketPath, { timeoutMs: 20 })
  await expect(hasty.status()).rejects.toMatchObject({
    code: 'DAEMON_HUNG',
    message: 'The daemon is there, but did not answer within 0.02 s.',
  })
  hasty[Symbol.dispose]()
})

test('a write sends its deadline', async () => {
  const seen = await serve(json({ skipped: null, head: null }))
  const before = Date.now()
  await client.skip()
  const deadline = Number(seen[0]?.headers['x-trailboss-deadline'])
  expect(deadline).toBeGreaterThanOrEqual(before + 2_000)
  expect(deadline).toBeLessThanOrEqual(Date.now() + 2_000)
})

test('a write that nobody answers is reported as one that may have happened', async () => {
  await serve(() => {})
  using hasty = new DaemonClient(socketPath, { timeoutMs: 20 })
  await expect(hasty.skip()).rejects.toMatchObject({
    code: 'DAEMON_HUNG',
    hint: expect.stringContaining('check before you try again'),
  })
})

test('says that the daemon is down when it hangs up in the middle of an answer', async () => {
  await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"ver', () => response.destroy())
  })
  await expect(client.skip()).rejects.toMatchObject({ code: 'DAEMON_DOWN' })
})

test('asks again when a kept connection was closed in the meantime', async () => {
  let first = true
  await serve((_, response) => {
    const { socket } = response
    if (first) socket?.on('data', () => socket.destroy())
    response.end(JSON.stringify({ version: first ? 1 : 2, items: [] }))
    first = false
  })
  expect((await client.queue()).version).toBe(1)
  expect((await client.queue()).version).toBe(2)
})

test('throws the error that the daemon names, with its hint', async () => {
  const problem = { code: 'NOT_FOUND', detail: 'No such session.', hint: 'Look.' }
  await serve((_, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify(problem))
  })
  const error = await client.skip().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TrailBossError)
  expect(error).toMatchObject({
    code: 'NOT_FOUND',
    message: 'No such session.',
    hint: 'Look.',
  })
})

test.each([
  ['a code outside the catalogue', '{"code":"toString","detail":"What?"}', 'What?'],
  ['a body that is no problem', '[1', 'The daemon answered 500 to GET /status.'],
])('treats %s as an internal error', async (_, body, message) => {
  await serve((_, response) => {
    response.writeHead(500, { 'content-type': 'application/json' }).end(body)
  })
  await expect(client.status()).rejects.toMatchObject({ code: 'INTERNAL', message })
})

test('treats an answer that is not JSON as an internal error', async () => {
  await serve((_, response) => response.end('<html>'))
  await expect(client.queue()).rejects.toMatchObject({ code: 'INTERNAL' })
})

test('hangs up when asked to stop waiting for the queue', async () => {
  const waiting = new AbortController()
  const hungUp = Promise.withResolvers<void>()
  await serve((_, response) => {
    response.on('close', () => hungUp.resolve())
    waiting.abort(new Error('closing'))
  })
  await expect(client.waitForQueue(1, waiting.signal)).rejects.toThrow('closing')
  await hungUp.promise
  await expect(client.waitForQueue(1, waiting.signal)).rejects.toThrow('closing')
})

function json(view: unknown): Handler {
  return (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(view))
  }
}

async function serve(handle: Handler): Promise<Seen[]> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    const entry = { method, url, headers, body }
    seen.push(entry)
    handle(entry, response)
  })
  cleanups.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return seen
}
