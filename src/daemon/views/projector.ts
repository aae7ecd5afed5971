import { isDeepStrictEqual } from 'node:util'
import { clearProjection, type Projection, projectionCommands } from '../../tmux/projection.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { Views } from './views.ts'

/** Keeps the user options of every tmux server up to date. */
export class Projector {
  readonly #views: Pick<Views, 'places'>
  readonly #inventory: PaneInventory
  readonly #links: ServerLinks
  /** What was last sent along with a look, by socket. */
  readonly #sentAlong = new Map<string, Projection>()

  constructor(views: Pick<Views, 'places'>, inventory: PaneInventory, links: ServerLinks) {
    this.#views = views
    this.#inventory = inventory
    this.#links = links
  }

  projectAll(): void {
    for (const socket of this.#inventory.reachable()) this.#project(socket)
  }

  /** The heartbeat: sent along with a look at the server, so that it needs no process of its own. */
  commandsFor(socket: string): string[][] {
    const projection = this.#projectionFor(socket)
    this.#sentAlong.set(socket, projection)
    return projectionCommands(projection)
  }

  /** Projects again if what was sent along is out of date. */
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
    this.#links.at(socket).set(() => projectionCommands(this.#projectionFor(socket)))
  }

  #projectionFor(socket: string): Projection {
    const items = this.#views.places()
    const ready = items.filter((item) => item.ready)
    // What runs in the background gets a window, which a key of tmux alone cannot make.
    const target = ready.find((item) => item.pane !== null || item.open)
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
