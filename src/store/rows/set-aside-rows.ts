import type { DatabaseSync } from 'node:sqlite'
import { selectNumber } from './rows.ts'

/** How many rows were set aside, and the names of the last ones. */
export type SetAsideRows = { count: number; names: string[] }

export function setAsideRows(db: DatabaseSync): SetAsideRows {
  const count = selectNumber(db, 'SELECT count(*) FROM set_aside_rows')
  if (count === 0) return { count, names: [] }
  const names = db
    .prepare(
      `SELECT table_name || ' ' || coalesce(${NAME}, row_id) AS name FROM set_aside_rows
       ORDER BY id DESC LIMIT ${MOST_NAMES}`,
    )
    .all()
    .map((named) => String(named['name']))
  return { count, names }
}

/** Nobody will ask for them any more. */
export function forgetSetAsideRows(db: DatabaseSync, before: number): void {
  db.prepare('DELETE FROM set_aside_rows WHERE at < ?').run(before)
}

const MOST_NAMES = 5
/** The first column of a table identifies a row. */
const NAME = '(SELECT substr(value, 1, 100) FROM json_each(row) LIMIT 1)'
