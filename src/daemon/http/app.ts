import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { except } from 'hono/combine'
import * as v from 'valibot'
import { socketPath } from '../../contract/agent-event.ts'
import { BODY_BYTES, HOOK_BODY_BYTES } from '../../contract/limits.ts'
import type { ExplainAllView, MonitorView, SkipView, StatusView } from '../../contract/responses.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { isSamePane } from '../../core/pane.ts'
import { isQueued, type QueuedSession } from '../../core/session/queue.ts'
import type { Log } from '../../service/log.ts'
import { problemResponse } from '../../service/problem.ts'
import { bodyOf, boundedBody, checkedBody, jsonOf } from '../../service/request-body.ts'
import { canonicalSocket } from '../../tmux/socket.ts'
import type { Herd } from '../herd/herd.ts'
import type { Ingest } from '../ingest/ingest.ts'
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
  /** Routes from others: audit and figures, and the supervisor's if there is one. */
  more: readonly Hono[]
}

/** The unix socket is protected by the mode of its directory; TCP needs a token. */
export type Transport = { kind: 'unix' } | { kind: 'tcp'; port: number; tokens: Tokens }

/** A tool's input or output may be a whole file. */
const LARGE_BODIES = ['/event', '/v1/decisions', '/v1/decisions/:id/answer']

const MAX_WAIT_SECONDS = 30
/** A socket has no host name, so this is the only one that a client may write. */
const UNIX_HOSTS = new Set(['localhost'])

const SkipBody = v.strictObject({
  session: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(512))),
  harness: v.optional(v.pipe(v.string(), v.maxLength(64))),
  pane: v.optional(v.object({ socket: v.string(), id: v.string() })),
  cooldownMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400_000))),
  undo: v.optional(v.boolean()),
})

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
    if (isWrite) parts.requireStored()
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
    const seconds = Math.min(Number(c.req.query('wait') ?? 0) || 0, MAX_WAIT_SECONDS)
    if (after === herd.version && seconds > 0) {
      await otherVersion(herd, seconds * 1_000, c.req.raw.signal)
    }
    return c.json(views.queue())
  })
  app.post('/skip', async (c) => c.json(skip(parts, await jsonOf(c.req.raw))))
  app.post('/servers', async (c) => {
    const { socket } = await bodyOf(ServerBody, c.req.raw)
    parts.knowServer(canonicalSocket(socket))
    return c.json({ socket }, 202)
  })
  app.get('/sessions', (c) => c.json({ sessions: [...herd.sessions()].map(views.session) }))
  app.get('/explain', (c) => {
    const { target, socket, ended } = c.req.query()
    if (target === undefined) {
      const sessions = sessionsInOrder(herd, { ended: ended === '1' })
      return c.json({ sessions: sessions.map(views.explain) } satisfies ExplainAllView)
    }
    return c.json(views.explain(views.find(target, socket)))
  })
  app.get('/monitor', (c) => c.json(parts.monitor()))
  app.get('/status', (c) => c.json(parts.status()))
  app.get('/metrics', async (c) => c.text(await parts.metrics()))
  app.get('/healthz', (c) => c.json({ ok: true }))
  for (const routes of parts.more) app.route('/', routes)
  return app
}

const ServerBody = v.strictObject({ socket: socketPath })

function skip(parts: AppParts, body: unknown): SkipView {
  const { herd, views } = parts
  const request = checkedBody(SkipBody, body)
  const target = skipTarget(parts, request)
  if (target && request.undo) herd.restore(target.key)
  else if (target && !isSkippedHere(parts, target, request)) {
    herd.skip(target.key, request.cooldownMs ?? parts.cooldownMs())
  }
  const session = target && herd.session(target.key)
  return {
    skipped: session && isQueued(session) ? views.item(session) : null,
    head: views.jumpTarget() ?? null,
  }
}

/** The named session, else the item in the named pane, else the head. */
function skipTarget(
  { herd, views }: AppParts,
  request: v.InferOutput<typeof SkipBody>,
): QueuedSession | undefined {
  const queue = herd.queue()
  if (request.session !== undefined) {
    const named = queue.find(
      ({ id, harness }) => id === request.session && (request.harness ?? harness) === harness,
    )
    if (named) return request.undo && !isSkipped(named) ? undefined : named
    throw new TrailBossError('NOT_FOUND', `No stuck session "${request.session}" is in the queue.`)
  }
  if (request.undo) {
    return queue.filter(isSkipped).toSorted((a, b) => b.item.order - a.item.order)[0]
  }
  if (request.pane) {
    const here = queue.find(isIn(request.pane))
    if (here) return here
    throw new TrailBossError('NOT_FOUND', `No stuck session is in pane ${request.pane.id}.`, {
      hint: 'Without a pane, the oldest one is skipped.',
    })
  }
  const head = views.jumpTarget() ?? views.queue().items.find((item) => item.ready)
  return queue.find(({ id, harness }) => id === head?.session && harness === head.harness)
}

/** The skip key was pressed twice, or by two operators: nobody has seen the next item yet. */
function isSkippedHere(
  { views }: AppParts,
  target: QueuedSession,
  { session, pane }: v.InferOutput<typeof SkipBody>,
): boolean {
  return session === undefined && isIn(pane)(target) && !views.item(target).ready
}

function isIn(pane: v.InferOutput<typeof SkipBody>['pane']) {
  return (candidate: QueuedSession) => isSamePane(candidate.pane, pane)
}

function isSkipped({ item }: QueuedSession): boolean {
  return item.orderBeforeSkip !== undefined
}

/** Resolves when the herd's version changes, after `timeoutMs`, or on abort. */
function otherVersion(herd: Herd, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const { version } = herd
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      stopListening()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, timeoutMs)
    const stopListening = herd.onChange(() => {
      if (herd.version !== version) finish()
    })
    signal.addEventListener('abort', finish)
  })
}
