import { messageOf } from '../../core/errors.ts'
import { ControlClient, type ControlConnect } from '../control/control-client.ts'
import { askPanes, type PanesNews, watchPanes } from '../control/panes-subscription.ts'
import { isSafeWithControlClient, serverVersion } from '../version.ts'

/** `auto`: only with a tmux version that is known to handle it. */
export type ControlClientChoice = 'auto' | 'on' | 'off'

/** What a link reports by itself. */
export type LinkEvents = {
  news(socket: string, news: PanesNews): void
  /** A control client is attached, or cannot be, for this reason. */
  attached(socket: string, failure: string | undefined): void
  lost(socket: string, reason: string): void
  failed(error: unknown): void
}

const ASK_VERSION_AGAIN_MS = 60_000

/**
 * The control client of one tmux server. If there is none, because tmux refuses it or it would be in the
 * operator's way, processes do its work: more expensive, and without notifications.
 */
export class Attachment implements AsyncDisposable {
  readonly #socket: string
  readonly #choice: ControlClientChoice
  readonly #events: LinkEvents
  #client: ControlClient | undefined
  #failure: string | undefined
  #refusedUntil = 0

  constructor(socket: string, choice: ControlClientChoice, events: LinkEvents) {
    this.#socket = socket
    this.#choice = choice
    this.#events = events
  }

  /** Undefined while it is not attached. */
  get client(): ControlClient | undefined {
    return this.#client?.isConnected() ? this.#client : undefined
  }

  /** `wanted` is false if there should be none. */
  get state(): { connected: boolean; wanted: boolean; why: string | null } {
    const connected = this.client !== undefined
    const why = connected ? null : (this.#failure ?? 'not tried yet')
    return { connected, wanted: this.#refusedUntil === 0, why }
  }

  /** Safe to call often: after a failure it pauses before it tries again. */
  async attach(): Promise<void> {
    this.#client ??= this.#newClient()
    const wasConnected = this.#client.isConnected()
    if (!wasConnected && performance.now() < this.#refusedUntil) return
    const refusal = wasConnected ? undefined : await this.#refusal()
    this.#refusedUntil = refusal === undefined ? 0 : performance.now() + ASK_VERSION_AGAIN_MS
    const result: ControlConnect =
      refusal === undefined
        ? await this.#client.connect()
        : { ok: false, kind: 'refused', detail: refusal }
    const failure = result.ok ? undefined : result.detail || result.kind
    if (failure !== this.#failure || (result.ok && !wasConnected)) {
      this.#events.attached(this.#socket, failure)
    }
    this.#failure = failure
  }

  /** If there is no control client, asks tmux for the news that it would have reported. */
  async askNews(): Promise<void> {
    if (!this.#client || this.client) return
    const news = await askPanes(this.#socket)
    if (news) this.#events.news(this.#socket, news)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#failure = undefined
    this.#refusedUntil = 0
    await client?.[Symbol.asyncDispose]()
  }

  #newClient(): ControlClient {
    const client = new ControlClient(this.#socket, {
      lost: (error) => this.#events.lost(this.#socket, messageOf(error)),
    })
    watchPanes(client, (news) => this.#events.news(this.#socket, news))
    return client
  }

  async #refusal(): Promise<string | undefined> {
    if (this.#choice === 'on') return undefined
    if (this.#choice === 'off') return 'it is switched off ("controlClient" in the settings)'
    const version = await serverVersion(this.#socket)
    if (version === undefined) return 'the server does not say which tmux it is'
    return isSafeWithControlClient(version)
      ? undefined
      : `tmux ${version.text} can crash with one attached (fixed in 3.8)`
  }
}
