import { closeSync, copyFileSync, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Definition, definitions, isDamage } from '../database/database.ts'
import type { Row } from '../rows/rows.ts'

/**
 * Reads what is left of a damaged database from a copy, so that the files set aside stay as they were found.
 * SQLite refuses every table if one definition makes no sense, so the copy gets the known definitions.
 */
export function readDamaged<T>(aside: string, read: (damaged: DatabaseSync) => T): T | undefined {
  const copy = `${aside}.copy`
  try {
    const damaged = open(copied(aside, copy))
    if (!damaged) return undefined
    try {
      return read(damaged)
    } finally {
      damaged.close()
    }
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

/** The file to read: the one set aside if there is no room for a copy. */
function copied(aside: string, copy: string): string {
  try {
    for (const suffix of ['', '-wal']) {
      if (existsSync(aside + suffix)) copyFileSync(aside + suffix, copy + suffix)
    }
  } catch {
    return aside
  }
  restoreHeader(copy)
  restoreSchema(copy)
  return copy
}

function open(path: string): DatabaseSync | undefined {
  try {
    return openLeniently(path, true)
  } catch {
    return undefined
  }
}

/** Bytes that are the same in every file of ours, by offset: without them SQLite reads nothing at all. */
const HEADER: readonly [number, readonly number[]][] = [
  [0, [...Buffer.from('SQLite format 3\0')]],
  [16, [0x10, 0, 2, 2, 0, 64, 32, 32]],
  [44, [0, 0, 0, 4]],
  [56, [0, 0, 0, 1]],
]
const PAGE_BYTES = 4_096

/** Restores these bytes in a damaged file that consists of whole pages, as a database does. */
function restoreHeader(path: string): void {
  const { size } = statSync(path)
  if (size === 0 || size % PAGE_BYTES !== 0) return
  const fd = openSync(path, 'r+')
  try {
    for (const [at, bytes] of HEADER) writeSync(fd, Buffer.from(bytes), 0, bytes.length, at)
    const pages = Buffer.alloc(4)
    pages.writeUInt32BE(size / PAGE_BYTES)
    writeSync(fd, pages, 0, pages.length, 28)
  } finally {
    closeSync(fd)
  }
}

/** With `writable_schema` a definition that makes no sense only costs its own table. */
function openLeniently(path: string, readOnly: boolean): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly, defensive: false })
  db.exec('PRAGMA writable_schema = ON; PRAGMA trusted_schema = OFF')
  return db
}

function restoreSchema(path: string): void {
  try {
    using db = openLeniently(path, false)
    const found = db
      .prepare("SELECT rowid AS id, type, name, tbl_name, sql FROM sqlite_schema WHERE sql <> ''")
      .all() as (Definition & { id: number })[]
    const known = definitions()
    const texts = new Set(known.map(textOf))
    const altered = found.filter((definition) => !texts.has(textOf(definition)))
    for (const { id, ...definition } of altered) {
      const original = known.find((candidate) => isNearly(textOf(candidate), textOf(definition)))
      if (!original) continue
      db.prepare(
        'UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?',
      ).run(original.type, original.name, original.tbl_name, original.sql, id)
    }
  } catch {
    // Read what is readable without it.
  }
}

function textOf({ type, name, tbl_name, sql }: Definition): string {
  return [type, name, tbl_name, sql].join('\n')
}

const MOST_FLIPS = 8

/** No two definitions of ours are this similar. */
function isNearly(known: string, found: string): boolean {
  if (known.length !== found.length) return false
  let different = 0
  for (let at = 0; at < known.length; at++) if (known[at] !== found[at]) different++
  return different <= MOST_FLIPS
}

const MOST_MISSES = 10_000

/** The readable rows, including those behind a damaged page. Returns whether these are all. */
export function* wholeRows(damaged: DatabaseSync, table: string): Generator<Row, boolean> {
  let after = -1
  for (let misses = 0; misses < MOST_MISSES; misses++) {
    try {
      for (const row of rowsAfter(damaged, table, after)) {
        after = Math.max(after, Number(row['row_id']))
        yield row
      }
      return misses === 0
    } catch (error) {
      if (!isDamage(error)) return false
      // Row by row at first, in larger steps as the numbers grow.
      after += Math.max(1, Math.floor(after / 1_000))
    }
  }
  return false
}

function rowsAfter(damaged: DatabaseSync, table: string, after: number): Iterable<Row> {
  return damaged
    .prepare(`SELECT rowid AS row_id, * FROM ${table} NOT INDEXED WHERE rowid > ? ORDER BY rowid`)
    .iterate(after)
}
