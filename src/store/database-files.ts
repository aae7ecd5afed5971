import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setAside, stampNow } from './database.ts'

/**
 * The files of an open database. SQLite goes on writing to files that were unlinked, where nobody will ever
 * find what was acknowledged.
 */
export class DatabaseFiles {
  readonly #path: string
  #database: string
  #journal: string

  constructor(path: string) {
    this.#path = path
    this.#database = identityOf(path)
    this.#journal = identityOf(`${path}-wal`)
  }

  /** Two looks at the file system, some microseconds. */
  areInPlace(): boolean {
    return (
      identityOf(this.#path) === this.#database && identityOf(`${this.#path}-wal`) === this.#journal
    )
  }

  /**
   * Writes everything that the connection still sees to a new file in the old place. What somebody else put
   * there is set aside; its name is returned. The connection is closed and to be opened again.
   */
  restore(db: DatabaseSync): string | undefined {
    const copy = `${this.#path}.copy`
    rmSync(copy, { force: true })
    db.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
    sync(copy)
    db.close()
    const isForeign = ![this.#database, MISSING].includes(identityOf(this.#path))
    const foreign = isForeign ? setAside(this.#path, 'replaced', stampNow()) : undefined
    // A journal that belongs to another file would be taken for its own.
    for (const suffix of ['-wal', '-shm']) rmSync(this.#path + suffix, { force: true })
    renameSync(copy, this.#path)
    return foreign
  }

  /** The files as they are now are the right ones. */
  accept(): void {
    this.#database = identityOf(this.#path)
    this.#journal = identityOf(`${this.#path}-wal`)
  }
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

/** What of a database is there before it is opened. */
export type FoundFiles = { database: 'missing' | 'empty' | 'there'; hasJournal: boolean }

export function lookAtFiles(path: string): FoundFiles {
  const stat = statSync(path, { throwIfNoEntry: false })
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return {
    database: !stat ? 'missing' : stat.size === 0 ? 'empty' : 'there',
    hasJournal: (journal?.size ?? 0) > 0,
  }
}
