import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf, TrailBossError } from '../core/errors.ts'
import { readDamaged } from './damage/damaged-copy.ts'
import { lossesOf, type Recovered } from './damage/losses.ts'
import { salvageSessions } from './damage/salvage.ts'
import { salvageTables } from './damage/salvage-tables.ts'
import { inTransaction, isDamage, openDatabase, setAside, stampNow } from './database/database.ts'
import { type FoundFiles, lookAtFiles } from './files/database-files.ts'
import { readLastKnown } from './files/last-known.ts'
import {
  LAST_ADMITTED_AT,
  type LoadedLog,
  loadLog,
  saveSessions,
  writeBase,
} from './log/load-log.ts'
import { readMeta, setMeta } from './rows/meta.ts'
import { forgetSetAsideRows } from './rows/set-aside-rows.ts'
import { examineSmallTables } from './tables/tables.ts'

const KEEP_SET_ASIDE_MS = 30 * 24 * 60 * 60_000
const PAGE_BYTES = 4_096

const NOTHING = { sessions: 0, isWhole: false, hasLog: false }

type Loaded = {
  db: DatabaseSync
  log: LoadedLog
  setAside: string | undefined
  recovered?: Recovered
}

export type OpenedStore = Loaded & { id: string; losses: string[] }

/** Opens the database and reads its state; reports what it has lost since it was last used. */
export function openStore(path: string): OpenedStore {
  const known = readLastKnown(path)
  const files = lookAtFiles(path)
  const loaded = isOrphan(files) ? startAgain(path) : openOrSetAside(path)
  const storedId = readMeta(loaded.db, 'database_id')
  const id = storedId ?? randomUUID()
  noteOpening(loaded.db, id)
  const { recovered, ...opened } = loaded
  const found = { ...loaded.log, ...files, id: storedId, recovered }
  return { ...opened, id, losses: lossesOf(found, known) }
}

/** A journal without its database, which SQLite would delete. */
function isOrphan({ database, hasJournal }: FoundFiles): boolean {
  return database !== 'there' && hasJournal
}

function openOrSetAside(path: string): Loaded {
  try {
    return { ...open(path), setAside: undefined }
  } catch (error) {
    if (!isDamage(error)) throw unusable(path, error)
    return startAgain(path, messageOf(error))
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

/** What is readable in the damaged files becomes the base of a new log. */
function startAgain(path: string, damage?: string): Loaded {
  const { database } = lookAtFiles(path)
  const aside = setAside(path, 'damaged', stampNow())
  // With one page in front of it SQLite reads the journal, which may hold all the others.
  if (database !== 'there') writeFileSync(aside, Buffer.alloc(PAGE_BYTES), { mode: 0o600 })
  const db = openDatabase(path)
  const salvaged = readDamaged(aside, (damaged) => {
    const { sessions, lastSeq, lastAdmittedAt, ...found } = salvageSessions(damaged)
    inTransaction(db, () => {
      writeBase(db, lastSeq, sessions)
      saveSessions(db, sessions)
      setMeta(db, LAST_ADMITTED_AT, String(lastAdmittedAt))
    })
    salvageTables(damaged, db, Date.now())
    return { sessions: sessions.length, ...found }
  })
  const recovered = { ...(salvaged ?? NOTHING), damage }
  return { db, log: loadLog(db), setAside: aside, recovered }
}

/** The id that a database keeps for life. Opening it is recorded: from now on it has a journal. */
function noteOpening(db: DatabaseSync, id: string): void {
  try {
    inTransaction(db, () => {
      setMeta(db, 'database_id', id)
      setMeta(db, 'opened_at', String(Date.now()))
    })
  } catch {
    // If nothing can be stored, the daemon still starts and reports it.
  }
}

function unusable(path: string, error: unknown): TrailBossError {
  if (error instanceof TrailBossError) return error
  return new TrailBossError('DAEMON_FAILED', `${path} cannot be used: ${messageOf(error)}`, {
    hint: `Look whether there is room, and who may write it: df -h '${dirname(path)}'; ls -l '${path}'*`,
    cause: error,
  })
}
