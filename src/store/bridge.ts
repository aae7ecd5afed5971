import type { DatabaseSync } from 'node:sqlite'
import { newCursor, type ReadCursor } from '../core/bridge/cursor.ts'
import type { HeartbeatStatus, RuntimeHeartbeat } from '../core/bridge/heartbeat.ts'
import type { BridgeMessage } from '../core/bridge/message.ts'
import type { Thread } from '../core/bridge/thread.ts'

/** How much of a thread an agent has not read. */
export type Unread = { threadId: string; count: number; firstSeq: number; lastSeq: number }

/** Every participant has a cursor from then on. One that leaves keeps its own. */
export function saveThread(db: DatabaseSync, thread: Thread): void {
  db.prepare(
    `INSERT INTO threads VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       state = excluded.state, updated_at = excluded.updated_at, record = excluded.record`,
  ).run(thread.id, thread.workspaceId, thread.state.kind, thread.updatedAt, JSON.stringify(thread))
  for (const agentId of thread.participants) {
    saveCursor(db, newCursor(thread.id, agentId, thread.updatedAt))
  }
}

export function readThread(db: DatabaseSync, threadId: string): Thread | undefined {
  const row = db.prepare('SELECT record FROM threads WHERE thread_id = ?').get(threadId)
  return row && (JSON.parse(row['record'] as string) as Thread)
}

/** The one that was last spoken in first. */
export function listThreads(
  db: DatabaseSync,
  filter: { workspaceId?: string; agentId?: string; state?: Thread['state']['kind'] } = {},
): Thread[] {
  return db
    .prepare(
      `SELECT record FROM threads
       WHERE (?1 IS NULL OR workspace_id = ?1) AND (?3 IS NULL OR state = ?3)
         AND (?2 IS NULL OR thread_id IN (SELECT thread_id FROM cursors WHERE agent_id = ?2))
       ORDER BY updated_at DESC, thread_id`,
    )
    .all(filter.workspaceId ?? null, filter.agentId ?? null, filter.state ?? null)
    .map((row) => JSON.parse(row['record'] as string) as Thread)
}

/** Gives the message its place after all others. */
export function insertMessage(
  db: DatabaseSync,
  message: Omit<BridgeMessage, 'seq'>,
): BridgeMessage {
  const { id, threadId, author, to, at } = message
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO messages (message_id, thread_id, author_agent_id, recipients, posted_at, record)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(
      id,
      threadId,
      author.kind === 'agent' ? author.agentId : null,
      to.length === 0 ? null : JSON.stringify(to),
      at,
      JSON.stringify(message),
    )
  return { ...message, seq: Number(lastInsertRowid) }
}

/** Oldest first, those after `after`. */
export function readMessages(
  db: DatabaseSync,
  threadId: string,
  { after = 0, limit = 100 }: { after?: number; limit?: number } = {},
): BridgeMessage[] {
  return db
    .prepare(
      'SELECT seq, record FROM messages WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?',
    )
    .all(threadId, after, limit)
    .map(messageOf)
}

/** The last `limit`, oldest first: what a new session is told of the thread. */
export function readLastMessages(
  db: DatabaseSync,
  threadId: string,
  limit: number,
): BridgeMessage[] {
  return db
    .prepare('SELECT seq, record FROM messages WHERE thread_id = ? ORDER BY seq DESC LIMIT ?')
    .all(threadId, limit)
    .map(messageOf)
    .toReversed()
}

export function lastSeqOf(db: DatabaseSync, threadId: string): number {
  const row = db.prepare('SELECT max(seq) AS seq FROM messages WHERE thread_id = ?').get(threadId)
  return (row?.['seq'] as number | null) ?? 0
}

/** What is for that agent, as `isFor` of the core has it, and after its cursor. Oldest first. */
export function readUnread(
  db: DatabaseSync,
  agentId: string,
  { threadId, limit = 100 }: { threadId?: string; limit?: number } = {},
): BridgeMessage[] {
  return db
    .prepare(
      `SELECT m.seq, m.record ${UNREAD} AND (?2 IS NULL OR m.thread_id = ?2) ORDER BY m.seq LIMIT ?3`,
    )
    .all(agentId, threadId ?? null, limit)
    .map(messageOf)
}

/** Of open threads only: in any other, nothing is to be done about it. */
export function countUnread(db: DatabaseSync, agentId: string): Unread[] {
  return db
    .prepare(
      `SELECT m.thread_id AS threadId, count(*) AS count, min(m.seq) AS firstSeq, max(m.seq) AS lastSeq
       ${UNREAD} AND m.thread_id IN (SELECT thread_id FROM threads WHERE state = 'open')
       GROUP BY m.thread_id ORDER BY firstSeq`,
    )
    .all(agentId)
    .map((row) => ({ ...row }) as Unread)
}

/** In one thread or in all of them, whatever their state. */
export function countUnreadOf(db: DatabaseSync, agentId: string, threadId?: string): number {
  const row = db
    .prepare(`SELECT count(*) AS count ${UNREAD} AND (?2 IS NULL OR m.thread_id = ?2)`)
    .get(agentId, threadId ?? null)
  return (row?.['count'] as number | undefined) ?? 0
}

export function countMessages(db: DatabaseSync, threadId: string): number {
  const row = db.prepare('SELECT count(*) AS count FROM messages WHERE thread_id = ?').get(threadId)
  return (row?.['count'] as number | undefined) ?? 0
}

export function readCursor(
  db: DatabaseSync,
  threadId: string,
  agentId: string,
): ReadCursor | undefined {
  const row = db
    .prepare('SELECT seq, read_at AS at FROM cursors WHERE thread_id = ? AND agent_id = ?')
    .get(threadId, agentId) as { seq: number; at: number } | undefined
  return row && { threadId, agentId, seq: row.seq, at: row.at }
}

/** One that is further on stays. */
export function saveCursor(db: DatabaseSync, cursor: ReadCursor): void {
  db.prepare(
    `INSERT INTO cursors VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       seq = excluded.seq, read_at = excluded.read_at WHERE excluded.seq > seq`,
  ).run(cursor.threadId, cursor.agentId, cursor.seq, cursor.at)
}

export function readHeartbeat(db: DatabaseSync, runtimeId: string): RuntimeHeartbeat | undefined {
  const row = db
    .prepare('SELECT status, beat_at FROM heartbeats WHERE runtime_id = ?')
    .get(runtimeId)
  return (
    row && { runtimeId, status: row['status'] as HeartbeatStatus, at: row['beat_at'] as number }
  )
}

/** A later one stays. */
export function saveHeartbeat(db: DatabaseSync, beat: RuntimeHeartbeat): void {
  db.prepare(
    `INSERT INTO heartbeats VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
       status = excluded.status, beat_at = excluded.beat_at WHERE excluded.beat_at >= beat_at`,
  ).run(beat.runtimeId, beat.status, beat.at)
}

const UNREAD = `
  FROM cursors c JOIN messages m ON m.thread_id = c.thread_id AND m.seq > c.seq
  WHERE c.agent_id = ?1 AND m.author_agent_id IS NOT c.agent_id
    AND (m.recipients IS NULL OR EXISTS (SELECT 1 FROM json_each(m.recipients) WHERE value = c.agent_id))`

function messageOf(row: Record<string, unknown>): BridgeMessage {
  return { ...(JSON.parse(row['record'] as string) as BridgeMessage), seq: row['seq'] as number }
}
