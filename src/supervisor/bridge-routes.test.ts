import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BridgeScene, createBridgeScene } from '../../test/support/supervisor/bridge-scene.ts'
import type { ReadView } from '../contract/bridge-tools.ts'
import type { MessagesView, ThreadView, TokensView } from '../contract/supervisor.ts'
import { TrailBossError } from '../core/errors.ts'
import { jsonOnly, tcpGuard } from '../daemon/http/http-auth.ts'
import { problemResponse } from '../service/problem.ts'
import { type BridgeParts, bridgeRoutes } from './bridge-routes.ts'

const EXECUTOR = 'ranch/executor'
const REVIEWER = 'ranch/reviewer'
const FULL = 'a'.repeat(64)
let scene: BridgeScene
let thread: string

beforeEach(() => {
  scene = createBridgeScene()
  const participants = [EXECUTOR, REVIEWER]
  thread = scene.bridge.openThread({ workspace: 'ranch', title: 'The parser', participants }).id
})
afterEach(() => scene[Symbol.dispose]())

/** The routes as the daemon mounts them, on either transport. */
function app({ tcp = false, parts = partsOf }: { tcp?: boolean; parts?: () => BridgeParts } = {}) {
  const whole = new Hono()
  whole.onError(problemResponse)
  if (tcp) whole.use(tcpGuard(4_000, { full: FULL, ingest: 'b'.repeat(64) }))
  whole.use(jsonOnly)
  return whole.route('/', bridgeRoutes(parts))
}

function partsOf(): BridgeParts {
  return { bridge: scene.bridge, tokens: scene.tokens, log: scene.context.log }
}

type Asked = { body?: unknown; token?: string; headers?: Record<string, string> }

