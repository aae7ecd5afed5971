import type { DatabaseSync } from 'node:sqlite'
import { newCursor, type ReadCursor } from '../../core/bridge/cursor.ts'
import type { HeartbeatStatus, RuntimeHeartbeat } from '../../core/bridge/heartbeat.ts'
import type { BridgeMessage } from '../../core/bridge/message.ts'
import type { Thread } from '../../core/bridge/thread.ts'
import {
  columnTable,
  insertRow,
  recordTable,
  saveRecord,
  select,
  selectNumber,
  selectOne,
} from '../rows/rows.ts'
import { count, name, object, time } from '../shapes/shape.ts'
import { heartbeatStatus, messageShape, threadShape } from '../shapes/supervisor-shapes.ts'

export const THREADS = recordTable<Thread>({
  name: 'threads',
  key: 'thread_id',
  shape: threadShape,
  columns: (thread) => ({
    thread_id: thread.id,
    workspace_id: thread.workspaceId,
    state: thread.state.kind,
    updated_at: thread.updatedAt,
  }),
})

export const MESSAGES = recordTable<Omit<BridgeMessage, 'seq'>, BridgeMessage>({
  name: 'messages',
  key: 'message_id',
  shape: messageShape,
  columns: ({ id, threadId, author, to, at }) => ({
    message_id: id,
    thread_id: threadId,
    author_agent_id: author.kind === 'agent' ? author.agentId : null,
    recipients: to.length === 0 ? null : JSON.stringify(to),
    posted_at: at,
  }),
  of: (message, row) => ({ ...message, seq: row['seq'] as number }),
})

export const CURSORS = columnTable<ReadCursor>(
  'cursors',
  object({ thread_id: name, agent_id: name, seq: count, read_at: time }),
  (row) => ({
    threadId: row['thread_id'] as string,
    agentId: row['agent_id'] as string,
    seq: row['seq'] as number,
    at: row['read_at'] as number,
  }),
)

export const HEARTBEATS = columnTable<RuntimeHeartbeat>(
  'heartbeats',
  object({ runtime_id: name, status: heartbeatStatus, beat_at: time }),
  (row) => ({
    runtimeId: row['runtime_id'] as string,
    status: row['status'] as HeartbeatStatus,
    at: row['beat_at'] as number,
  }),
)

/** How much of a thread an agent has not read. */
export type Unread = { threadId: string; count: number; firstSeq: number; lastSeq: number }

/** From then on every participant has a cursor. One that leaves keeps its own. */
export function saveThread(db: DatabaseSync, thread: Thread): void {
  saveRecord(db, THREADS, thread)
  for (const agentId of thread.participants) {
    saveCursor(db, newCursor(thread.id, agentId, thread.updatedAt))
  }
}

export function readThread(db: DatabaseSync, threadId: string): Thread | undefined {
  return selectOne(db, THREADS, 'WHERE thread_id = ?', threadId)
}

/** The most recently active first. */
export function listThreads(
  db: DatabaseSync,
  filter: { workspaceId?: string; agentId?: string; state?: Thread['state']['kind'] } = {},
): Thread[] {
  return select(
    db,
    THREADS,
    `WHERE (?1 IS NULL OR workspace_id = ?1) AND (?3 IS NULL OR state = ?3)
       AND (?2 IS NULL OR thread_id IN (SELECT thread_id FROM cursors WHERE agent_id = ?2))
     ORDER BY updated_at DESC, thread_id`,
    filter.workspaceId ?? null,
    filter.agentId ?? null,
    filter.state ?? null,
  )
}

/** Puts the message after all others. */
export function insertMessage(
  db: DatabaseSync,
  message: Omit<BridgeMessage, 'seq'>,
): BridgeMessage {
  return { ...message, seq: insertRow(db, MESSAGES, MESSAGES.rowOf(message)) }
}

