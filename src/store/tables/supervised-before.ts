import type { DatabaseSync } from 'node:sqlite'

/** Whether there is anything that a supervisor has left: it may still run, and it can be asked about. */
export function hasSupervisedBefore(db: DatabaseSync): boolean {
  const row = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM runtimes) OR EXISTS (SELECT 1 FROM triggers)
         OR EXISTS (SELECT 1 FROM dispatches) OR EXISTS (SELECT 1 FROM audit) AS found`,
    )
    .get()
  return row?.['found'] === 1
}
