import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { migrations } from './migrations.ts'

/** A database is three files while it is in use. */
const FILES = ['', '-wal', '-shm']

/** Opens the one writing connection, brings the schema up to date and checks the file's integrity. */
export function openDatabase(path: string): DatabaseSync {
  openToOwner(path)
  checkFormat(path)
  const db = new DatabaseSync(path)
  try {
    configure(db)
    checkIntegrity(db)
    migrate(db, path)
    checkSchema(db)
    // A read-only file fails here, not when the first event must be stored.
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function configure(db: DatabaseSync): void {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000;')
}

/** True for errors that only a damaged file causes, but not for a full disk or a locked file. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode
  const SQLITE_CORRUPT = 11
  const SQLITE_NOTADB = 26
  if (messageOf(error) === 'unsupported file format') return true
  if (code !== undefined) return (code & 0xff) === SQLITE_CORRUPT || (code & 0xff) === SQLITE_NOTADB
  return error instanceof DamagedDatabase
}

/** True if a connection can no longer read its own files. */
export function isBroken(error: unknown): boolean {
  const SQLITE_IOERR = 10
  const code = (error as { errcode?: number }).errcode ?? 0
  return (code & 0xff) === SQLITE_IOERR || isDamage(error)
}

/** SQLite gives its journal the mode of the database: once read-only, both would stay that way. */
function openToOwner(path: string): void {
  for (const suffix of FILES) if (existsSync(path + suffix)) chmodSync(path + suffix, 0o600)
}

/** Moves a database and its journal out of the way. Nothing is deleted. */
export function setAside(path: string, why: 'damaged' | 'replaced', stamp: string): string {
  const aside = `${path}.${why}-${stamp}`
  for (const suffix of FILES) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  return aside
}

/** For file names. */
export function stampNow(): string {
  return new Date().toISOString().replaceAll(/[:.]/g, '-')
}

/** Runs `work` in one transaction, or as part of the open one; a throw rolls all of it back. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  const [begin, end, undo] = db.isTransaction
    ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
    : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
  db.exec(begin)
  try {
    const result = work()
    db.exec(end)
    return result
  } catch (error) {
    // A full disk may have ended it already.
    if (db.isTransaction) db.exec(undo)
    throw error
  }
}

/** SQLite opens a file of an unknown format read-only. None of our files has one. */
function checkFormat(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return
  const fd = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    readSync(fd, header, 0, header.length, 0)
    const [write = 0, read = 0] = header.subarray(18)
    if (Math.max(write, read) > 2) throw new DamagedDatabase('it is of no known format')
  } finally {
    closeSync(fd)
  }
}

class DamagedDatabase extends Error {}

/** No version will ever have more. */
const MOST_MIGRATIONS = 1_000

function checkIntegrity(db: DatabaseSync): void {
  const rows = db.prepare('PRAGMA quick_check(100)').all() as { quick_check: string }[]
  const beyond = rows.find(({ quick_check }) => quick_check !== 'ok' && !ONE_ROW.test(quick_check))
  if (rows.length === 0 || beyond) throw new DamagedDatabase(beyond?.quick_check ?? 'no answer')
}

/** A value that the column cannot hold: the row is set aside when it is read. */
const ONE_ROW = /^(NULL|NUMERIC|TEXT|non-[A-Z]+) value in \w+\.\w+$/

/** A flipped bit in a column name breaks every query although no row is wrong; so does an extra column. */
function checkSchema(db: DatabaseSync): void {
  const found = new Map(columnsOf(db))
  for (const [table, columns] of withNewestSchema(columnsOf)) {
    if (found.get(table) === columns) continue
    throw new DamagedDatabase(`its table ${table} does not have the columns ${columns}`)
  }
}

function columnsOf(db: DatabaseSync): [table: string, columns: string][] {
  return db
    .prepare(
      `SELECT t.name, (SELECT group_concat(name, ', ') FROM pragma_table_info(t.name)) AS columns
       FROM sqlite_schema AS t WHERE t.type = 'table'`,
    )
    .all()
    .map(({ name, columns }) => [String(name), String(columns)])
}

/** One row of `sqlite_schema`. */
export type Definition = { type: string; name: string; tbl_name: string; sql: string }

/** How this version defines its tables, indexes and triggers. */
export function definitions(): Definition[] {
  return withNewestSchema(
    (db) =>
      db
        .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql <> ''")
        .all() as Definition[],
  )
}

function withNewestSchema<T>(read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(':memory:')
  try {
    migrate(db, ':memory:')
    return read(db)
  } finally {
    db.close()
  }
}

function migrate(db: DatabaseSync, path: string): void {
  const { user_version: done } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (done > MOST_MIGRATIONS) throw new DamagedDatabase(`its schema cannot be number ${done}`)
  if (done > migrations.length) {
    throw new TrailBossError(
      'DAEMON_FAILED',
      `${path} was written by a newer Trail Boss (schema ${done}, this one knows ${migrations.length}).`,
      { hint: 'Update Trail Boss, or start with another TRAILBOSS_HOME.' },
    )
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < done) continue
    try {
      inTransaction(db, () => db.exec(`${sql}; PRAGMA user_version = ${index + 1}`))
    } catch (error) {
      if (isDamage(error)) throw error
      const reason = messageOf(error)
      // Its schema is newer than its version number.
      if (/already exists|duplicate column/.test(reason)) throw new DamagedDatabase(reason)
      const message = `Migration ${index + 1} of ${path}: ${reason}`
      throw new TrailBossError('DAEMON_FAILED', message, { cause: error })
    }
  }
}
