import type { DatabaseSync } from 'node:sqlite'
import { isSettled, type Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { failedTrigger } from '../../core/supervisor/trigger/trigger-outcome.ts'
import { inTransaction } from '../database/database.ts'
import { UPGRADED_RUNTIME, UPGRADED_TRIGGER } from '../database/migrations.ts'
import { IGNORED_SIGNALS } from '../log/log-tables.ts'
import { insertRow, type Row, type Table } from '../rows/rows.ts'
import { AUDIT, AUDIT_TOTALS } from '../tables/audit.ts'
import { CURSORS, HEARTBEATS, MESSAGES, THREADS } from '../tables/bridge.ts'
import { DECISIONS } from '../tables/decisions.ts'
import { DISPATCHES } from '../tables/dispatches.ts'
import { DAILY_STATS, EPISODES } from '../tables/episodes.ts'
import { MUTES, NOTICES } from '../tables/notices.ts'
import { RUNTIMES } from '../tables/runtimes.ts'
import { TRIGGERS } from '../tables/triggers.ts'
import { wholeRows } from './damaged-copy.ts'

/**
 * Copies what is still readable in the other tables, row by row. The last writes may be lost, so a row may be
 * out of date: a trigger that had not ended might have been delivered since, and is given up rather than typed
 * twice; tokens might have been revoked since, and are left behind.
 */
export function salvageTables(damaged: DatabaseSync, db: DatabaseSync, now: number): void {
  inTransaction(db, () => {
    for (const [table, revised] of TABLES) {
      for (const row of wholeRows(damaged, table.name)) takeOver(db, table, revised(row, now, db))
    }
  })
}

/** Copies a table as it is. False if some of its rows could not be read or understood. */
export function copyTable(from: DatabaseSync, db: DatabaseSync, table: Table<unknown>): boolean {
  const rows: Row[] = []
  let isWhole = true
  try {
    for (const row of from.prepare(`SELECT * FROM ${table.name}`).iterate()) rows.push(row as Row)
  } catch {
    isWhole = false
  }
  for (const row of rows) if (!takeOver(db, table, row)) isWhole = false
  return isWhole
}

const asItIs = (row: Row): Row => row

const TABLES: readonly [Table<unknown>, (row: Row, now: number, db: DatabaseSync) => Row][] = [
  [RUNTIMES, (row, _now, db) => upgraded(row, UPGRADED_RUNTIME, db)],
  [TRIGGERS, (row, now, db) => givenUp(upgraded(row, UPGRADED_TRIGGER, db), now)],
  [DISPATCHES, asItIs],
  [DECISIONS, asItIs],
  [NOTICES, asItIs],
  [MUTES, asItIs],
  [THREADS, asItIs],
  [MESSAGES, asItIs],
  [CURSORS, asItIs],
  [HEARTBEATS, asItIs],
  [AUDIT, asItIs],
  [AUDIT_TOTALS, asItIs],
  [EPISODES, asItIs],
  [DAILY_STATS, asItIs],
  [IGNORED_SIGNALS, asItIs],
]

/** Skips a row that makes no sense or conflicts with another. False if it makes no sense. */
function takeOver(db: DatabaseSync, table: Table<unknown>, salvaged: Row): boolean {
  const reading = table.read(salvaged)
  if ('wrong' in reading && !reading.fix) return false
  const row: Row = { ...salvaged, ...('fix' in reading && reading.fix) }
  const known = db.prepare(`SELECT name FROM pragma_table_info('${table.name}')`).all()
  const columns = known.map(({ name }) => String(name)).filter((name) => name in row)
  const values = Object.fromEntries(columns.map((name) => [name, row[name] ?? null]))
  insertRow(db, table, values, 'ON CONFLICT DO NOTHING')
  return true
}

function upgraded(row: Row, rewrite: string, db: DatabaseSync): Row {
  const select = `SELECT ${rewrite} AS record FROM (SELECT ? AS record)`
  return { ...row, ...db.prepare(select).get(row['record'] ?? null) }
}

function givenUp(row: Row, now: number): Row {
  try {
    const trigger = JSON.parse(String(row['record'])) as Trigger
    if (isSettled(trigger)) return row
    const record = JSON.stringify(failedTrigger(trigger, 'ACK_TIMEOUT', now))
    return { ...row, state: 'failed', record }
  } catch {
    return row
  }
}
