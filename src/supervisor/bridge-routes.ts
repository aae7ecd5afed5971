import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { isBridgeTool } from '../contract/bridge-tools.ts'
import { BODY_BYTES } from '../contract/limits.ts'
import type { MessagesView, ThreadsView, TokensView } from '../contract/supervisor.ts'
import { DecisionOnBody, OperatorMessageBody, ThreadBody } from '../contract/supervisor-requests.ts'
import type { ThreadState } from '../core/bridge/thread.ts'
import type { RuntimeToken } from '../core/bridge/token.ts'
import { TrailBossError } from '../core/errors.ts'
import type { Log } from '../service/log.ts'
import { bodyOf, jsonOf } from '../service/request-body.ts'
import type { Bridge } from './bridge/bridge.ts'
import { answerMcp, useTool } from './bridge/bridge-mcp.ts'
import type { RuntimeTokens } from './bridge/tokens.ts'

export type BridgeParts = {
  bridge: Bridge
  tokens: Pick<RuntimeTokens, 'views' | 'revokeOne'>
  log: Log
}

/**
 * Requests to the bridge: from the operator, and from agents, who show their token on either transport. `parts` is
 * called with each request, and throws if there is no supervisor.
 */
export function bridgeRoutes(parts: () => BridgeParts): Hono {
  const app = new Hono()
  app.on('POST', [...POSTS], bodyLimit({ maxSize: BODY_BYTES, onError: tooLarge }))

  app.get('/threads', (c) => {
    const { bridge } = parts()
    const { id, workspace, state } = c.req.query()
    if (id !== undefined) return c.json(bridge.thread(id))
    const threads = bridge.threads({
      ...(workspace !== undefined && { workspaceId: workspace }),
      ...(state !== undefined && { state: stateOf(state) }),
    })
    return c.json({ threads } satisfies ThreadsView)
  })
  app.post('/threads', async (c) => {
    const { bridge } = parts()
    return c.json(bridge.openThread(await bodyOf(ThreadBody, c.req.raw)), 201)
  })
  app.post('/threads/unblock', async (c) => {
    const { bridge } = parts()
    const { id, by } = await bodyOf(DecisionOnBody, c.req.raw)
    return c.json(bridge.unblock(id, by))
  })
  app.post('/threads/close', async (c) => {
    const { bridge } = parts()
    const { id, by } = await bodyOf(DecisionOnBody, c.req.raw)
    return c.json(bridge.close(id, by))
  })

  app.get('/messages', (c) => {
    const { bridge } = parts()
    const { thread, after, limit, last } = c.req.query()
    if (thread === undefined) {
      throw new TrailBossError('BAD_REQUEST', 'thread: the id of a thread is needed.')
    }
    const some = { least: 1, most: MOST_MESSAGES }
    const lastOnes = wholeNumber('last', last, some)
    const page = {
      after: wholeNumber('after', after, { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 0,
      limit: wholeNumber('limit', limit, some) ?? 100,
    }
    const messages = bridge.messages(thread, lastOnes === undefined ? page : { last: lastOnes })
    return c.json({ messages } satisfies MessagesView)
  })
  app.post('/messages', async (c) => {
    const { bridge } = parts()
    return c.json(bridge.post(await bodyOf(OperatorMessageBody, c.req.raw)), 201)
  })

  app.get('/tokens', (c) => {
    const { tokens } = parts()
    return c.json({ tokens: tokens.views(c.req.query('agent')) } satisfies TokensView)
  })
  app.post('/tokens/revoke', async (c) => {
    const { tokens } = parts()
    const { id, by } = await bodyOf(DecisionOnBody, c.req.raw)
    return c.json(tokens.revokeOne(id, by))
  })

  app.post('/bridge/:tool', async (c) => {
    const { bridge } = parts()
    const token = identified(bridge, c.req.header('authorization'))
    const name = c.req.param('tool')
    if (!isBridgeTool(name)) throw new TrailBossError('NOT_FOUND', 'There is no such tool.')
    return c.json(useTool(bridge, token, name, await jsonOf(c.req.raw)) as object)
  })
  app.post('/mcp', async (c) => {
    const { bridge, log } = parts()
    const token = identified(bridge, c.req.header('authorization'))
    return answerMcp(bridge, log, token, c.req.raw)
  })
  // There is nothing to listen to and no session to end. This status alone is how an MCP client learns that.
  app.all('/mcp', () => new Response(null, { status: 405, headers: { allow: 'POST' } }))
  return app
}

const POSTS = [
  '/threads',
  '/threads/unblock',
  '/threads/close',
  '/messages',
  '/tokens/revoke',
  '/bridge/:tool',
  '/mcp',
] as const

const MOST_MESSAGES = 1_000
const STATES: readonly ThreadState['kind'][] = ['open', 'blocked', 'closed']

function identified(bridge: Bridge, authorization = ''): RuntimeToken {
  return bridge.identify(/^Bearer (\S+)$/.exec(authorization)?.[1] ?? '')
}

function stateOf(text: string): ThreadState['kind'] {
  const state = STATES.find((known) => known === text)
  if (state) return state
  throw new TrailBossError('BAD_REQUEST', `state: it is one of ${STATES.join(', ')}.`)
}

function wholeNumber(
  name: string,
  text: string | undefined,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new TrailBossError('BAD_REQUEST', `${name}: a whole number from ${least} to ${most}.`)
}

function tooLarge(): never {
  throw new TrailBossError('TOO_LARGE', 'The body is larger than this route takes.')
}
