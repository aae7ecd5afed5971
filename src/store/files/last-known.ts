import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { count, flag, name, object, time } from '../shapes/shape.ts'

/**
 * What a database held, remembered in a file beside it, because a database that was emptied, replaced or lost
 * its journal does not know. It may be a second behind, so the database held at least this much.
 */
export type LastKnown = {
  id: string
  /** The last entry of the event log. */
  seq: number
  admittedAt: number
  /** Nobody has closed it, so its journal must exist. */
  isOpen: boolean
}

const MOST_OFTEN_MS = 1_000

const shape = object<LastKnown>({ id: name, seq: count, admittedAt: time, isOpen: flag })

function lastKnownPath(database: string): string {
  return `${database}.json`
}

/** Also undefined if the file makes no sense: then we know nothing. */
export function readLastKnown(database: string): LastKnown | undefined {
  try {
    const known: unknown = JSON.parse(readFileSync(lastKnownPath(database), 'utf8'))
    return shape(known) === undefined ? (known as LastKnown) : undefined
  } catch {
    return undefined
  }
}

/** Writes soon after every change, and never blocks one. */
export class LastKnownFile {
  readonly #path: string
  readonly #latest: () => LastKnown
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(database: string, latest: () => LastKnown) {
    this.#path = lastKnownPath(database)
    this.#latest = latest
    this.#writeNow(latest())
  }

  /** Something was stored. */
  touch(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.#writeSoon(), MOST_OFTEN_MS)
    this.#timer.unref()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#isClosed = true
    this.#writeNow({ ...this.#latest(), isOpen: false })
  }

  async #writeSoon(): Promise<void> {
    const temporary = this.#temporary()
    try {
      const file = await open(temporary, 'w', 0o600)
      try {
        await file.writeFile(textOf(this.#latest()))
        await file.sync()
      } finally {
        await file.close()
      }
      if (!this.#isClosed) renameSync(temporary, this.#path)
    } catch {
      // If nothing can be written, the store itself reports it.
    }
    this.#timer = undefined
  }

  #writeNow(known: LastKnown): void {
    const temporary = this.#temporary()
    try {
      const fd = openSync(temporary, 'w', 0o600)
      try {
        writeSync(fd, textOf(known))
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
      renameSync(temporary, this.#path)
    } catch {
      // As above.
    }
  }

  #temporary(): string {
    return `${this.#path}.${randomUUID().slice(0, 8)}`
  }
}

function textOf(known: LastKnown): string {
  return `${JSON.stringify(known)}\n`
}
