import {
  afterLook,
  afterResolution,
  afterRevision,
  type DrainState,
  firstLook,
} from '../../core/drain/drain.ts'
import { TrailBossError } from '../../core/errors.ts'
import { isSamePane, type PaneRef } from '../../core/pane.ts'
import type { Log } from '../../service/log.ts'
import {
  type ActiveClient,
  type ClientsLook,
  freeSession,
  jumpIfStill,
  lookAtClients,
  setDraining,
} from '../../tmux/client-activity.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import { showMessage } from '../../tmux/navigate.ts'
import { forgetGoneClients } from '../../tmux/place.ts'
import type { News } from '../herd/announcements.ts'

export type DrainParts = {
  /** Asks a tmux server, with commands that only read. */
  ask: RunCommands
  /** Where Next would go; its pane is null if it has to be opened first. */
  target(): { pane: PaneRef | null } | undefined
  /** Whether something in this pane waits. */
  isWaiting(pane: PaneRef): boolean
  log: Log
  failed(error: unknown): void
}

const LOOK_MS = 500

/**
 * Takes clients that drain to the next head. Which ones do is in an option of their tmux server, so it survives us, and
 * the status line shows it. Nothing runs while there is none.
 */
export class Drain implements Disposable {
  readonly #parts: DrainParts
  /** The servers with clients that drain, and what we know about each of those, by pid. */
  readonly #servers = new Map<string, Map<number, DrainState>>()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #isDisposed = false

  constructor(parts: DrainParts) {
    this.#parts = parts
  }

  /** Finds the clients that drained before we started. */
  async start(sockets: readonly string[]): Promise<void> {
    for (const socket of sockets) {
      await forgetGoneClients(socket)
      await this.#inTurn(async () => {
        const look = await lookAtClients(socket, this.#parts.ask)
        if (typeof look !== 'string' && look.draining.size > 0) this.#statesOf(socket)
      })
    }
  }

  /** Undefined switches it over. Returns whether the client drains now. */
  set(socket: string, name: string, wanted: boolean | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const look = await lookAtClients(socket, this.#parts.ask)
      const client =
        typeof look !== 'string' &&
        look.clients.find((each) => each.name === name && each.isOperable)
      if (typeof look === 'string' || !client) throw noClient()
      const drains = wanted ?? !look.draining.has(client.pid)
      const pids = drainingIn(look)
      if (drains) pids.add(client.pid)
      else pids.delete(client.pid)
      if (!(await setDraining(socket, pids))) throw unreachable(socket)
      if (drains) await this.#follow(this.#statesOf(socket), client, look, Date.now())
      return drains
    })
  }

  /** A wait ended, or we know more about how. */
  changed({ transitions, revised }: Pick<News, 'transitions' | 'revised'>): void {
    if (this.#servers.size === 0) return
    const at = Date.now()
    for (const { closed, session } of transitions) {
      const states = session.pane && this.#servers.get(session.pane.socket)
      if (!closed || !session.pane || !states) continue
      const { item, outcome } = closed
      const resolution = { pane: session.pane.id, outcome, episode: item.episode, at }
      for (const [pid, state] of states) states.set(pid, afterResolution(state, resolution))
    }
    for (const lifted of revised) {
      for (const states of this.#servers.values()) {
        for (const [pid, state] of states) states.set(pid, afterRevision(state, lifted))
      }
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#timer)
  }

  #statesOf(socket: string): Map<number, DrainState> {
    const states = this.#servers.get(socket) ?? new Map<number, DrainState>()
    this.#servers.set(socket, states)
    this.#arm()
    return states
  }

  #arm(): void {
    if (this.#timer || this.#isDisposed || this.#servers.size === 0) return
    this.#timer = setTimeout(async () => {
      const looks = () => [...this.#servers].map(([socket, states]) => this.#lookAt(socket, states))
      await this.#inTurn(() => Promise.all(looks())).catch(this.#parts.failed)
      this.#timer = undefined
      this.#arm()
    }, LOOK_MS)
  }

  /** One after the other: an older look must not undo what a newer one has shown. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #lookAt(socket: string, states: Map<number, DrainState>): Promise<void> {
    const now = Date.now()
    const look = await lookAtClients(socket, this.#parts.ask)
    if (this.#isDisposed) return
    if (look === 'no-server') this.#servers.delete(socket)
    // Whatever happens meanwhile is not seen.
    if (typeof look === 'string') return states.clear()
    const draining = drainingIn(look)
    if (draining.size < look.draining.size) await setDraining(socket, draining)
    if (draining.size === 0) this.#servers.delete(socket)
    for (const pid of states.keys()) if (!draining.has(pid)) states.delete(pid)
    for (const client of look.clients) {
      if (draining.has(client.pid)) await this.#follow(states, client, look, now)
    }
  }

  async #follow(
    states: Map<number, DrainState>,
    client: ActiveClient,
    look: ClientsLook,
    now: number,
  ): Promise<void> {
    const seen = { ...client, now, othersKey: othersKey(client, look) }
    const before = states.get(client.pid)
    const { state, isDue } = before
      ? afterLook(before, seen)
      : { state: firstLook(seen), isDue: false }
    states.set(client.pid, state)
    if (isDue) await this.#goOn(client, look)
  }

  /** To the head, unless this pane waits again: then the operator is where they are needed. */
  async #goOn(client: ActiveClient, look: ClientsLook): Promise<void> {
    const { socket, pane: id, pid } = client
    const target = this.#parts.target()
    if (!target || this.#parts.isWaiting({ socket, id })) return
    if (target.pane?.socket !== socket) {
      await showMessage(client, 'trailboss: the next one is not in a pane of this tmux: press Next')
      return
    }
    if (isSamePane(target.pane, { socket, id })) return
    const session = await freeSession(client, look, target.pane.id, this.#parts.ask)
    if (session === undefined) {
      await showMessage(
        client,
        'trailboss: the next one would take another client along: press Next',
      )
      return
    }
    const isMoved = await jumpIfStill(client, session, target.pane.id)
    this.#parts.log.info(
      { client_pid: pid, from: id, to: target.pane.id, moved: isMoved },
      'drained',
    )
  }
}

function noClient(): TrailBossError {
  const message = 'That tmux client is not attached, or nobody can type there.'
  return new TrailBossError('NO_CLIENT', message, {
    hint: 'Run it in the terminal that should move: trailboss drain on',
  })
}

function unreachable(socket: string): TrailBossError {
  return new TrailBossError('TMUX_UNREACHABLE', `tmux at ${socket} did not take it.`, {
    hint: 'Check it with: trailboss doctor',
  })
}

/** Those that are still attached. */
function drainingIn({ draining, clients }: ClientsLook): Set<number> {
  const able = clients.filter(({ isOperable }) => isOperable)
  return new Set(able.map(({ pid }) => pid).filter((pid) => draining.has(pid)))
}

/** When somebody else who looks at the same pane last pressed a key. */
function othersKey(client: ActiveClient, { clients }: ClientsLook): number | undefined {
  const others = clients.filter(({ pid, pane }) => pid !== client.pid && pane === client.pane)
  return others.length > 0 ? Math.max(...others.map(({ key }) => key)) : undefined
}
