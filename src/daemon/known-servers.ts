import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { PLAIN_PATH } from '../core/text.ts'

/**
 * The tmux servers that were served last. After a restart of the daemon nothing else tells of one in which no
 * session is known, and its status line and keys would find nobody.
 */
export class KnownServers {
  readonly #file: string
  #written: readonly string[] = []

  constructor(file: string) {
    this.#file = file
  }

  /** Those whose socket is still there. */
  read(): string[] {
    try {
      const sockets: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      if (!Array.isArray(sockets)) return []
      const isSocket = (path: unknown) => typeof path === 'string' && PLAIN_PATH.test(path)
      return sockets.filter((path) => isSocket(path) && existsSync(path))
    } catch {
      return []
    }
  }

  remember(sockets: readonly string[]): void {
    if (isDeepStrictEqual(sockets, this.#written)) return
    try {
      // Whatever was put in its place is not written through.
      rmSync(this.#file, { force: true })
      writeFileSync(this.#file, `${JSON.stringify(sockets)}\n`, { mode: 0o600, flag: 'wx' })
      this.#written = [...sockets]
    } catch {
      // A disk that is full takes it later.
    }
  }
}
