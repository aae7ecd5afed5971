import type { DatabaseSync } from 'node:sqlite'
import { type Dispatch, keptDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { emptyJournalSoon, erasing } from '../database/erasing.ts'
import { recordTable, saveRecord, select, selectOne } from '../rows/rows.ts'
import { dispatchShape } from '../shapes/supervisor-shapes.ts'

export const DISPATCHES = recordTable<Dispatch>({
  name: 'dispatches',
  key: 'dispatch_id',
  shape: dispatchShape,
  columns: (dispatch) => ({
    dispatch_id: dispatch.id,
    name: dispatch.name,
    state: dispatch.state,
    runtime_id: dispatch.runtimeId,
    started_at: dispatch.startedAt,
    ended_at: dispatch.endedAt ?? null,
  }),
})

/** The database refuses a second one of the same name while the first runs. */
export function saveDispatch(db: DatabaseSync, dispatch: Dispatch): void {
  const kept = keptDispatch(dispatch)
  if (kept !== dispatch) emptyJournalSoon(db)
  erasing(db, () => saveRecord(db, DISPATCHES, kept))
}

export function readDispatch(db: DatabaseSync, id: string): Dispatch | undefined {
  return selectOne(db, DISPATCHES, 'WHERE dispatch_id = ?', id)
}

/** The dispatch that this runtime was created for. */
export function findDispatchOfRuntime(db: DatabaseSync, runtimeId: string): Dispatch | undefined {
  return selectOne(db, DISPATCHES, 'WHERE runtime_id = ?', runtimeId)
}

/** The latest one of this name. */
export function findDispatch(db: DatabaseSync, name: string): Dispatch | undefined {
  return selectOne(db, DISPATCHES, 'WHERE name = ? ORDER BY started_at DESC, t.rowid DESC', name)
}

/** Newest first. */
export function listDispatches(
  db: DatabaseSync,
  { isRunning, limit = 100 }: { isRunning?: boolean; limit?: number } = {},
): Dispatch[] {
  return select(
    db,
    DISPATCHES,
    `WHERE (?1 IS NULL OR (ended_at IS NULL) = ?1) ORDER BY started_at DESC, t.rowid DESC LIMIT ?2`,
    isRunning === undefined ? null : Number(isRunning),
    limit,
  )
}
