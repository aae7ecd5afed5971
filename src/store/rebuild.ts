import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Session } from '../core/session/session.ts'
import { copyTable } from './damage/salvage-tables.ts'
import { inTransaction, openDatabase } from './database/database.ts'
import type { LastKnown } from './files/last-known.ts'
import { LAST_ADMITTED_AT, saveSessions, writeBase } from './log/load-log.ts'
import { setMeta } from './rows/meta.ts'
import { BESIDE_THE_LOG } from './tables/tables.ts'

/** What memory holds of a database. */
export type Held = Pick<LastKnown, 'id' | 'seq' | 'admittedAt'> & { sessions: Iterable<Session> }

/**
 * Writes a new database, from memory and from the tables that a broken connection can still read. Returns the
 * names of the tables that it could not read to the end.
 */
export function rebuildDatabase(path: string, held: Held, broken: DatabaseSync): string[] {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  const db = openDatabase(path)
  try {
    return inTransaction(db, () => {
      setMeta(db, 'database_id', held.id)
      setMeta(db, LAST_ADMITTED_AT, String(held.admittedAt))
      const sessions = [...held.sessions]
      writeBase(db, held.seq, sessions)
      saveSessions(db, sessions)
      return BESIDE_THE_LOG.filter((table) => !copyTable(broken, db, table)).map(({ name }) => name)
    })
  } finally {
    db.close()
  }
}
