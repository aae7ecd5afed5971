import type { PaneRef } from '../../core/pane.ts'
import { isAlive } from '../../process/process-state.ts'
import type { PaneNames } from '../../tmux/pane-names.ts'
import type { PaneListing } from '../../tmux/panes.ts'
import { ServerLinks } from '../../tmux/server-link/server-links.ts'

/**
 * What the last look says about a pane.
 * - `missing`: the server answered and did not list it; one such look may be a race, two are not.
 * - `unobservable`: the server does not answer, which is not `gone`.
 * - `unreached`: no look at its server has ever worked.
 * - `unasked`: nobody has looked yet.
 */
export type PaneSighting = 'present' | 'missing' | 'gone' | 'unobservable' | 'unreached' | 'unasked'

type Listing = Extract<PaneListing, { ok: true }>

type Server = {
  socket: string
  /** The last listing that worked, and how many have. */
  listing: Listing | undefined
  looks: number
  /** Looks that failed since then. */
  failures: number
  /** The result of the last look, shared by looks that overlap. */
  last: PaneListing | undefined
}

const FAILURES_UNTIL_UNOBSERVABLE = 2
const FAILURES_UNTIL_FORGOTTEN = 12
/** Every tmux server that feeds the queue and the panes in it, as of the last look. */
export class PaneInventory {
  readonly #servers = new Map<string, Server>()
  readonly #links: ServerLinks

  constructor(links = new ServerLinks()) {
    this.#links = links
  }

  /** Adds a server to look at. */
  know(socket: string): void {
    if (this.#servers.has(socket)) return
    const server = { socket, listing: undefined, looks: 0, failures: 0, last: undefined }
    this.#servers.set(socket, server)
  }

  knows(socket: string): boolean {
    return this.#servers.has(socket)
  }

  /**
   * Looks at servers that seem to have changed since the last look: they have a new pane, have ended, or have
   * started. Returns whether one has started.
   */
  async refreshChanged(): Promise<boolean> {
    const changed = [...this.#servers.values()].filter(({ socket }) =>
      this.#links.at(socket).seemsChanged(),
    )
    const before = changed.map(({ listing }) => listing?.serverPid)
    await Promise.all(changed.map(({ socket }) => this.refresh(socket)))
    return changed.some(
      ({ listing, failures }, index) => failures === 0 && listing?.serverPid !== before[index],
    )
  }

  /** Stops looking at servers that have not answered for a long time and that nobody needs. */
  forgetUnused(isNeeded: (socket: string) => boolean): void {
    for (const { socket, failures } of [...this.#servers.values()]) {
      if (failures < FAILURES_UNTIL_FORGOTTEN || isNeeded(socket)) continue
      this.#servers.delete(socket)
      void this.#links.forget(socket)
    }
  }

  sockets(): string[] {
    return [...this.#servers.keys()]
  }

  isReachable(socket: string): boolean {
    const server = this.#servers.get(socket)
    return server?.listing !== undefined && server.failures === 0
  }

  reachable(): string[] {
    return this.sockets().filter((socket) => this.isReachable(socket))
  }

  paneCount(socket: string): number {
    return this.#servers.get(socket)?.listing?.panes.size ?? 0
  }

  panePid(pane: PaneRef): number | undefined {
    return this.#servers.get(pane.socket)?.listing?.panes.get(pane.id)?.pid
  }

  /** As of the last look; the same object until the next one. */
  namesOf(pane: PaneRef): PaneNames | undefined {
    return this.#servers.get(pane.socket)?.listing?.panes.get(pane.id)?.names
  }

  /** True even if its program has ended, as long as the pane exists. */
  holds({ socket, id, server, pid }: PaneRef): boolean {
    const listing = this.#servers.get(socket)?.listing
    const listed = listing?.panes.get(id)
    if (!listed || (server !== undefined && server !== listing?.serverPid)) return false
    return pid === undefined || pid === listed.pid
  }

  *panes(): Generator<{ pane: PaneRef; pid: number; isWatched: boolean }> {
    for (const { socket, listing } of this.#servers.values()) {
      for (const [id, { pid, dead, isWatched }] of listing?.panes ?? []) {
        if (dead || !listing) continue
        yield { pane: { socket, id, server: listing.serverPid, pid }, pid, isWatched }
      }
    }
  }

  /** Whether these are the panes of the last look. */
  isListed(socket: string, panes: ReadonlyMap<string, { pid: number; isDead: boolean }>): boolean {
    const listed = this.#servers.get(socket)?.listing?.panes
    if (listed?.size !== panes.size) return false
    for (const [id, { pid, isDead }] of panes) {
      const known = listed.get(id)
      if (known?.pid !== pid || known.dead !== isDead) return false
    }
    return true
  }

  /** The pane whose own process comes first among these. */
  paneWithProcess(pids: readonly number[]): PaneRef | undefined {
    for (const pid of pids) {
      for (const { socket, listing } of this.#servers.values()) {
        const id = listing && panesByProcess(listing).get(pid)
        if (listing && id) return { socket, id, server: listing.serverPid, pid }
      }
    }
    return undefined
  }

  looks(socket: string): number {
    return this.#servers.get(socket)?.looks ?? 0
  }

  /** Looks at one server. */
  async refresh(socket: string): Promise<void> {
    this.know(socket)
    this.#take(socket, await this.#links.at(socket).list())
  }

  async refreshAll(): Promise<void> {
    await Promise.all(this.sockets().map((socket) => this.refresh(socket)))
  }

  /** Looks at all servers and sets their options along with that, unless nothing can have changed. */
  async refreshAndSet(write: (socket: string) => string[][]): Promise<void> {
    await Promise.all(
      this.sockets().map(async (socket) => {
        const listing = await this.#links.at(socket).listAndSet(() => write(socket))
        if (listing !== 'left-out') this.#take(socket, listing)
      }),
    )
  }

  sighting(pane: PaneRef): PaneSighting {
    const server = this.#servers.get(pane.socket)
    if (!server || (!server.listing && server.failures === 0)) return 'unasked'
    const { listing, failures } = server
    const serverPid = pane.server ?? listing?.serverPid
    if (failures > 0 && serverPid && !isAlive(serverPid)) return 'gone'
    if (failures >= FAILURES_UNTIL_UNOBSERVABLE) return listing ? 'unobservable' : 'unreached'
    // One failed look means nothing: the last successful one still counts.
    return listing ? listedSighting(listing, pane) : 'unasked'
  }

  #take(socket: string, listing: PaneListing): void {
    const server = this.#servers.get(socket)
    if (!server || server.last === listing) return
    server.last = listing
    if (!listing.ok) {
      server.failures += 1
      return
    }
    if (server.listing?.serverPid !== listing.serverPid) server.looks = 0
    server.listing = listing
    server.looks += 1
    server.failures = 0
  }
}

/** Computed once per listing, because a start needs it for every session. */
function panesByProcess(listing: Listing): Map<number, string> {
  const known = byProcess.get(listing)
  if (known) return known
  const panes = new Map<number, string>()
  for (const [id, { pid, dead }] of listing.panes) if (!dead) panes.set(pid, id)
  byProcess.set(listing, panes)
  return panes
}

const byProcess = new WeakMap<Listing, Map<number, string>>()

function listedSighting(listing: Listing, pane: PaneRef): PaneSighting {
  if (pane.server !== undefined && pane.server !== listing.serverPid) return 'gone'
  const listed = listing.panes.get(pane.id)
  if (!listed) return 'missing'
  if (pane.pid !== undefined && pane.pid !== listed.pid) return 'gone'
  return listed.dead ? 'gone' : 'present'
}
