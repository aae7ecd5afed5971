import { existsSync, statSync } from 'node:fs'
import type { PaneRef } from '../../core/pane.ts'
import { childListOf, childrenIn } from '../../process/ancestry.ts'
import { isAlive, isGone, processState } from '../../process/process-state.ts'
import { type RunCommands, runCommands } from '../../tmux/exec.ts'
import { listPanes, type PaneListing } from '../../tmux/panes.ts'

/**
 * What the last look says of a pane.
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
  refreshing: Promise<void> | undefined
  /** Looks since the last that showed something new. */
  sameLooks: number
  /** When something last went along with a look, epoch ms, and whether a look was left out since. */
  sentAlongAt: number
  isLeftOut: boolean
  /** Its children when it was last looked for strangers. */
  children: string
  /** Its children that were no panes when it was last looked at: jobs, or panes that are new. */
  strangers: Set<number>
  /** Those for which it was looked at already: one that is no pane then is none. */
  known: Set<number>
  /** The socket file that it was tried at since it last answered, and how often. */
  tried: { file: string; times: number } | undefined
}

const FAILURES_UNTIL_UNOBSERVABLE = 2
const FAILURES_UNTIL_FORGOTTEN = 12
/** Beyond these it is only looked at along with all others. */
const TRIES_AT_A_SOCKET = 5
/** A pane that is missing must be missed twice before that counts. */
const SAME_LOOKS_UNTIL_STEADY = 2
/** What goes along tells that we live. It counts for 15 s, and a look may come late. */
const LEAVE_OUT_WITHIN_MS = 7_000

/** Every tmux server that feeds the queue and the panes in it, as of the last look. */
export class PaneInventory {
  readonly #servers = new Map<string, Server>()
  readonly #run: RunCommands
  readonly #isCheap: (socket: string) => boolean

  /** `isCheap`: whether a look at this server starts no process. */
  constructor(run: RunCommands = runCommands, isCheap: (socket: string) => boolean = () => false) {
    this.#run = run
    this.#isCheap = isCheap
  }

  /** Adds a server to those that are looked at. */
  know(socket: string): void {
    if (this.#servers.has(socket)) return
    const server = {
      socket,
      listing: undefined,
      looks: 0,
      failures: 0,
      refreshing: undefined,
      sameLooks: 0,
      sentAlongAt: 0,
      isLeftOut: false,
      children: '',
      strangers: new Set<number>(),
      known: new Set<number>(),
      tried: undefined,
    }
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
    const hasChanged = (server: Server) =>
      hasEnded(server) || mayHaveStarted(server) || hasStayingStranger(server)
    const changed = [...this.#servers.values()].filter(hasChanged)
    const before = changed.map(({ listing }) => listing?.serverPid)
    await Promise.all(changed.map(({ socket }) => this.refresh(socket)))
    return changed.some(
      ({ listing, failures }, index) => failures === 0 && listing?.serverPid !== before[index],
    )
  }

  /** Stops looking at servers that have not answered for long and that nobody needs. */
  forgetUnused(isNeeded: (socket: string) => boolean): void {
    for (const { socket, failures } of [...this.#servers.values()]) {
      if (failures >= FAILURES_UNTIL_FORGOTTEN && !isNeeded(socket)) this.#servers.delete(socket)
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

  /** Also one whose program has ended, as long as it stands there. */
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

  /** The pane whose own process is the first of these that is one's. */
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

  /** Looks at one server; looks that overlap share the answer of the one that runs. */
  async refresh(socket: string, also?: string[][]): Promise<void> {
    this.know(socket)
    const server = this.#servers.get(socket)
    if (!server) return
    server.refreshing ??= look(server, this.#run, also).finally(() => {
      server.refreshing = undefined
    })
    await server.refreshing
  }

  /**
   * Looks at all; `also` is a command for each server that goes along with the look. Every other look at
   * a server that has the same children as before is left out where it takes a process: that costs as
   * much as all else in a second.
   */
  async refreshAll(also?: (socket: string) => string[][]): Promise<void> {
    await Promise.all(
      this.sockets().map(async (socket) => {
        const server = this.#servers.get(socket)
        // What goes along must not get lost to a look that is under way already.
        while (also && server?.refreshing) await server.refreshing
        if (also && server && !this.#isCheap(socket) && mayBeLeftOut(server)) {
          server.isLeftOut = true
          return
        }
        if (also && server) Object.assign(server, { isLeftOut: false, sentAlongAt: Date.now() })
        await this.refresh(socket, also?.(socket))
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
    // One failed look says nothing: what the last one showed still counts.
    return listing ? listedSighting(listing, pane) : 'unasked'
  }
}

/** It removes its socket when it ends; killed, it cannot. */
function hasEnded({ socket, listing, failures }: Server): boolean {
  if (!listing || failures > 0) return false
  return isGone(listing.serverPid) || !existsSync(socket)
}

/** A socket that nobody answers at may be that of a server which is just starting, or what a dead one has left. */
function mayHaveStarted(server: Server): boolean {
  if (server.listing && server.failures === 0) return false
  const stat = statSync(server.socket, { throwIfNoEntry: false })
  if (!stat?.isSocket()) return false
  const file = `${stat.ino}:${stat.ctimeMs}`
  if (server.tried?.file !== file) server.tried = { file, times: 0 }
  server.tried.times += 1
  return server.tried.times <= TRIES_AT_A_SOCKET
}

/**
 * A pane's process is a child of its server; so is a job of the status line, but that is mostly gone the next
 * time.
 */
function hasStayingStranger(server: Server): boolean {
  const { listing, strangers, failures } = server
  if (!listing || failures > 0) return false
  const list = childListOf(listing.serverPid)
  if (list === server.children && strangers.size === 0) return false
  server.children = list
  const panes = panesByProcess(listing)
  const children = childrenIn(list).filter((pid) => !panes.has(pid))
  const isStaying = children.some((pid) => strangers.has(pid) && !server.known.has(pid))
  server.strangers = new Set(children)
  if (isStaying) server.known = new Set(children)
  return isStaying
}

/** Whether another look would show what the last one did. */
function mayBeLeftOut(server: Server): boolean {
  const { listing, failures, sameLooks, sentAlongAt, known } = server
  if (!listing || failures > 0 || sameLooks < SAME_LOOKS_UNTIL_STEADY) return false
  if (server.isLeftOut || Date.now() - sentAlongAt >= LEAVE_OUT_WITHIN_MS) return false
  const panes = panesByProcess(listing)
  const children = childrenIn(childListOf(listing.serverPid)).filter((pid) => !known.has(pid))
  if (children.length !== panes.size || !children.every((pid) => panes.has(pid))) return false
  return processState(listing.serverPid, { start: undefined, knownAt: Date.now() }) === 'alive'
}

function isSameListing(a: Listing | undefined, b: Listing): boolean {
  if (a?.serverPid !== b.serverPid || a.panes.size !== b.panes.size) return false
  for (const [id, { pid, dead }] of b.panes) {
    const known = a.panes.get(id)
    if (known?.pid !== pid || known.dead !== dead) return false
  }
  return true
}

/** Made once for each listing: at a start it is asked for every session. */
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

async function look(server: Server, run: RunCommands, also?: string[][]): Promise<void> {
  const listing = await listPanes(server.socket, also, run)
  if (!listing.ok) {
    server.failures += 1
    return
  }
  if (server.listing?.serverPid !== listing.serverPid) server.looks = 0
  server.sameLooks = isSameListing(server.listing, listing) ? server.sameLooks + 1 : 0
  server.listing = listing
  server.looks += 1
  server.failures = 0
}
