import type { DatabaseSync } from 'node:sqlite'
import type { Runtime, RuntimeStatus } from '../core/supervisor/runtime.ts'

/** Registers a runtime or changes it. A second one for the same role is refused by the database. */
export function saveRuntime(db: DatabaseSync, runtime: Runtime): void {
  db.prepare(
    `INSERT INTO runtimes VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (runtime_id) DO UPDATE SET
       session_id = excluded.session_id, status = excluded.status, record = excluded.record`,
  ).run(
    runtime.runtimeId,
    runtime.agentId,
    runtime.workspaceId,
    runtime.harness,
    runtime.sessionId ?? null,
    runtime.status,
    JSON.stringify(runtime),
  )
}

/** Whose conversation this is. Events of a harness name nothing else. */
export function findRuntimeOfSession(
  db: DatabaseSync,
  harness: string,
  sessionId: string,
): Runtime | undefined {
  return runtimeOf(
    db
      .prepare('SELECT record FROM runtimes WHERE harness = ? AND session_id = ?')
      .get(harness, sessionId),
  )
}

export function listRuntimes(
  db: DatabaseSync,
  filter: { workspaceId?: string; status?: RuntimeStatus } = {},
): Runtime[] {
  return db
    .prepare(
      `SELECT record FROM runtimes WHERE (?1 IS NULL OR workspace_id = ?1) AND (?2 IS NULL OR status = ?2)
       ORDER BY agent_id`,
    )
    .all(filter.workspaceId ?? null, filter.status ?? null)
    .flatMap((row) => runtimeOf(row) ?? [])
}

/** Says whether there was one. Its triggers and its lines in the audit stay. */
export function deleteRuntime(db: DatabaseSync, runtimeId: string): boolean {
  db.prepare('DELETE FROM heartbeats WHERE runtime_id = ?').run(runtimeId)
  return db.prepare('DELETE FROM runtimes WHERE runtime_id = ?').run(runtimeId).changes === 1
}

function runtimeOf(row: Record<string, unknown> | undefined): Runtime | undefined {
  return row && (JSON.parse(row['record'] as string) as Runtime)
}
