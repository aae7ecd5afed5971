import type { DatabaseSync } from 'node:sqlite'
import { keptTrigger } from '../../core/supervisor/trigger/kept-trigger.ts'
import type { RecentTriggers } from '../../core/supervisor/trigger/rate-limit.ts'
import {
  type DeliveryWay,
  IN_HAND,
  type Trigger,
  type TriggerState,
  writeIn,
} from '../../core/supervisor/trigger/trigger.ts'
import { emptyJournalSoon, erasing } from '../database/erasing.ts'
import { insertRow, recordTable, select, selectOne } from '../rows/rows.ts'
import { triggerShape } from '../shapes/supervisor-shapes.ts'
import { printOf } from './audit.ts'

export const TRIGGERS = recordTable<Trigger>({
  name: 'triggers',
  key: 'trigger_id',
  shape: triggerShape,
  columns: (trigger) => ({
    trigger_id: trigger.id,
    runtime_id: trigger.runtimeId,
    agent_id: trigger.agentId,
    thread_id: trigger.threadId ?? null,
    mark: trigger.mark,
    state: trigger.state,
    created_at: trigger.createdAt,
    claimed_at: writeIn(trigger)?.claimedAt ?? null,
  }),
})

export type TriggerFilter = {
  runtimeId?: string
  agentId?: string
  threadId?: string
  states?: readonly TriggerState[]
}

export function insertTrigger(db: DatabaseSync, trigger: Trigger): void {
  erasing(db, () => insertRow(db, TRIGGERS, TRIGGERS.rowOf(trigger)))
}

/**
 * Replaces `from` with `trigger`, which has no secrets once it is not typed any more. True if that worked: nobody
 * else has moved it since `from` was read, and no other trigger of its runtime is in hand. Whoever claims a trigger
 * may write only then.
 */
export function moveTrigger(db: DatabaseSync, from: Trigger, trigger: Trigger): boolean {
  const kept = keptTrigger(trigger, printOf)
  if (kept !== trigger) emptyJournalSoon(db)
  return erasing(db, () => replaceTrigger(db, from, kept))
}

function replaceTrigger(db: DatabaseSync, from: Trigger, trigger: Trigger): boolean {
  const { changes } = db
    .prepare(
      `UPDATE triggers SET state = ?1, claimed_at = ?2, record = ?3
       WHERE trigger_id = ?4 AND state = ?5 AND record = ?6
         AND (?1 NOT IN ${HANDS} OR NOT EXISTS (
           SELECT 1 FROM triggers AS other WHERE other.runtime_id = triggers.runtime_id
             AND other.trigger_id <> triggers.trigger_id AND other.state IN ${HANDS}))`,
    )
    .run(
      trigger.state,
      writeIn(trigger)?.claimedAt ?? null,
      JSON.stringify(trigger),
      from.id,
      from.state,
      JSON.stringify(from),
    )
  return changes === 1
}

export function readTrigger(db: DatabaseSync, triggerId: string): Trigger | undefined {
  return selectOne(db, TRIGGERS, 'WHERE trigger_id = ?', triggerId)
}

/** The trigger whose prompt a harness took. */
export function findTriggerOfMark(db: DatabaseSync, mark: string): Trigger | undefined {
  return selectOne(db, TRIGGERS, 'WHERE mark = ?', mark)
}

/** Oldest first. */
export function listTriggers(db: DatabaseSync, filter: TriggerFilter = {}): Trigger[] {
  const { runtimeId, agentId, threadId, states } = filter
  return select(
    db,
    TRIGGERS,
    `WHERE (?1 IS NULL OR runtime_id = ?1) AND (?2 IS NULL OR agent_id = ?2)
       AND (?3 IS NULL OR thread_id = ?3)
       AND (?4 IS NULL OR state IN (SELECT value FROM json_each(?4)))
     ORDER BY created_at, t.rowid`,
    runtimeId ?? null,
    agentId ?? null,
    threadId ?? null,
    states ? JSON.stringify(states) : null,
  )
}

/** When triggers were claimed since then, for the rate limits. */
export function recentTriggers(
  db: DatabaseSync,
  { agentId, threadId }: Pick<Trigger, 'agentId' | 'threadId'>,
  since: number,
): RecentTriggers {
  const times = (column: 'agent_id' | 'thread_id', value: string) =>
    db
      .prepare(`SELECT claimed_at FROM triggers WHERE ${column} = ? AND claimed_at >= ?`)
      .all(value, since)
      .map((row) => row['claimed_at'] as number)
  return {
    ofAgent: times('agent_id', agentId),
    ofThread: threadId === undefined ? [] : times('thread_id', threadId),
  }
}

/** How long a trigger took from its creation until its arrival was confirmed, and how it was delivered. */
export type Delivered = { via: DeliveryWay; ms: number }

/** Those that were delivered after this line of the audit. */
export function deliveredAfter(db: DatabaseSync, seq: number): Delivered[] {
  return db
    .prepare(
      `SELECT ${DELIVERED} FROM audit JOIN triggers USING (trigger_id)
       WHERE audit.seq > ? AND kind = 'trigger_delivered' AND state = 'delivered' AND json_valid(record)`,
    )
    .all(seq) as Delivered[]
}

/** Those that were created since then. */
export function deliveredSince(db: DatabaseSync, createdAt: number): Delivered[] {
  return db
    .prepare(
      `SELECT ${DELIVERED} FROM triggers
       WHERE state = 'delivered' AND created_at >= ? AND json_valid(record)`,
    )
    .all(createdAt) as Delivered[]
}

const DELIVERED = `coalesce(record ->> '$.via', 'paste') AS via,
  max(0, coalesce(record ->> '$.settledAt', created_at) - created_at) AS ms`
const HANDS = `('${IN_HAND.join("', '")}')`