async function ask(path: string, { body, token, headers }: Asked = {}, on = app()) {
  const response = await on.request(path, {
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

describe('the operator', () => {
  test('opens a thread, posts in it, and reads what was posted', async () => {
    const participants = ['executor']
    const opened = await ask('/threads', { body: { workspace: 'ranch', title: 'x', participants } })
    expect(opened).toMatchObject({ status: 201, json: { participants: [EXECUTOR] } })
    const id = opened.json['id'] as string
    const body = { thread: id, text: 'Begin.', by: 'ana' }
    expect((await ask('/messages', { body })).status).toBe(201)
    const { json } = await ask(`/messages?thread=${id}`)
    expect((json as MessagesView).messages).toMatchObject([
      { text: 'Begin.', author: { kind: 'operator', name: 'ana' } },
    ])
    expect((await ask(`/messages?thread=${id}&after=99&limit=1`)).json).toEqual({ messages: [] })
    scene.bridge.post({ thread: id, text: 'Go on.' })
    expect((await ask(`/messages?thread=${id}&last=1`)).json).toMatchObject({
      messages: [{ text: 'Go on.' }],
    })
    expect((await ask(`/threads?id=${id}`)).json).toMatchObject({ id, lastSeq: 2 })
    const all = (await ask('/threads?workspace=ranch&state=open')).json['threads'] as ThreadView[]
    expect(all.map((one) => one.id)).toEqual([id, thread])
  })

  test('unblocks and closes one', async () => {
    const decision = { body: { id: thread, by: 'ana' } }
    expect((await ask('/threads/unblock', decision)).json).toMatchObject({
      state: { kind: 'open' },
    })
    expect((await ask('/threads/close', decision)).json).toMatchObject({
      state: { kind: 'closed', by: 'operator:ana' },
    })
    const body = { thread, text: 'x' }
    expect(await ask('/messages', { body })).toMatchObject({
      status: 409,
      json: { code: 'THREAD_CLOSED' },
    })
  })

  test('sees tokens and revokes one', async () => {
    const { secret } = scene.launch(REVIEWER)
    const { json } = await ask(`/tokens?agent=${REVIEWER}`)
    const [token] = (json as TokensView).tokens
    expect(token).toMatchObject({ agent: REVIEWER, refusal: null })
    expect((await ask('/tokens/revoke', { body: { id: token?.id } })).json).toMatchObject({
      refusal: 'revoked',
    })
    const used = await ask('/bridge/list_threads', { token: secret, body: {} })
    expect(used).toMatchObject({ status: 401, json: { code: 'UNAUTHORIZED' } })
  })

  test.each<[string, Asked, number, string]>([
    ['/threads?id=th_none', {}, 404, 'NOT_FOUND'],
    ['/threads?state=half', {}, 400, 'BAD_REQUEST'],
    ['/threads', { body: { workspace: 'ranch' } }, 400, 'BAD_REQUEST'],
    ['/threads', { body: [] }, 400, 'BAD_REQUEST'],
    ['/threads', { body: '{' }, 400, 'BAD_REQUEST'],
    ['/threads', { body: { x: 'x'.repeat(300_000) } }, 413, 'TOO_LARGE'],
    ['/threads/close', { body: { id: 'th_none' } }, 404, 'NOT_FOUND'],
    ['/messages', {}, 400, 'BAD_REQUEST'],
    ['/messages?thread=th_none', {}, 404, 'NOT_FOUND'],
    ['/messages?thread=x&limit=0', {}, 400, 'BAD_REQUEST'],
    ['/messages?thread=x&after=-1', {}, 400, 'BAD_REQUEST'],
    ['/messages?thread=x&last=x', {}, 400, 'BAD_REQUEST'],
    ['/messages', { body: { thread: 'th_none', text: 'x' } }, 404, 'NOT_FOUND'],
    ['/tokens/revoke', { body: { id: 'tok_none' } }, 404, 'NOT_FOUND'],
  ])('learns what is wrong with %s (%#)', async (path, asked, status, code) => {
    expect(await ask(path, asked)).toMatchObject({ status, json: { code } })
  })

  test('learns what to do if there is no supervisor', async () => {
    const missing = app({
      parts: () => {
        throw new TrailBossError('NOT_FOUND', 'There is no supervisor.')
      },
    })
    for (const path of ['/threads', '/tokens', '/messages?thread=x']) {
      expect(await ask(path, {}, missing)).toMatchObject({ status: 404 })
    }
    expect(await ask('/mcp', { body: {} }, missing)).toMatchObject({ status: 404 })
  })
})

describe('an agent', () => {
  test('uses its tools with its token alone', async () => {
    const { secret: executor } = scene.launch(EXECUTOR)
    const { secret: reviewer } = scene.launch(REVIEWER)
    const body = { thread, text: 'Please review' }
    expect((await ask('/bridge/post_message', { token: executor, body })).status).toBe(200)
    const { json } = await ask('/bridge/read_messages', { token: reviewer, body: {} })
    expect((json as ReadView).messages).toMatchObject([
      { text: 'Please review', author: { kind: 'agent', agentId: EXECUTOR } },
    ])
    const beat = { token: reviewer, body: { status: 'active' } }
    expect((await ask('/bridge/heartbeat_session', beat)).json).toMatchObject({ status: 'active' })
    expect((await ask('/bridge/list_threads', { token: reviewer, body: {} })).json).toMatchObject({
      threads: [{ id: thread, unread: 0 }],
    })
  })

  test.each<[string, unknown, string]>([
    ['post_message', { text: 'x' }, 'BAD_REQUEST'],
    ['post_message', { text: 'x', thread: 'th_none' }, 'NOT_FOUND'],
    ['post_message', { text: 'x', thread: 'x', author: 'ranch/reviewer' }, 'BAD_REQUEST'],
    ['read_messages', { limit: 0 }, 'BAD_REQUEST'],
    ['read_messages', { after: 0 }, 'BAD_REQUEST'],
    ['heartbeat_session', { status: 'napping' }, 'BAD_REQUEST'],
    ['constructor', {}, 'NOT_FOUND'],
  ])('learns what is wrong with %s (%#)', async (tool, body, code) => {
    const { secret: token } = scene.launch(EXECUTOR)
    expect((await ask(`/bridge/${tool}`, { token, body })).json).toMatchObject({ code })
  })

  test.each([undefined, '', 'tbr_x', FULL])(
    'can do nothing without a valid token (%#)',
    async (shown) => {
      const asked = { body: {}, ...(shown !== undefined && { token: shown }) }
      expect(await ask('/bridge/list_threads', asked)).toMatchObject({ status: 401 })
      expect(await ask('/mcp', asked)).toMatchObject({ status: 401 })
    },
  )
})

describe('over TCP', () => {
  const host = { host: '127.0.0.1:4000' }
  const over = (path: string, asked: Asked) =>
    ask(path, { ...asked, headers: { ...host, ...asked.headers } }, app({ tcp: true }))

  test('a runtime token opens the bridge, and nothing else', async () => {
    const { secret: token } = scene.launch(EXECUTOR)
    expect((await over('/bridge/list_threads', { token, body: {} })).status).toBe(200)
    for (const path of ['/threads', '/tokens', '/messages?thread=x', '/bridge', '/mcpx']) {
      expect(await over(path, { token })).toMatchObject({ status: 401 })
    }
  })

  test('the full token opens everything except the bridge', async () => {
    expect((await over('/threads', { token: FULL })).status).toBe(200)
    for (const path of ['/bridge/list_threads', '/mcp']) {
      expect(await over(path, { token: FULL, body: {} })).toMatchObject({ status: 401 })
    }
    // A token of the wrong shape is never looked up in the database.
    expect(scene.audit('token_refused')).toEqual([])
  })

  test('a page of another origin opens nothing with it', async () => {
    const { secret: token } = scene.launch(EXECUTOR)
    const headers = { origin: 'http://evil.test' }
    expect((await over('/mcp', { token, body: {}, headers })).status).toBe(403)
    const rebound = { host: 'evil.test:4000' }
    expect((await over('/mcp', { token, body: {}, headers: rebound })).status).toBe(421)
  })
})

describe('MCP over HTTP', () => {
  async function connect(token: string): Promise<Client> {
    const on = app({ tcp: true })
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1:4000/mcp'), {
      requestInit: { headers: { authorization: `Bearer ${token}`, host: '127.0.0.1:4000' } },
      fetch: async (url, init) => on.request(String(url), init),
    })
    await client.connect(transport)
    return client
  }
  const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args })
    return { isError, text: (content as { text: string }[])[0]?.text ?? '' }
  }

  test('offers the tools, with what an agent needs to know', async () => {
    const client = await connect(scene.launch(EXECUTOR).secret)
    expect(client.getServerVersion()).toMatchObject({ name: 'trailboss' })
    expect(client.getInstructions()).toContain('BRIDGE_TRIGGER')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'read_messages',
      'post_message',
      'heartbeat_session',
      'list_threads',
      'trigger_agent',
      'unblock_thread',
      'close_thread',
    ])
    for (const { description = '' } of tools) expect(description.length).toBeGreaterThan(80)
    await client.close()
  })

  test('carries a conversation', async () => {
    const executor = await connect(scene.launch(EXECUTOR).secret)
    const reviewer = await connect(scene.launch(REVIEWER).secret)
    await call(executor, 'post_message', { thread, text: 'Please review', progress: 'commit 1' })
    const { text } = await call(reviewer, 'read_messages')
    expect(JSON.parse(text)).toMatchObject({ messages: [{ text: 'Please review' }], unread: 0 })
    await call(reviewer, 'post_message', { thread, text: 'Fine.', to: [EXECUTOR] })
    expect((await call(executor, 'read_messages', { thread })).text).toContain('Fine.')
    expect((await call(executor, 'heartbeat_session', { status: 'idle' })).isError).toBe(false)
  })

  test('returns the mistakes of an agent as the result of the tool', async () => {
    const client = await connect(scene.launch(EXECUTOR).secret)
    const mistakes = [
      await call(client, 'post_message', { thread: 'th_none', text: 'x' }),
      await call(client, 'post_message', { thread }),
      await call(client, 'no_such_tool'),
    ]
    expect(mistakes.map(({ isError }) => isError)).toEqual([true, true, true])
    expect(mistakes[0]?.text).toContain('NOT_FOUND: There is no such thread for this agent.')
    expect(mistakes[1]?.text).toContain('BAD_REQUEST: text')
    expect(mistakes[2]?.text).toContain('There are: read_messages')
  })

  test('refuses a token as soon as it is revoked', async () => {
    const { secret, runtimeId } = scene.launch(EXECUTOR)
    const client = await connect(secret)
    scene.tokens.revoke(runtimeId, 'It was stopped.')
    await expect(call(client, 'list_threads')).rejects.toThrow()
    await expect(connect(secret)).rejects.toThrow()
    expect(scene.audit('token_refused')).toHaveLength(1)
  })

  test('has nothing to listen to', async () => {
    const { secret } = scene.launch(EXECUTOR)
    const headers = { authorization: `Bearer ${secret}`, host: '127.0.0.1:4000' }
    for (const method of ['GET', 'DELETE']) {
      const { status } = await app({ tcp: true }).request('/mcp', { method, headers })
      expect(status).toBe(405)
    }
  })
})
