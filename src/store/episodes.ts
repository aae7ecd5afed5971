import type { DatabaseSync } from 'node:sqlite'
import type { Transition } from '../core/state.ts'
import { columnTable, select } from './rows.ts'
import { count, name, object, oneOf, time } from './shape.ts'

const reason = oneOf(['permission', 'stopped'])

export const EPISODES = columnTable<EpisodeWait>(
  'episodes',
  object({ seq: count, session: name, harness: name, reason, stuck_at: time, closed_at: time }),
  (row) => ({
    harness: row['harness'] as string,
    reason: row['reason'] as string,
    closedAt: row['closed_at'] as number,
    ms: Math.max(0, (row['closed_at'] as number) - (row['stuck_at'] as number)),
  }),
)

export const DAILY_STATS = columnTable<EpisodeStats>(
  'daily_stats',
  object({
    day: (day) => (/^[+-]?\d{4,6}-\d\d-\d\d$/.test(String(day)) ? undefined : 'is not a day'),
    harness: name,
    reason,
    episodes: count,
    stuck_ms: time,
    longest_ms: time,
  }),
  (row) => ({
    harness: row['harness'] as string,
    reason: row['reason'] as string,
    episodes: row['episodes'] as number,
    stuckMs: row['stuck_ms'] as number,
    longestMs: row['longest_ms'] as number,
  }),
)

const KEEP_EPISODES = 10_000

export type EpisodeStats = {
  harness: string
  reason: string
  episodes: number
  stuckMs: number
  longestMs: number
}

/** Records how long a session waited, and adds it to the day's figures. */
export function closeEpisode(db: DatabaseSync, seq: number, transition: Transition): void {
  const { session, closed, at } = transition
  if (!closed) return
  const stuckMs = Math.max(0, at - closed.item.since)
  db.prepare('INSERT OR REPLACE INTO episodes VALUES (?, ?, ?, ?, ?, ?)').run(
    closed.item.episode,
    session.key,
    session.harness,
    closed.reason,
    closed.item.since,
    at,
  )
  db.prepare(
    `INSERT INTO daily_stats VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET
       episodes = episodes + 1,
       stuck_ms = stuck_ms + excluded.stuck_ms,
       longest_ms = max(longest_ms, excluded.longest_ms)`,
  ).run(dayOf(at), session.harness, closed.reason, stuckMs, stuckMs)
  if (seq % 1_000 === 0) {
    db.prepare(
      'DELETE FROM episodes WHERE seq NOT IN (SELECT seq FROM episodes ORDER BY seq DESC LIMIT ?)',
    ).run(KEEP_EPISODES)
  }
}

export function readEpisodeStats(db: DatabaseSync): EpisodeStats[] {
  return db
    .prepare(
      `SELECT harness, reason, sum(episodes) AS episodes, sum(stuck_ms) AS stuckMs,
              max(longest_ms) AS longestMs
       FROM daily_stats GROUP BY harness, reason ORDER BY harness, reason`,
    )
    .all() as EpisodeStats[]
}

/** How long one session waited, and when that was over. */
export type EpisodeWait = { harness: string; reason: string; closedAt: number; ms: number }

/** Of the last ten thousand episodes, those that ended since then. */
export function listWaits(db: DatabaseSync, since = 0): EpisodeWait[] {
  return select(db, EPISODES, 'WHERE closed_at >= ? ORDER BY closed_at', since)
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
