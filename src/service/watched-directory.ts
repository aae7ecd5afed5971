import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { messageOf } from '../core/errors.ts'
import type { Log } from './log.ts'

/** A directory that may not exist yet, or may be replaced while it is watched. */
export class WatchedDirectory implements Disposable {
  readonly path: string
  readonly #log: Log
  readonly #changed: (name: string | null) => void
  #watcher: FSWatcher | undefined
  #inode = 0

  /** `changed` gets the name of the changed file; null if the system does not provide it. */
  constructor(path: string, log: Log, changed: (name: string | null) => void) {
    this.path = path
    this.#log = log
    this.#changed = changed
  }

  get isWatched(): boolean {
    return this.#watcher !== undefined
  }

  /** Its current entries. From now on changes are announced, if the system can. */
  names(): string[] {
    this.watch()
    if (this.#inode === 0) return []
    try {
      return readdirSync(this.path)
    } catch {
      return []
    }
  }

  /** From now on changes are announced, if the system can; call it again to follow a new directory. */
  watch(): void {
    const inode = inodeOf(this.path)
    if (inode === this.#inode) return
    this[Symbol.dispose]()
    this.#inode = inode
    if (inode === 0) return
    try {
      const watcher = watch(this.path, { persistent: false }, (_, name) => this.#changed(name))
      watcher.on('error', () => this[Symbol.dispose]())
      this.#watcher = watcher
    } catch (error) {
      this.#log.debug({ path: this.path, reason: messageOf(error) }, 'directory not watched')
    }
  }

  [Symbol.dispose](): void {
    this.#watcher?.close()
    this.#watcher = undefined
    this.#inode = 0
  }
}

/** 0 if it does not exist, or we may not look at it. */
export function inodeOf(path: string): number {
  try {
    // A thrown error costs ten times as much as the look.
    return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
  } catch {
    return 0
  }
}
