import type { DatabaseSync } from 'node:sqlite'
import { selectNumber } from '../rows/rows.ts'

/** Whether a supervisor has left anything: it may still run, and operators can ask about it. */
export function hasSupervisedBefore(db: DatabaseSync): boolean {
  const sql = `SELECT EXISTS (SELECT 1 FROM runtimes) OR EXISTS (SELECT 1 FROM triggers)
    OR EXISTS (SELECT 1 FROM dispatches) OR EXISTS (SELECT 1 FROM audit WHERE kind NOT LIKE 'decision%')`
  return selectNumber(db, sql) === 1
}
