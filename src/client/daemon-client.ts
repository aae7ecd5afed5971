import type { DecisionBody, DecisionOutcome } from '../contract/decision.ts'
import type {
  DismissView,
  ExplainAllView,
  ExplainView,
  MonitorView,
  QueueView,
  SessionsView,
  SkipView,
  StatusView,
  WaitState,
  WaitView,
} from '../contract/responses.ts'
import type { AgentEvent } from '../core/session/event.ts'
import { Agent, ConnectionLost, exchange, parsed, type Wait } from './exchange.ts'

const REQUEST_TIMEOUT_MS = 2_000
const LONG_POLL_SECONDS = 25

/** An item: by its session, by its pane, or by a word that names either. */
export type ItemTarget = {
  session?: string
  harness?: string
  pane?: { socket: string; id: string }
  target?: string
  /** The tmux server on which `target` is looked up first, if it is a pane. */
  socket?: string
}

/** What to skip, else the head. */
export type SkipRequest = ItemTarget & {
  cooldownMs?: number
  /** Epoch ms. */
  until?: number
  /** Undoes the last skip instead. */
  undo?: boolean
}

export type DismissRequest = ItemTarget & { evenBlocked?: boolean; undo?: boolean }

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

  async queue({ dismissed } = { dismissed: false }): Promise<QueueView> {
    return parsed(await this.#get(dismissed ? '/queue?all=1' : '/queue'))
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

  async skip(request: SkipRequest = {}): Promise<SkipView> {
    return parsed(await this.#post('/skip', request))
  }

  async dismiss(request: DismissRequest): Promise<DismissView> {
    return parsed(await this.#post('/dismiss', request))
  }

  /** Answers when it is so, or as it is after `seconds`. */
  async waitFor(
    request: { for: WaitState; target?: string; socket?: string },
    seconds: number,
  ): Promise<WaitView> {
    const query = new URLSearchParams({ ...request, wait: String(seconds) })
    return parsed(
      await this.#get(`/wait?${query}`, { timeoutMs: seconds * 1_000 + this.#timeoutMs }),
    )
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