/** Those after `after`, oldest first. */
export function readMessages(
  db: DatabaseSync,
  threadId: string,
  { after = 0, limit = 100 }: { after?: number; limit?: number } = {},
): BridgeMessage[] {
  const clause = 'WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?'
  return select(db, MESSAGES, clause, threadId, after, limit)
}

/** The last `limit`, oldest first: what a new session reads of the thread. */
export function readLastMessages(
  db: DatabaseSync,
  threadId: string,
  limit: number,
): BridgeMessage[] {
  const clause = 'WHERE thread_id = ? ORDER BY seq DESC LIMIT ?'
  return select(db, MESSAGES, clause, threadId, limit).toReversed()
}

export function lastSeqOf(db: DatabaseSync, threadId: string): number {
  return selectNumber(db, 'SELECT max(seq) FROM messages WHERE thread_id = ?', threadId)
}

/** What is for that agent, as `isFor` in the core defines it, and after its cursor. Oldest first. */
export function readUnread(
  db: DatabaseSync,
  agentId: string,
  { threadId, limit = 100 }: { threadId?: string; limit?: number } = {},
): BridgeMessage[] {
  return select(
    db,
    MESSAGES,
    `${UNREAD} AND (?2 IS NULL OR t.thread_id = ?2) ORDER BY t.seq LIMIT ?3`,
    agentId,
    threadId ?? null,
    limit,
  )
}

/** Only in open threads: in any other, nothing can be done about it. */
export function countUnread(db: DatabaseSync, agentId: string): Unread[] {
  return db
    .prepare(
      `SELECT t.thread_id AS threadId, count(*) AS count, min(t.seq) AS firstSeq, max(t.seq) AS lastSeq
       FROM messages AS t ${UNREAD} AND t.thread_id IN (SELECT thread_id FROM threads WHERE state = 'open')
       GROUP BY t.thread_id ORDER BY firstSeq`,
    )
    .all(agentId)
    .map((row) => ({ ...row }) as Unread)
}

/** In one thread or in all of them, whatever their state. */
export function countUnreadOf(db: DatabaseSync, agentId: string, threadId?: string): number {
  const sql = `SELECT count(*) FROM messages AS t ${UNREAD} AND (?2 IS NULL OR t.thread_id = ?2)`
  return selectNumber(db, sql, agentId, threadId ?? null)
}

export function countMessages(db: DatabaseSync, threadId: string): number {
  return selectNumber(db, 'SELECT count(*) FROM messages WHERE thread_id = ?', threadId)
}

export function readCursor(
  db: DatabaseSync,
  threadId: string,
  agentId: string,
): ReadCursor | undefined {
  return selectOne(db, CURSORS, 'WHERE thread_id = ? AND agent_id = ?', threadId, agentId)
}

/** Keeps a cursor that is further on. */
export function saveCursor(db: DatabaseSync, cursor: ReadCursor): void {
  db.prepare(
    `INSERT INTO cursors VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       seq = excluded.seq, read_at = excluded.read_at WHERE excluded.seq > seq`,
  ).run(cursor.threadId, cursor.agentId, cursor.seq, cursor.at)
}

export function readHeartbeat(db: DatabaseSync, runtimeId: string): RuntimeHeartbeat | undefined {
  return selectOne(db, HEARTBEATS, 'WHERE runtime_id = ?', runtimeId)
}

/** Keeps a later one. */
export function saveHeartbeat(db: DatabaseSync, beat: RuntimeHeartbeat): void {
  db.prepare(
    `INSERT INTO heartbeats VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
       status = excluded.status, beat_at = excluded.beat_at WHERE excluded.beat_at >= beat_at`,
  ).run(beat.runtimeId, beat.status, beat.at)
}

const UNREAD = `
  JOIN cursors c ON t.thread_id = c.thread_id AND t.seq > c.seq
  WHERE c.agent_id = ?1 AND t.author_agent_id IS NOT c.agent_id
    AND (t.recipients IS NULL OR EXISTS (
      SELECT 1 FROM json_each(iif(json_valid(t.recipients), t.recipients, '[]')) WHERE value = c.agent_id))`
