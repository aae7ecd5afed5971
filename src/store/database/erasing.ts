import type { DatabaseSync } from 'node:sqlite'

/**
 * Runs the work, and overwrites what it replaces: SQLite leaves the old bytes of a row where they were, until
 * something else needs the room. It costs more, so it is only for tables that may hold secrets for a while.
 */
export function erasing<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA secure_delete = ON')
  try {
    return work()
  } finally {
    db.exec('PRAGMA secure_delete = OFF')
  }
}

/**
 * Empties the journal, which has all rows as they were, once the transaction is over that this may be part of:
 * nothing else runs before. While something else reads, it stays until the next checkpoint.
 */
export function emptyJournalSoon(db: DatabaseSync): void {
  queueMicrotask(() => {
    if (!db.isOpen || db.isTransaction) return
    try {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // A file that cannot be written fails at the next write, which says so.
    }
  })
}
