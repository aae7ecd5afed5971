import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { configure, isBroken, setAside, stampNow } from '../database/database.ts'
import { setMeta } from '../rows/meta.ts'
import { JournalFile } from './journal-file.ts'

/** The result of writing a database again. */
type Restored = {
  /** Where somebody else's file in its place was moved. */
  foreign: string | undefined
  /** Its journal was damaged, so it was rebuilt. */
  isRebuilt: boolean
  /** Tables that could not be read to the end. */
  lost: readonly string[]
}

type Kept = Pick<Restored, 'isRebuilt' | 'lost'> & { bytes: Buffer }

/** Writes a database to this path from other sources; returns the tables that are incomplete. */
type Rebuild = (path: string) => string[]

const MOST_ATTEMPTS = 5

/**
 * The files of an open database. SQLite keeps writing to files that were unlinked or shortened, where nobody
 * would ever find what was acknowledged.
 */
export class DatabaseFiles {
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #journal: JournalFile
  #database: string
  /** The whole database, from closing its connection until it is in place again. */
  #kept: Kept | undefined

  constructor(path: string, db: DatabaseSync) {
    this.#path = path
    this.#db = db
    this.#database = identityOf(path)
    this.#journal = new JournalFile(`${path}-wal`)
  }

  /** A few file system calls that take microseconds. */
  areInPlace(): boolean {
    if (this.#kept || this.#database === MISSING) return false
    return identityOf(this.#path) === this.#database && this.#journalState() === 'in place'
  }

  /**
   * Writes everything that the connection still sees to a new file in the old place, and opens it. The data
   * stays in memory until the new files are known to exist, so a failed attempt can be repeated.
   */
  restore(rebuild: Rebuild, opened: () => void): Restored {
    this.#kept ??= this.#keep(rebuild)
    const { bytes, isRebuilt, lost } = this.#kept
    let foreign: string | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        foreign = this.#makeRoom() ?? foreign
        this.#putInPlace(bytes, opened)
        this.#kept = undefined
        return { foreign, isRebuilt, lost }
      } catch (error) {
        // Nothing may be stored where it would be lost.
        if (this.#db.isOpen) this.#db.close()
        if (attempt === MOST_ATTEMPTS) throw error
      }
    }
  }

  #keep(rebuild: Rebuild): Kept {
    const copy = this.#copyPath
    rmSync(copy, { force: true })
    try {
      // Reading through a journal with a hole may give wrong data without any error.
      const lost = this.#journalState() === 'cut' ? rebuild(copy) : this.#vacuumInto(copy, rebuild)
      return { bytes: readFileSync(copy), isRebuilt: lost !== undefined, lost: lost ?? [] }
    } finally {
      rmSync(copy, { force: true })
    }
  }

  #vacuumInto(copy: string, rebuild: Rebuild): string[] | undefined {
    try {
      this.#db.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
      return undefined
    } catch (error) {
      if (!isBroken(error)) throw error
      return rebuild(copy)
    }
  }

  #makeRoom(): string | undefined {
    if (this.#db.isOpen) this.#db.close()
    const isOurs = identityOf(this.#path) === this.#database
    const isForeign = !isOurs && lookAtFiles(this.#path).database === 'there'
    const foreign = isForeign ? setAside(this.#path, 'replaced', stampNow()) : undefined
    // SQLite would mistake the journal of another file for its own.
    for (const suffix of ['-wal', '-shm']) rmSync(this.#path + suffix, { force: true })
    return foreign
  }

  #putInPlace(bytes: Buffer, opened: () => void): void {
    const copy = this.#copyPath
    writeFileSync(copy, bytes, { mode: 0o600 })
    sync(copy)
    const written = identityOf(copy)
    renameSync(copy, this.#path)
    this.#database = written
    this.#db.open()
    // If the file was gone, SQLite created a new one, which must not be written to.
    this.#requireThere(written)
    configure(this.#db)
    opened()
    this.#write()
    if (!this.#journal.accept()) throw new Error('its journal was removed')
    this.#requireThere(written)
  }

  #requireThere(written: string): void {
    if (written === MISSING || identityOf(this.#path) !== written) {
      throw new Error('it was removed again')
    }
  }

  #journalState(): ReturnType<JournalFile['look']> {
    const state = this.#journal.look()
    if (state !== 'empty') return state
    try {
      this.#write()
    } catch {
      return 'cut'
    }
    return this.#journal.look()
  }

  /** Writes anything new, so that there is a journal: SQLite does not write what is there already. */
  #write(): void {
    setMeta(this.#db, 'probe', randomUUID())
  }

  get #copyPath(): string {
    return `${this.#path}.copy`
  }
}

/** A message for the operator. */
export function restorationOf(path: string, { foreign, isRebuilt, lost }: Restored): string {
  const what = isRebuilt
    ? `The journal of the database ${path} was damaged while Trail Boss was running. Trail Boss has written the database again; the whole queue is kept.`
    : `The database ${path} was removed while Trail Boss was running. Trail Boss has written all of it again.`
  const gaps =
    lost.length > 0 &&
    `It could not read all of these tables, so some of their rows are lost: ${lost.join(', ')}.`
  const aside = foreign && `The file that had taken its place was set aside as ${foreign}.`
  return [what, gaps, aside].filter(Boolean).join(' ')
}

const MISSING = 'missing'

function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}` : MISSING
}

function sync(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Which files of a database exist before it is opened. */
export type FoundFiles = { database: 'missing' | 'empty' | 'there'; hasJournal: boolean }

export function lookAtFiles(path: string): FoundFiles {
  const stat = statSync(path, { throwIfNoEntry: false })
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return {
    database: !stat ? 'missing' : stat.size === 0 ? 'empty' : 'there',
    hasJournal: (journal?.size ?? 0) > 0,
  }
}
