import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { except } from 'hono/combine'
import * as v from 'valibot'
import { socketPath } from '../../contract/agent-event.ts'
import { BODY_BYTES, HOOK_BODY_BYTES } from '../../contract/limits.ts'
import type {
  ExplainAllView,
  MonitorView,
  QueueView,
  StatusView,
} from '../../contract/responses.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import type { Log } from '../../service/log.ts'
import { problemResponse } from '../../service/problem.ts'
import { bodyOf, boundedBody, jsonOf } from '../../service/request-body.ts'
import { canonicalSocket } from '../../tmux/socket.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { queueRoutes } from '../queue-routes/queue-routes.ts'
import { untilChange, waitSeconds } from '../queue-routes/until-change.ts'
import { sessionsInOrder } from '../views/session-lookup.ts'
import type { Views } from '../views/views.ts'
import { hostsOf, inTimeOnly, jsonOnly, ownTargetOnly, type Tokens, tcpGuard } from './http-auth.ts'

export type AppParts = {
  herd: Herd
  views: Views
  ingest: Ingest
  log: Log
  cooldownMs(): number
  status(): StatusView
  monitor(): MonitorView
  metrics(): Promise<string>
  /** Throws unless everything stored is in the files that exist now. */
  requireStored(): void
  /** Reports a tmux server with an operator's client: from now on it gets the queue. */
  knowServer(socket: string): void
  canReply: boolean
  /** Routes from others: audit and figures, and the supervisor's if there is one. */
  more: readonly Hono[]
}

/** The unix socket is protected by the mode of its directory; TCP needs a token. */
export type Transport = { kind: 'unix' } | { kind: 'tcp'; port: number; tokens: Tokens }

/** A tool's input or output may be a whole file. */
const LARGE_BODIES = ['/event', '/v1/decisions', '/v1/decisions/:id/answer']

/** A socket has no host name, so this is the only one that a client may write. */
const UNIX_HOSTS = new Set(['localhost'])

export function createApp(parts: AppParts, transport: Transport): Hono {
  const { herd, views, ingest } = parts
  const app = new Hono()

  app.onError((error) => {
    const response = problemResponse(error)
    if (response.status >= 500) parts.log.error({ reason: messageOf(error) }, 'request failed')
    return response
  })
  app.notFound((c) => {
    const error = new TrailBossError('NOT_FOUND', `There is no ${c.req.method} ${c.req.path}.`)
    return problemResponse(error)
  })
  app.use(ownTargetOnly(transport.kind === 'tcp' ? hostsOf(transport.port) : UNIX_HOSTS))
  if (transport.kind === 'tcp') app.use(tcpGuard(transport.port, transport.tokens))
  app.use(jsonOnly)
  app.use(inTimeOnly)
  app.use(async (c, next) => {
    const isWrite = c.req.method !== 'GET'
    // Find a damaged journal before writing anything after the damage.
    if (isWrite) parts.requireStored()
    await next()
    // What a reply has typed is typed, and its answer says what became of it.
    if (isWrite && c.req.path !== '/reply') parts.requireStored()
  })
  const hookBytes = transport.kind === 'unix' ? HOOK_BODY_BYTES : BODY_BYTES
  for (const path of LARGE_BODIES) app.use(path, boundedBody(hookBytes))
  // MCP reads its own body.
  app.use('/mcp', bodyLimit({ maxSize: BODY_BYTES }))
  app.use(except([...LARGE_BODIES, '/mcp'], boundedBody(BODY_BYTES)))

  app.post('/event', async (c) => {
    const accepted = ingest.hook(await jsonOf(c.req.raw), 'live', c.req.query('harness'))
    return c.json({ accepted }, 202)
  })
  app.post('/v1/events', async (c) => {
    return c.json({ accepted: ingest.event(await jsonOf(c.req.raw)) }, 202)
  })
  app.get('/next', (c) => c.text(views.jumpTarget()?.pane?.id ?? ''))
  app.get('/queue', async (c) => {
    const after = Number(c.req.query('after') ?? Number.NaN)
    const seconds = waitSeconds(c.req.query('wait'))
    if (after === herd.version && seconds > 0) {
      const { version } = herd
      await untilChange(herd, () => herd.version !== version, seconds * 1_000, c.req.raw.signal)
    }
    const dismissed = c.req.query('all') === '1'
    await views.freshen(dismissed ? [...herd.queue(), ...herd.dismissed()] : herd.queue())
    const queue = views.queue({ dismissed })
    return c.json({ ...queue, reply: parts.canReply } satisfies QueueView)
  })
  app.post('/servers', async (c) => {
    const { socket } = await bodyOf(ServerBody, c.req.raw)
    parts.knowServer(canonicalSocket(socket))
    return c.json({ socket }, 202)
  })
  app.get('/sessions', async (c) => {
    await views.freshen(herd.current())
    return c.json({ sessions: [...herd.sessions()].map(views.session) })
  })
  app.get('/explain', async (c) => {
    const { target, socket, ended } = c.req.query()
    if (target === undefined) {
      const sessions = sessionsInOrder(herd, { ended: ended === '1' })
      return c.json({ sessions: sessions.map(views.explain) } satisfies ExplainAllView)
    }
    await views.freshen(herd.current())
    return c.json(views.explain(views.find(target, { socket })))
  })
  app.get('/monitor', (c) => c.json(parts.monitor()))
  app.get('/status', (c) => c.json(parts.status()))
  app.get('/metrics', async (c) => c.text(await parts.metrics()))
  app.get('/healthz', (c) => c.json({ ok: true }))
  app.route('/', queueRoutes(parts))
  for (const routes of parts.more) app.route('/', routes)
  return app
}

const ServerBody = v.strictObject({ socket: socketPath })
