import { existsSync, statSync } from 'node:fs'
import { childListOf, childrenIn } from '../../process/ancestry.ts'
import { isGone, processState } from '../../process/process-state.ts'
import type { PaneListing } from '../panes.ts'

type Listing = Extract<PaneListing, { ok: true }>

/** After this many tries, a server is only asked along with all others. */
const TRIES_AT_A_SOCKET = 5
/** A missing pane counts only if two looks miss it. */
const SAME_LOOKS_UNTIL_STEADY = 2

/** What is visible of a tmux server without asking it: its process, its children and its socket. */
export class ServerChanges {
  readonly #socket: string
  /** The last listing that worked, and whether the server has answered since. */
  #listing: Listing | undefined
  #isAnswering = false
  /** Listings since the last one with news. */
  #sameLooks = 0
  /** Its children at the last check for strangers. */
  #children = ''
  /** Its children that were no panes at the last look: jobs, or new panes. */
  #strangers = new Set<number>()
  /** Those for which it was already asked: if they were no panes then, they are none. */
  #known = new Set<number>()
  /** The socket file at which we tried since it last answered, and how often. */
  #tried: { file: string; times: number } | undefined

  constructor(socket: string) {
    this.#socket = socket
  }

  listed(listing: PaneListing): void {
    this.#isAnswering = listing.ok
    if (!listing.ok) return
    this.#sameLooks = isSameListing(this.#listing, listing) ? this.#sameLooks + 1 : 0
    this.#listing = listing
  }

  /** Whether it seems to have a new pane, to have ended or to have started since the last look. */
  isLikely(): boolean {
    const listing = this.#isAnswering ? this.#listing : undefined
    return listing ? this.#hasEnded(listing) || this.#hasNewPane(listing) : this.#mayHaveStarted()
  }

  /** Whether another listing would show the same as the last one. */
  areUnlikely(): boolean {
    const listing = this.#isAnswering ? this.#listing : undefined
    if (!listing || this.#sameLooks < SAME_LOOKS_UNTIL_STEADY) return false
    const panes = processesIn(listing)
    const children = childrenIn(childListOf(listing.serverPid)).filter(
      (pid) => !this.#known.has(pid),
    )
    if (children.length !== panes.size || !children.every((pid) => panes.has(pid))) return false
    return processState(listing.serverPid, { start: undefined, knownAt: Date.now() }) === 'alive'
  }

  /** It removes its socket when it exits, but not when it is killed. */
  #hasEnded({ serverPid }: Listing): boolean {
    return isGone(serverPid) || !existsSync(this.#socket)
  }

  /** A socket where nobody answers may belong to a server that is just starting, or be left by a dead one. */
  #mayHaveStarted(): boolean {
    const stat = statSync(this.#socket, { throwIfNoEntry: false })
    if (!stat?.isSocket()) return false
    const file = `${stat.ino}:${stat.ctimeMs}`
    if (this.#tried?.file !== file) this.#tried = { file, times: 0 }
    this.#tried.times += 1
    return this.#tried.times <= TRIES_AT_A_SOCKET
  }

  /**
   * A pane's process is a child of its server; so is a job of the status line, but that is usually gone the
   * next time.
   */
  #hasNewPane(listing: Listing): boolean {
    const list = childListOf(listing.serverPid)
    if (list === this.#children && this.#strangers.size === 0) return false
    this.#children = list
    const panes = processesIn(listing)
    const children = childrenIn(list).filter((pid) => !panes.has(pid))
    const isStaying = children.some((pid) => this.#strangers.has(pid) && !this.#known.has(pid))
    this.#strangers = new Set(children)
    if (isStaying) this.#known = new Set(children)
    return isStaying
  }
}

function processesIn({ panes }: Listing): Set<number> {
  return new Set([...panes.values()].filter(({ dead }) => !dead).map(({ pid }) => pid))
}

function isSameListing(a: Listing | undefined, b: Listing): boolean {
  if (a?.serverPid !== b.serverPid || a.panes.size !== b.panes.size) return false
  for (const [id, { pid, dead }] of b.panes) {
    const known = a.panes.get(id)
    if (known?.pid !== pid || known.dead !== dead) return false
  }
  return true
}
