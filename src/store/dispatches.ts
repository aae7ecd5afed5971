import type { DatabaseSync } from 'node:sqlite'

/** What the table has to know of a dispatch; the rest is kept as it is given. */
export type StoredDispatch = {
  id: string
  name: string
  state: string
  runtimeId?: string | undefined
  startedAt: number
  endedAt?: number | undefined
}

/** A second one of the same name is refused by the database while the first runs. */
export function saveDispatch(db: DatabaseSync, dispatch: StoredDispatch): void {
  db.prepare(
    `INSERT INTO dispatches VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (dispatch_id) DO UPDATE SET
       state = excluded.state, runtime_id = excluded.runtime_id, ended_at = excluded.ended_at,
       record = excluded.record`,
  ).run(
    dispatch.id,
    dispatch.name,
    dispatch.state,
    dispatch.runtimeId ?? null,
    dispatch.startedAt,
    dispatch.endedAt ?? null,
    JSON.stringify(dispatch),
  )
}

export function readDispatch<D extends StoredDispatch>(
  db: DatabaseSync,
  id: string,
): D | undefined {
  const row = db.prepare('SELECT record FROM dispatches WHERE dispatch_id = ?').get(id)
  return row && (JSON.parse(row['record'] as string) as D)
}

/** The one that this runtime was made for. */
export function findDispatchOfRuntime<D extends StoredDispatch>(
  db: DatabaseSync,
  runtimeId: string,
): D | undefined {
  const row = db.prepare('SELECT record FROM dispatches WHERE runtime_id = ?').get(runtimeId)
  return row && (JSON.parse(row['record'] as string) as D)
}

/** By its name: the latest. */
export function findDispatch<D extends StoredDispatch>(
  db: DatabaseSync,
  name: string,
): D | undefined {
  const row = db
    .prepare(
      'SELECT record FROM dispatches WHERE name = ? ORDER BY started_at DESC, rowid DESC LIMIT 1',
    )
    .get(name)
  return row && (JSON.parse(row['record'] as string) as D)
}

/** Newest first. */
export function listDispatches<D extends StoredDispatch>(
  db: DatabaseSync,
  { isRunning, limit = 100 }: { isRunning?: boolean; limit?: number } = {},
): D[] {
  return db
    .prepare(
      `SELECT record FROM dispatches WHERE (?1 IS NULL OR (ended_at IS NULL) = ?1)
       ORDER BY started_at DESC, rowid DESC LIMIT ?2`,
    )
    .all(isRunning === undefined ? null : Number(isRunning), limit)
    .map((row) => JSON.parse(row['record'] as string) as D)
}
