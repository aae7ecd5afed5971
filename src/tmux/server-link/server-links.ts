import { type LinkOptions, ServerLink } from './server-link.ts'

const SILENT: LinkOptions = {
  controlClient: 'off',
  events: { news: () => {}, attached: () => {}, lost: () => {}, failed: () => {} },
  requests: () => [],
}

/** The links to all tmux servers, one for each. */
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

  /** Attaches a control client to each of these, as often as a failure lets it, and to no other. */
  async attach(sockets: readonly string[]): Promise<void> {
    const others = [...this.#links].filter(([socket]) => !sockets.includes(socket))
    await Promise.all([
      ...others.map(([, link]) => link.detach()),
      ...sockets.map((socket) => this.at(socket).attach()),
    ])
  }

  /** Asks for the news that control clients would have brought, where there are none. */
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
