import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** What stays open at most of one kind, and of what the system allows the process. */
const MOST_OPEN = 2_000
const SHARE_OF_LIMIT = 5

type Kept = { fd: number; isAsked: boolean }

/**
 * Files of /proc, one of each process, that are read again and again: reading one that stays open costs
 * a tenth of opening it each time. An open one belongs to its process, and cannot be read any more once
 * that is gone.
 */
export class LinuxFiles implements Disposable {
  readonly #name: string
  readonly #kept = new Map<number, Kept>()
  #most: number | undefined

  /** Its name in the directory of the process. */
  constructor(name: string) {
    this.#name = name
  }

  /** Into the buffer, from its begin; the number of bytes. It throws as `openSync` and `readSync` do. */
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

  /** Closes what nobody has read since the last time. */
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
