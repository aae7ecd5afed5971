import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { inTransaction, isDamage } from '../database/database.ts'

export type Row = Record<string, SQLInputValue>

/** One table, and the shape of its rows. */
export type Table<T> = {
  name: string
  /** Never throws. `fix`: columns to set again in a row that is otherwise intact. */
  read(row: Row): { value: T } | { wrong: string; fix?: Row }
}

/**
 * Reads rows, `t` being the table. A row that makes no sense is set aside, and never seen again; the others are
 * read as if it had not existed.
 */
export function select<T>(
  db: DatabaseSync,
  table: Table<T>,
  clause = '',
  ...values: SQLInputValue[]
): T[] {
  let found: T[] = []
  // Once those rows are gone, a LIMIT may reach others.
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const readings = readingsOf(table, rowsOf(db, table, clause, values))
    found = readings.found
    if (readings.damaged.length === 0 || !setAside(db, table, readings.damaged)) break
  }
  return found
}

export function selectOne<T>(
  db: DatabaseSync,
  table: Table<T>,
  clause: string,
  ...values: SQLInputValue[]
): T | undefined {
  return select(db, table, `${clause} LIMIT 1`, ...values)[0]
}

/** Returns the number of the new row. */
export function insertRow(
  db: DatabaseSync,
  { name }: Table<unknown>,
  row: Row,
  onConflict = '',
): number {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join(', ')
  const sql = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places}) ${onConflict}`
  return Number(db.prepare(sql).run(...Object.values(row)).lastInsertRowid)
}

/** Adds the record, or replaces the one with its key. */
export function saveRecord<R>(db: DatabaseSync, table: RecordTable<R, unknown>, record: R): void {
  const row = table.rowOf(record)
  const changes = Object.keys(row).map((column) => `${column} = excluded.${column}`)
  insertRow(db, table, row, `ON CONFLICT (${table.key}) DO UPDATE SET ${changes.join(', ')}`)
}

/** The only number that a query returns; 0 for none. */
export function selectNumber(db: DatabaseSync, sql: string, ...values: SQLInputValue[]): number {
  return Number(Object.values(db.prepare(sql).get(...values) ?? {})[0] ?? 0)
}

/** Checks all rows of a table, a few at a time. Yields how many were set aside. */
export function* examine(db: DatabaseSync, table: Table<unknown>): Generator<number> {
  yield setAsideBeyondNumbers(db, table)
  let after = Number.MIN_SAFE_INTEGER
  while (true) {
    const rows = rowsOf(db, table, 'WHERE t.rowid > ? ORDER BY t.rowid LIMIT ?', [after, AT_ONCE])
    const last = rows.at(-1)
    if (!last) return
    after = last['row_id'] as number
    const { damaged } = readingsOf(table, rows)
    yield damaged.length > 0 && setAside(db, table, damaged) ? damaged.length : 0
  }
}

type Damage = { rowId: number | bigint; wrong: string; fix?: Row }

const AT_ONCE = 500
const LAST_ROW = 2 ** 52
const MOST_PASSES = 20

function readingsOf<T>(table: Table<T>, rows: Row[]): { found: T[]; damaged: Damage[] } {
  const found: T[] = []
  const damaged: Damage[] = []
  for (const row of rows) {
    const reading = table.read(row)
    if ('value' in reading) found.push(reading.value)
    else damaged.push({ rowId: row['row_id'] as number, ...reading })
  }
  return { found, damaged }
}

function rowsOf(
  db: DatabaseSync,
  table: Table<unknown>,
  clause: string,
  values: SQLInputValue[],
): Row[] {
  const sql = `SELECT t.rowid AS row_id, t.* FROM ${table.name} AS t ${clause}`
  try {
    return db.prepare(sql).all(...values) as Row[]
  } catch (error) {
    const isBeyond = (error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE'
    const isCured = isBeyond
      ? setAsideBeyondNumbers(db, table) > 0
      : isDamage(error) && rebuildIndexes(db, table)
    if (!isCured) throw error
    return db.prepare(sql).all(...values) as Row[]
  }
}

/** An index holds nothing that its table does not: one that contradicts it is rebuilt. */
export function checkIndexes(db: DatabaseSync, table: Table<unknown>): void {
  if (!isSound(db, table)) rebuildIndexes(db, table)
}

function isSound(db: DatabaseSync, table: Table<unknown>): boolean {
  try {
    const [row] = db.prepare(`PRAGMA integrity_check('${table.name}')`).all()
    return row?.['integrity_check'] === 'ok'
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** Returns whether it could: two rows may have the same name by now. */
function rebuildIndexes(db: DatabaseSync, table: Table<unknown>): boolean {
  try {
    db.exec(`REINDEX ${table.name}`)
    return true
  } catch {
    return false
  }
}

/** An integer that JavaScript cannot hold fails the whole query that reads it. */
function setAsideBeyondNumbers(db: DatabaseSync, table: Table<unknown>): number {
  const integers = db
    .prepare(`SELECT name FROM pragma_table_info('${table.name}') WHERE type = 'INTEGER'`)
    .all()
    .map(({ name }) => String(name))
  const beyond = ['rowid', ...integers].map(
    (column) => `${column} NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`,
  )
  return setAsideWhere(db, table, beyond.join(' OR '), 'a number is out of range')
}

/**
 * The next row gets the number after the last one: without room behind that, nothing could be added. The same
 * goes for a row numbered -1, which a trigger sees in place of a number that is not assigned yet.
 */
export function makeRoomForRows(db: DatabaseSync, table: Table<unknown>): void {
  setAsideWhere(db, table, `rowid < 1 OR rowid > ${LAST_ROW}`, 'its number is out of range')
  db.exec(`DELETE FROM sqlite_sequence WHERE name = '${table.name}' AND seq > ${LAST_ROW}`)
}

function setAsideWhere(
  db: DatabaseSync,
  table: Table<unknown>,
  condition: string,
  wrong: string,
): number {
  const sql = `SELECT rowid AS row_id FROM ${table.name} WHERE ${condition}`
  const rows = exact(db.prepare(sql)).all() as { row_id: bigint }[]
  const damaged = rows.map(({ row_id }) => ({ rowId: row_id, wrong }))
  return damaged.length > 0 && setAside(db, table, damaged) ? damaged.length : 0
}

/** Returns whether it could: if nothing can be stored, the rows stay where they are. */
function setAside(db: DatabaseSync, { name }: Table<unknown>, damaged: Damage[]): boolean {
  try {
    inTransaction(db, () => {
      for (const { rowId, wrong, fix } of damaged) {
        const row = exact(db.prepare(`SELECT * FROM ${name} WHERE rowid = ?`)).get(rowId)
        if (!row) continue
        db.prepare(
          'INSERT INTO set_aside_rows (table_name, row_id, row, reason, at) VALUES (?, ?, ?, ?, ?)',
        ).run(name, rowId, JSON.stringify(row, readable), wrong, Date.now())
        if (!fix || !isFixed(db, name, rowId, fix)) {
          db.prepare(`DELETE FROM ${name} WHERE rowid = ?`).run(rowId)
        }
      }
    })
    return true
  } catch (error) {
    if (!db.isOpen) throw error
    return false
  }
}

function isFixed(db: DatabaseSync, table: string, rowId: number | bigint, fix: Row): boolean {
  const columns = Object.keys(fix).map((column) => `${column} = ?`)
  try {
    db.prepare(`UPDATE ${table} SET ${columns.join(', ')} WHERE rowid = ?`).run(
      ...Object.values(fix),
      rowId,
    )
    return true
  } catch {
    // Another row has that place now.
    return false
  }
}

function exact(statement: StatementSync): StatementSync {
  statement.setReadBigInts(true)
  return statement
}

function readable(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

/** A table of JSON records, each with the columns by which queries find it. */
export type RecordTable<R, T = R> = Table<T> & { key: string; rowOf(record: R): Row }

export function recordTable<R, T = R>(options: {
  name: string
  /** The column that identifies the record: a record that contradicts it is not trusted. */
  key: string
  column?: string
  shape(record: unknown): string | undefined
  columns(record: R): Row
  of?(record: R, row: Row): T
}): RecordTable<R, T> {
  const { name, key, column = 'record', shape, columns, of } = options
  return {
    name,
    key,
    rowOf: (record) => ({ ...columns(record), [column]: JSON.stringify(record) }),
    read(row) {
      const record = parsed(row[column])
      if ('wrong' in record) return { wrong: `${column} ${record.wrong}` }
      const wrong = shape(record.value)
      if (wrong !== undefined)
        return { wrong: `${column}${wrong.startsWith('is') ? ' ' : ''}${wrong}` }
      const said = columns(record.value as R)
      const other = Object.keys(said).filter((name) => row[name] !== said[name])
      if (other.includes(key)) return { wrong: `${key} is not that of the record` }
      if (other.length > 0) return { wrong: `${other.join(', ')} not as in the record`, fix: said }
      return { value: of ? of(record.value as R, row) : (record.value as unknown as T) }
    },
  }
}

/** A row that consists only of its columns. */
export function columnTable<T>(
  name: string,
  shape: (row: unknown) => string | undefined,
  of: (row: Row) => T,
): Table<T> {
  return {
    name,
    read(row) {
      const wrong = shape(row) ?? fractionIn(row)
      return wrong === undefined ? { value: of(row) } : { wrong: wrong.replace(/^\./, '') }
    },
  }
}

/** All numbers in our columns are integers. A fraction could not be written again. */
function fractionIn(row: Row): string | undefined {
  const isFraction = (value: SQLInputValue) => typeof value === 'number' && !Number.isInteger(value)
  const column = Object.keys(row).find((name) => isFraction(row[name] ?? null))
  return column && `.${column} is not a whole number`
}

export function parsed(json: unknown): { value: unknown } | { wrong: string } {
  if (typeof json !== 'string') return { wrong: 'is not text' }
  try {
    return { value: JSON.parse(json) }
  } catch {
    return { wrong: 'is no JSON' }
  }
}
