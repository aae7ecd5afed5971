import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf, TrailBossError } from '../core/errors.ts'
import { inTransaction, isDamage, openDatabase, setAside, stampNow } from './database.ts'
import { type FoundFiles, lookAtFiles } from './database-files.ts'
import { readLastKnown } from './last-known.ts'
import { type LoadedLog, loadLog, saveSessions, writeBase } from './load-log.ts'
import { lossesOf } from './losses.ts'
import { readMeta, setMeta } from './meta.ts'
import { restoreHeader, salvageSessions } from './salvage.ts'
import { salvageTables } from './salvage-tables.ts'
import { forgetSetAsideRows } from './set-aside-rows.ts'
import { examineSmallTables } from './tables.ts'

const KEEP_SET_ASIDE_MS = 30 * 24 * 60 * 60_000
const PAGE_BYTES = 4_096

type Loaded = { db: DatabaseSync; log: LoadedLog; setAside: string | undefined }

export type OpenedStore = Loaded & { id: string; losses: string[] }

/** Opens the database and reads its state; says what it has lost since it was last used. */
export function openStore(path: string): OpenedStore {
  const known = readLastKnown(path)
  const files = lookAtFiles(path)
  const loaded = isOrphan(files) ? startAnew(path) : openOrSetAside(path)
  const id = identify(loaded.db)
  return { ...loaded, id, losses: lossesOf({ ...loaded.log, ...files, id }, known) }
}

/** A journal without its database: SQLite would delete it. */
function isOrphan({ database, hasJournal }: FoundFiles): boolean {
  return database !== 'there' && hasJournal
}

function openOrSetAside(path: string): Loaded {
  try {
    return { ...open(path), setAside: undefined }
  } catch (error) {
    if (!isDamage(error)) throw unusable(path, error)
    return startAnew(path)
  }
}

function open(path: string): Omit<Loaded, 'setAside'> {
  const db = openDatabase(path)
  try {
    forgetSetAsideRows(db, Date.now() - KEEP_SET_ASIDE_MS)
    examineSmallTables(db)
    return { db, log: loadLog(db) }
  } catch (error) {
    db.close()
    throw error
  }
}

/** What could be read from the damaged files becomes the base that a new log starts from. */
function startAnew(path: string): Loaded {
  const { database } = lookAtFiles(path)
  const aside = setAside(path, 'damaged', stampNow())
  // With one page in front of it SQLite reads the journal, which may hold all the others.
  if (database !== 'there') writeFileSync(aside, Buffer.alloc(PAGE_BYTES), { mode: 0o600 })
  else restoreHeader(aside)
  const db = openDatabase(path)
  const sessions = salvageSessions(aside)
  inTransaction(db, () => {
    writeBase(db, 0, sessions)
    saveSessions(db, sessions)
  })
  salvageTables(aside, db, Date.now())
  return { db, log: loadLog(db), setAside: aside }
}

/** The name that a database keeps for life. That it is opened is written down: from here on it has a journal. */
function identify(db: DatabaseSync): string {
  const id = readMeta(db, 'database_id') ?? randomUUID()
  try {
    inTransaction(db, () => {
      setMeta(db, 'database_id', id)
      setMeta(db, 'opened_at', String(Date.now()))
    })
  } catch {
    // Where nothing can be stored, the daemon still starts and says so.
  }
  return id
}

function unusable(path: string, error: unknown): TrailBossError {
  if (error instanceof TrailBossError) return error
  return new TrailBossError('DAEMON_FAILED', `${path} cannot be used: ${messageOf(error)}`, {
    hint: `Look whether there is room, and who may write it: df -h '${dirname(path)}'; ls -l '${path}'*`,
    cause: error,
  })
}
