import { isDeepStrictEqual } from 'node:util'
import { type RunCommands, runCommands } from '../../tmux/exec.ts'
import {
  clearProjection,
  type Projection,
  project,
  projectionCommands,
} from '../../tmux/projection.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { Views } from '../views/views.ts'

const LEAST_GAP_MS = 20

/**
 * Keeps the user options of every tmux server true. One write per server is under way at a time;
 * what changes meanwhile goes out with the next.
 */
export class Projector {
  readonly #views: Views
  readonly #inventory: PaneInventory
  readonly #busy = new Map<string, { again: boolean }>()
  /** What last went along with a look, by socket. */
  readonly #sentAlong = new Map<string, Projection>()

  readonly #run: RunCommands

  constructor(views: Views, inventory: PaneInventory, run: RunCommands = runCommands) {
    this.#run = run
    this.#views = views
    this.#inventory = inventory
  }

  projectAll(): void {
    for (const socket of this.#inventory.reachable()) this.#project(socket)
  }

  /** The heartbeat: it goes along with a look at the server, which then costs no process of its own. */
  commandsFor(socket: string): string[][] {
    const projection = this.#projectionFor(socket)
    this.#sentAlong.set(socket, projection)
    return projectionCommands(projection)
  }

  /** Projects where what went along is not true any more. */
  projectChanged(): void {
    for (const socket of this.#inventory.reachable()) {
      const sent = this.#sentAlong.get(socket)
      const now = { ...this.#projectionFor(socket), beat: sent?.beat }
      if (!isDeepStrictEqual(sent, now)) this.#project(socket)
    }
  }

  async clearAll(): Promise<void> {
    await Promise.all(this.#inventory.reachable().map((socket) => clearProjection(socket)))
  }

  #project(socket: string): void {
    const running = this.#busy.get(socket)
    if (running) {
      running.again = true
      return
    }
    const job = { again: false }
    this.#busy.set(socket, job)
    void project(socket, this.#projectionFor(socket), this.#run).finally(() => {
      const finish = () => {
        this.#busy.delete(socket)
        if (job.again) this.#project(socket)
      }
      if (job.again) setTimeout(finish, LEAST_GAP_MS)
      else finish()
    })
  }

  #projectionFor(socket: string): Projection {
    const { items } = this.#views.queue()
    const ready = items.filter((item) => item.ready)
    const target = ready.find((item) => item.pane !== null)
    const isHere = target?.pane?.socket === socket
    return {
      head: isHere ? (target?.pane?.id ?? '') : '',
      elsewhere: target !== undefined && !isHere,
      nopane: ready.length > 0 && target === undefined,
      count: ready.length,
      cooling: items.length - ready.length,
      beat: Math.floor(Date.now() / 1_000),
    }
  }
}
