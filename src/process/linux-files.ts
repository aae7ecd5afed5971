import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** How many files of one kind may stay open, at most, and what share of the process's limit. */
const MOST_OPEN = 2_000
const SHARE_OF_LIMIT = 5

type Kept = { fd: number; isAsked: boolean }

/**
 * Files in /proc, one per process, that we read repeatedly: reading an open one costs a tenth of opening it
 * each time. An open file belongs to its process, and cannot be read once that is gone.
 */
export class LinuxFiles implements Disposable {
  readonly #name: string
  readonly #kept = new Map<number, Kept>()
  #most: number | undefined

  /** Its name in the directory of the process. */
  constructor(name: string) {
    this.#name = name
  }

  /** Reads into the buffer from its beginning; returns the number of bytes. Throws like `openSync` and `readSync`. */
  read(pid: number, into: Buffer): number {
    const kept = this.#kept.get(pid)
    if (!kept) return this.#readNew(pid, into)
    try {
      kept.isAsked = true
      return readSync(kept.fd, into, 0, into.length, 0)
    } catch {
      this.#release(pid, kept)
      return this.#readNew(pid, into)
    }
  }

  /** Closes files that nobody has read since the last call. */
  releaseUnasked(): void {
    for (const [pid, kept] of this.#kept) {
      if (!kept.isAsked) this.#release(pid, kept)
      kept.isAsked = false
    }
  }

  [Symbol.dispose](): void {
    for (const [pid, kept] of this.#kept) this.#release(pid, kept)
  }

  #readNew(pid: number, into: Buffer): number {
    this.#most ??= Math.min(MOST_OPEN, Math.floor(openFilesLimit() / SHARE_OF_LIMIT))
    const fd = openSync(`/proc/${pid}/${this.#name}`, 'r')
    let isKept = false
    try {
      const bytes = readSync(fd, into, 0, into.length, 0)
      isKept = this.#kept.size < this.#most
      if (isKept) this.#kept.set(pid, { fd, isAsked: true })
      return bytes
    } finally {
      if (!isKept) closeSync(fd)
    }
  }

  #release(pid: number, { fd }: Kept): void {
    this.#kept.delete(pid)
    closeSync(fd)
  }
}

function openFilesLimit(): number {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return Number(soft ?? 0)
  } catch {
    return 0
  }
}
