import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { PLAIN_PATH } from '../../core/text.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import type { Herd } from '../herd/herd.ts'
import type { PaneInventory } from './pane-inventory.ts'

export type KnownServersParts = {
  herd: Herd
  inventory: PaneInventory
  links: ServerLinks
  /** Servers that are looked at even if they do not answer. */
  always: readonly string[]
  /** Where they are remembered across restarts. */
  file: string
}

/**
 * The tmux servers that we serve: those in the settings, those with sessions, and those served before. After a
 * restart, only this list has the servers without a known session.
 */
export class KnownServers {
  readonly #parts: KnownServersParts
  #remembered: readonly string[] = []

  constructor(parts: KnownServersParts) {
    this.#parts = parts
  }

  recall(): void {
    const { always, inventory, file } = this.#parts
    for (const socket of [...always, ...this.#ofSessions(), ...readSockets(file)]) {
      inventory.know(socket)
    }
  }

  connect(): Promise<void> {
    const { links, inventory } = this.#parts
    return links.attach(inventory.reachable())
  }

  async lookAt(socket: string): Promise<void> {
    await this.#parts.inventory.refresh(socket)
    this.#parts.herd.touch()
  }

  /** Starts serving a server as soon as it has started. */
  async lookAtChanged(): Promise<void> {
    if (!(await this.#parts.inventory.refreshChanged())) return
    await this.connect()
    this.#parts.herd.touch()
  }

  forgetUnused(): void {
    const needed = new Set([...this.#parts.always, ...this.#ofSessions()])
    this.#parts.inventory.forgetUnused((socket) => needed.has(socket))
    this.remember()
  }

  remember(): void {
    const { inventory, file } = this.#parts
    const sockets = inventory.reachable()
    if (isDeepStrictEqual(sockets, this.#remembered)) return
    try {
      // Do not write through whatever was put in its place.
      rmSync(file, { force: true })
      writeFileSync(file, `${JSON.stringify(sockets)}\n`, { mode: 0o600, flag: 'wx' })
      this.#remembered = sockets
    } catch {
      // If the disk is full, a later write will succeed.
    }
  }

  *#ofSessions(): Generator<string> {
    for (const { pane, verdict } of this.#parts.herd.current()) {
      if (pane && verdict.state !== 'ended') yield pane.socket
    }
  }
}

/** Those whose socket still exists. */
function readSockets(file: string): string[] {
  try {
    const sockets: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!Array.isArray(sockets)) return []
    const isPath = (path: unknown) => typeof path === 'string' && PLAIN_PATH.test(path)
    return sockets.filter((path) => isPath(path) && existsSync(path))
  } catch {
    return []
  }
}
