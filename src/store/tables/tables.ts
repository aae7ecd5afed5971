import type { DatabaseSync } from 'node:sqlite'
import { EVENTS, IGNORED_SIGNALS, SESSIONS } from '../log/log-tables.ts'
import { META } from '../rows/meta.ts'
import { checkIndexes, examine, makeRoomForRows, type Table } from '../rows/rows.ts'
import { AUDIT, AUDIT_TOTALS } from './audit.ts'
import { CURSORS, HEARTBEATS, MESSAGES, THREADS } from './bridge.ts'
import { DECISIONS } from './decisions.ts'
import { DISPATCHES } from './dispatches.ts'
import { DAILY_STATS, EPISODES } from './episodes.ts'
import { MUTES, NOTICES } from './notices.ts'
import { RUNTIME_SCREENS } from './runtime-screens.ts'
import { RUNTIMES } from './runtimes.ts'
import { TOKENS } from './tokens.ts'
import { TRIGGERS } from './triggers.ts'

/** Small, or added up by the database itself without our seeing the rows, so they are examined first. */
const AT_OPENING: readonly Table<unknown>[] = [
  META,
  DAILY_STATS,
  IGNORED_SIGNALS,
  RUNTIMES,
  RUNTIME_SCREENS,
  DISPATCHES,
  DECISIONS,
  NOTICES,
  MUTES,
  THREADS,
  CURSORS,
  HEARTBEATS,
  TOKENS,
  AUDIT_TOTALS,
]

const GROWING: readonly Table<unknown>[] = [TRIGGERS, MESSAGES, EPISODES, AUDIT]

/** Each row is examined when it is read, and all of them once after the start. */
const LATER: readonly Table<unknown>[] = [EVENTS, ...GROWING]

/** Everything that is neither in the sessions nor in their log. */
export const BESIDE_THE_LOG = [...AT_OPENING, ...LATER].filter((table) => table !== EVENTS)

export function examineSmallTables(db: DatabaseSync): void {
  for (const table of AT_OPENING) {
    checkIndexes(db, table)
    for (const _ of examine(db, table));
  }
  for (const table of GROWING) makeRoomForRows(db, table)
  // Without a cursor an agent would never see that anything is unread.
  db.exec(
    `INSERT INTO cursors SELECT thread_id, value, 0, updated_at FROM threads, json_each(record, '$.participants')
     WHERE true ON CONFLICT DO NOTHING`,
  )
}

/** A few rows at a time. */
export function* examineLargeTables(db: DatabaseSync): Generator<void> {
  for (const table of LATER) for (const _ of examine(db, table)) yield
  for (const table of [...LATER, SESSIONS]) {
    checkIndexes(db, table)
    yield
  }
}
