import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import type { RunCommands } from '../exec.ts'
import type { PaneScreen } from './screens.ts'
import { type LinkOptions, ServerLink } from './server-link.ts'

const SILENT: LinkOptions = {
  controlClient: 'off',
  events: { news: () => {}, attached: () => {}, lost: () => {}, failed: () => {} },
  requests: () => [],
}

/** The links to all tmux servers, one per server. */
export class ServerLinks implements AsyncDisposable {
  readonly #links = new Map<string, ServerLink>()
  readonly #options: LinkOptions

  constructor(options: Partial<LinkOptions> = {}) {
    this.#options = { ...SILENT, ...options }
  }

  at(socket: string): ServerLink {
    const known = this.#links.get(socket)
    if (known) return known
    const link = new ServerLink(socket, this.#options)
    this.#links.set(socket, link)
    return link
  }

  /** Runs read-only commands over the link to that server. */
  readonly ask: RunCommands = (socket, commands) => this.at(socket).ask(commands)

  /**
   * The screen of exactly this pane: undefined if it is gone, dead or another one has its id. Throws
   * `TMUX_UNREACHABLE` if tmux did not answer, which says nothing about the pane.
   */
  async screenOf({ socket, id, pid }: Pane): Promise<PaneScreen | undefined> {
    const captured = await this.at(socket).capture([id])
    if (captured === 'could-not-observe') {
      throw new TrailBossError('TMUX_UNREACHABLE', `tmux at ${socket} did not show pane ${id}.`)
    }
    const seen = captured.get(id)
    return seen && seen.pid === pid && !seen.isDead ? seen : undefined
  }

  /** Attaches a control client to each of these servers and to no other. Safe to call often. */
  async attach(sockets: readonly string[]): Promise<void> {
    const others = [...this.#links].filter(([socket]) => !sockets.includes(socket))
    await Promise.all([
      ...others.map(([, link]) => link.detach()),
      ...sockets.map((socket) => this.at(socket).attach()),
    ])
  }

  /** For servers without a control client, asks for the news that it would have reported. */
  async askNews(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.askNews()))
  }

  async forget(socket: string): Promise<void> {
    const link = this.#links.get(socket)
    this.#links.delete(socket)
    await link?.[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#links.keys()].map((socket) => this.forget(socket)))
  }
}
