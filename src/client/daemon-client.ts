import type { Agent as HttpAgent, IncomingMessage } from 'node:http'
import { DEADLINE_HEADER } from '../contract/deadline.ts'
import type { DecisionBody, DecisionOutcome } from '../contract/decision.ts'
import type {
  ExplainAllView,
  ExplainView,
  MonitorView,
  Problem,
  QueueView,
  SessionsView,
  SkipView,
  StatusView,
} from '../contract/responses.ts'
import { catalogue, type ErrorCode, messageOf, TrailBossError } from '../core/errors.ts'
import type { AgentEvent } from '../core/session/event.ts'

// An ESM import of node:http reads all its exports, and so loads undici for its WebSocket (Node 24), which takes as
// long as starting Node itself.
const { Agent, request } = process.getBuiltinModule('node:http')

const REQUEST_TIMEOUT_MS = 2_000
const LONG_POLL_SECONDS = 25

/** What to skip: a named session, else the stuck one in `pane`, else the head. */
export type SkipTarget = {
  session?: string
  harness?: string
  pane?: { socket: string; id: string }
  cooldownMs?: number
  /** Undoes the last skip instead. */
  undo?: boolean
}

export type DaemonClientOptions = { timeoutMs?: number }

/**
 * The daemon over its unix socket. Every function throws `DAEMON_DOWN` or `DAEMON_HUNG` when nobody answers,
 * and the daemon's own error, by its code, when it refuses.
 */
export class DaemonClient implements Disposable {
  readonly #socketPath: string
  readonly #timeoutMs: number
  readonly #agent = new Agent({ keepAlive: true })

  constructor(socketPath: string, options: DaemonClientOptions = {}) {
    this.#socketPath = socketPath
    this.#timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS
  }

  /** Resolves when the daemon answers that it is healthy. */
  async health(): Promise<void> {
    await this.#get('/healthz')
  }

