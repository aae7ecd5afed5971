import type { DatabaseSync } from 'node:sqlite'
import type { Dispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { recordTable, select, selectOne } from '../rows/rows.ts'
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

/** A second one of the same name is refused by the database while the first runs. */
export function saveDispatch(db: DatabaseSync, dispatch: Dispatch): void {
  db.prepare(
    `INSERT INTO dispatches VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (dispatch_id) DO UPDATE SET
       state = excluded.state, runtime_id = excluded.runtime_id, ended_at = excluded.ended_at,
       record = excluded.record`,
  ).run(
    dispatch.id,
    dispatch.name,
    dispatch.state,
    dispatch.runtimeId,
    dispatch.startedAt,
    dispatch.endedAt ?? null,
    JSON.stringify(dispatch),
  )
}

export function readDispatch(db: DatabaseSync, id: string): Dispatch | undefined {
  return selectOne(db, DISPATCHES, 'WHERE dispatch_id = ?', id)
}

/** The one that this runtime was made for. */
export function findDispatchOfRuntime(db: DatabaseSync, runtimeId: string): Dispatch | undefined {
  return selectOne(db, DISPATCHES, 'WHERE runtime_id = ?', runtimeId)
}

/** By its name: the latest. */
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
