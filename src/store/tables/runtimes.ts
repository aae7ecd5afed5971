import type { DatabaseSync } from 'node:sqlite'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../core/supervisor/runtime/runtime-transition.ts'
import { recordTable, saveRecord, select, selectOne } from '../rows/rows.ts'
import { runtimeShape } from '../shapes/supervisor-shapes.ts'

export const RUNTIMES = recordTable<Runtime>({
  name: 'runtimes',
  key: 'runtime_id',
  shape: runtimeShape,
  columns: (runtime) => ({
    runtime_id: runtime.runtimeId,
    agent_id: runtime.agentId,
    workspace_id: runtime.workspaceId,
    harness: runtime.harness,
    session_id: runtime.sessionId ?? null,
    status: runtime.status,
  }),
})

/** Registers a runtime or changes it. The database refuses a second one for the same role. */
export function saveRuntime(db: DatabaseSync, runtime: Runtime): void {
  saveRecord(db, RUNTIMES, runtime)
}

/** The runtime with this conversation. Harness events name nothing else. */
export function findRuntimeOfSession(
  db: DatabaseSync,
  harness: string,
  sessionId: string,
): Runtime | undefined {
  return selectOne(db, RUNTIMES, 'WHERE harness = ? AND session_id = ?', harness, sessionId)
}

export function listRuntimes(
  db: DatabaseSync,
  filter: { workspaceId?: string; status?: RuntimeStatus } = {},
): Runtime[] {
  return select(
    db,
    RUNTIMES,
    'WHERE (?1 IS NULL OR workspace_id = ?1) AND (?2 IS NULL OR status = ?2) ORDER BY agent_id',
    filter.workspaceId ?? null,
    filter.status ?? null,
  )
}

/** Returns whether there was one. Its triggers and its lines in the audit stay. */
export function deleteRuntime(db: DatabaseSync, runtimeId: string): boolean {
  db.prepare('DELETE FROM heartbeats WHERE runtime_id = ?').run(runtimeId)
  db.prepare('DELETE FROM runtime_screens WHERE runtime_id = ?').run(runtimeId)
  return db.prepare('DELETE FROM runtimes WHERE runtime_id = ?').run(runtimeId).changes === 1
}