  async status(): Promise<StatusView> {
    return parsed(await this.#get('/status'))
  }

  async monitor(): Promise<MonitorView> {
    return parsed(await this.#get('/monitor'))
  }

  async queue(): Promise<QueueView> {
    return parsed(await this.#get('/queue'))
  }

  /** Answers when the queue's version is no longer `version`, or unchanged after 25 s. */
  async waitForQueue(version: number, signal?: AbortSignal): Promise<QueueView> {
    const timeoutMs = LONG_POLL_SECONDS * 1_000 + this.#timeoutMs
    const path = `/queue?after=${version}&wait=${LONG_POLL_SECONDS}`
    return parsed(await this.#get(path, { timeoutMs, ...(signal && { signal }) }))
  }

  async sessions(): Promise<SessionsView> {
    return parsed(await this.#get('/sessions'))
  }

  /** `target` is a session or a pane; `socket` is the tmux server on which to look for the pane first. */
  async explain(target: string, socket?: string): Promise<ExplainView> {
    const query = new URLSearchParams({ target, ...(socket && { socket }) })
    return parsed(await this.#get(`/explain?${query}`))
  }

  async explainAll(options: { ended: boolean }): Promise<ExplainAllView> {
    return parsed(await this.#get(`/explain?ended=${options.ended ? 1 : 0}`))
  }

  /** The head's pane id, or an empty string when nothing is ready. */
  async next(): Promise<string> {
    return (await this.#get('/next')).trim()
  }

  async skip(target: SkipTarget = {}): Promise<SkipView> {
    return parsed(await this.#post('/skip', target))
  }

  /** Makes the daemon serve the keys and the status line of this tmux server, too. */
  async knowServer(socket: string): Promise<void> {
    await this.#post('/servers', { socket })
  }

  async postEvent(event: AgentEvent): Promise<void> {
    await this.#post('/v1/events', event)
  }

  /** Prometheus text. */
  async metrics(): Promise<string> {
    return await this.#get('/metrics')
  }

  /** Any other route that answers with JSON. Leaves undefined values out of the query. */
  async get<View>(path: string, query: Query = {}): Promise<View> {
    const search = new URLSearchParams()
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) search.set(key, String(value))
    }
    return parsed(await this.#get(search.size > 0 ? `${path}?${search}` : path))
  }

  /** `bearer` identifies the caller if it is not the operator. */
  async post<View>(path: string, body: object, options: PostOptions = {}): Promise<View> {
    return parsed(await this.#post(path, body, options))
  }

  /** Waits for the operator's answer, however long that takes, unless the signal ends it. */
  async decision(body: DecisionBody, signal?: AbortSignal): Promise<DecisionOutcome> {
    const path = '/v1/decisions'
    const call = { socketPath: this.#socketPath, path, method: 'POST', agent: false, body } as const
    const wait = { timeoutMs: Number.POSITIVE_INFINITY, ...(signal && { signal }) }
    return parsed(await exchange(call, wait))
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  async #get(path: string, wait: Wait = { timeoutMs: this.#timeoutMs }): Promise<string> {
    const call = { socketPath: this.#socketPath, path, method: 'GET', agent: this.#agent }
    try {
      return await exchange(call, wait)
    } catch (error) {
      // The daemon may close an idle connection just as we reuse it; asking again is harmless.
      if (error instanceof ConnectionLost && error.reused) return await exchange(call, wait)
      throw error
    }
  }

  // A POST gets its own connection: unlike a GET it must not be sent twice.
  #post(path: string, body: unknown, { timeoutMs, bearer }: PostOptions = {}): Promise<string> {
    const call = { socketPath: this.#socketPath, path, method: 'POST', agent: false, body } as const
    return exchange({ ...call, bearer }, { timeoutMs: timeoutMs ?? this.#timeoutMs })
  }
}

type PostOptions = { timeoutMs?: number; bearer?: string }

type Query = Readonly<Record<string, string | number | undefined>>

type Wait = { timeoutMs: number; signal?: AbortSignal }

type Call = {
  socketPath: string
  path: string
  method: string
  agent: HttpAgent | false
  body?: unknown
  bearer?: string | undefined
}

type Answer = { status: number; contentType: string; body: string }

class ConnectionLost extends TrailBossError {
  readonly reused: boolean

  constructor(message: string, reused: boolean, cause: unknown) {
    super('DAEMON_DOWN', message, { hint: START_HINT, cause })
    this.reused = reused
  }
}

const START_HINT = 'Start it with: trailboss up'

async function exchange(call: Call, wait: Wait): Promise<string> {
  const answer = await send(call, wait)
  if (answer.status >= 200 && answer.status < 300) return answer.body
  throw refusal(call, answer)
}

function send(call: Call, { timeoutMs, signal }: Wait): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const isLimited = Number.isFinite(timeoutMs)
    const sent = request({
      socketPath: call.socketPath,
      path: call.path,
      method: call.method,
      agent: call.agent,
      headers: {
        host: 'localhost',
        accept: 'application/json, text/plain',
        ...(call.bearer !== undefined && { authorization: `Bearer ${call.bearer}` }),
        ...(call.method === 'POST' &&
          isLimited && { [DEADLINE_HEADER]: String(Date.now() + timeoutMs) }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
    })

    const settle = (finish: () => void) => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', abort)
      finish()
    }
    const abandon = (reason: unknown) => {
      settle(() => reject(reason))
      sent.destroy()
    }
    const abort = () => abandon(signal?.reason)
    const tooLate = () => abandon(tooSlow(call.method, timeoutMs))
    const deadline = isLimited ? setTimeout(tooLate, timeoutMs) : undefined
    signal?.addEventListener('abort', abort)

    const lost = (cause: unknown) =>
      settle(() => reject(new ConnectionLost(lossOf(cause), sent.reusedSocket, cause)))
    sent.on('error', lost)
    sent.on('response', (response) => {
      read(response).then((text) => settle(() => resolve(text)), lost)
    })
    sent.end(body)
  })
}

async function read(response: IncomingMessage): Promise<Answer> {
  response.setEncoding('utf8')
  let body = ''
  for await (const chunk of response) body += chunk
  const contentType = response.headers['content-type'] ?? ''
  return { status: response.statusCode ?? 0, contentType, body }
}

function parsed<View>(body: string): View {
  try {
    return JSON.parse(body) as View
  } catch (cause) {
    throw new TrailBossError('INTERNAL', 'The daemon answered with something that is not JSON.', {
      hint: 'Restart it with: trailboss restart',
      cause,
    })
  }
}

function refusal(call: Call, answer: Answer): TrailBossError {
  const problem = answer.contentType.includes('json') ? problemOf(answer.body) : undefined
  const message =
    problem?.detail || `The daemon answered ${answer.status} to ${call.method} ${call.path}.`
  return new TrailBossError(codeOf(problem?.code), message, {
    ...(problem?.hint && { hint: problem.hint }),
  })
}

function problemOf(body: string): Partial<Problem> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function codeOf(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(catalogue, code) ? (code as ErrorCode) : 'INTERNAL'
}

function tooSlow(method: string, timeoutMs: number): TrailBossError {
  const mayBeDone = 'It may have done it anyway: check before you try again. '
  return new TrailBossError(
    'DAEMON_HUNG',
    `The daemon is there, but did not answer within ${timeoutMs / 1_000} s.`,
    {
      hint: `${method === 'POST' ? mayBeDone : ''}If it goes on, restart it: trailboss restart`,
    },
  )
}

function lossOf(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'The daemon is not running.'
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return 'The daemon hung up before it answered. It may have done it anyway: check before you try again.'
  }
  return `The daemon cannot be reached: ${messageOf(cause)}.`
}
