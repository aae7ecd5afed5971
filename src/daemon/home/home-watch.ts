import { statSync } from 'node:fs'
import type { Paths } from '../../config/paths.ts'

/**
 * Whether our paths still lead to our files. `gone`: the home was removed or replaced, so our writes are lost
 * and another daemon may run there. `deaf`: only the socket was removed.
 */
export type HomeState = 'intact' | 'deaf' | 'gone'

export class HomeWatch {
  readonly #paths: Paths
  readonly #lock: string

  constructor(paths: Paths) {
    this.#paths = paths
    this.#lock = identity(paths.lock)
  }

  look(): HomeState {
    const { lock, socket } = this.#paths
    if (identity(lock) !== this.#lock) return 'gone'
    return identity(socket) === MISSING ? 'deaf' : 'intact'
  }
}

const MISSING = 'missing'

function identity(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}` : MISSING
}
