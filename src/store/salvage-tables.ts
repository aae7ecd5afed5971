import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Runtime } from '../core/supervisor/runtime.ts'
import { transition } from '../core/supervisor/runtime-transition.ts'
import { isSettled, type Trigger } from '../core/supervisor/trigger.ts'
import { inTransaction } from './database.ts'

type Row = Record<string, SQLInputValue>

/**
 * Takes over what can still be read of the supervisor's tables, row by row. The last writes may be lost, so
 * a row may tell of a past: a trigger that had not ended might have been delivered since, and is given up
 * rather than typed twice; tokens might have been revoked since, and are left behind.
 */
export function salvageTables(aside: string, db: DatabaseSync, now: number): void {
  const damaged = openDamaged(aside)
  if (!damaged) return
  try {
    inTransaction(db, () => {
      for (const [table, revised] of Object.entries(TABLES)) {
        for (const row of wholeRows(damaged, table)) takeOver(db, table, revised(row, now))
      }
    })
  } finally {
    damaged.close()
  }
}

function openDamaged(aside: string): DatabaseSync | undefined {
  try {
    return new DatabaseSync(aside, { readOnly: true })
  } catch {
    return undefined
  }
}

const asItIs = (row: Row): Row => row

const TABLES: Record<string, (row: Row, now: number) => Row> = {
  runtimes: withoutDelivery,
  triggers: givenUp,
  dispatches: asItIs,
  threads: asItIs,
  messages: asItIs,
  cursors: asItIs,
  heartbeats: asItIs,
  audit: asItIs,
  audit_totals: asItIs,
}

/** Up to where the damage begins. A table that is not there has no rows. */
function* wholeRows(db: DatabaseSync, table: string): Generator<Row> {
  const rows = rowsOf(db, table)
  while (true) {
    const row = nextOf(rows)
    if (!row) return
    yield row
  }
}

function rowsOf(db: DatabaseSync, table: string): Iterator<Record<string, SQLInputValue>> {
  try {
    return db.prepare(`SELECT * FROM ${table}`).iterate()
  } catch {
    return [].values()
  }
}

function nextOf(rows: Iterator<Row>): Row | undefined {
  try {
    const { done, value } = rows.next()
    return done ? undefined : value
  } catch {
    return undefined
  }
}

/** A row that cannot be understood, or that is in the way of another, is left out. */
function takeOver(db: DatabaseSync, table: string, row: Row): void {
  const columns = Object.keys(row)
  if ('record' in row && !isJson(row['record'])) return
  db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT DO NOTHING`,
  ).run(...Object.values(row))
}

function isJson(text: unknown): boolean {
  try {
    return typeof JSON.parse(String(text)) === 'object'
  } catch {
    return false
  }
}

function withoutDelivery(row: Row): Row {
  return revisedRecord<Runtime>(row, (runtime) => {
    const status = transition(runtime.status, 'trigger_dropped') ?? runtime.status
    return [{ ...runtime, status }, { status }]
  })
}

function givenUp(row: Row, now: number): Row {
  return revisedRecord<Trigger>(row, (trigger) => {
    if (isSettled(trigger)) return [trigger, {}]
    const failed = { ...trigger, state: 'failed', code: 'ACK_TIMEOUT', settledAt: now } as const
    return [failed, { state: 'failed' }]
  })
}

function revisedRecord<T>(row: Row, revise: (record: T) => [T, Row]): Row {
  try {
    const [record, columns] = revise(JSON.parse(String(row['record'])) as T)
    return { ...row, ...columns, record: JSON.stringify(record) }
  } catch {
    return row
  }
}
