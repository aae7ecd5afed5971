import type { DatabaseSync } from 'node:sqlite'
import type { LiftedEpisode, Outcome } from '../core/episode.ts'
import type { Transition } from '../core/state.ts'
import { columnTable, select, selectOne } from './rows.ts'
import { count, name, object, oneOf, time } from './shape.ts'

const reason = oneOf(['permission', 'stopped'])
const outcome = oneOf(['answered', 'settled', 'ended', 'unknown'] satisfies StoredOutcome[])

export const EPISODES = columnTable<EpisodeWait>(
  'episodes',
  object({
    seq: count,
    session: name,
    harness: name,
    reason,
    stuck_at: time,
    closed_at: time,
    outcome,
  }),
  (row) => ({
    harness: row['harness'] as string,
    reason: row['reason'] as string,
    outcome: row['outcome'] as StoredOutcome,
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
    outcome,
    episodes: count,
    stuck_ms: time,
    longest_ms: time,
  }),
  (row) => ({
    harness: row['harness'] as string,
    reason: row['reason'] as string,
    outcome: row['outcome'] as StoredOutcome,
    episodes: row['episodes'] as number,
    stuckMs: row['stuck_ms'] as number,
    longestMs: row['longest_ms'] as number,
  }),
)

const KEEP_EPISODES = 10_000

/** `unknown`: from a version that did not tell them apart. */
export type StoredOutcome = Outcome | 'unknown'

export type EpisodeStats = {
  harness: string
  reason: string
  outcome: StoredOutcome
  episodes: number
  stuckMs: number
  longestMs: number
}

/** Records how long a session waited, and adds it to the day's figures. */
export function closeEpisode(db: DatabaseSync, seq: number, transition: Transition): void {
  const { session, closed, at } = transition
  if (!closed) return
  const stuckMs = Math.max(0, at - closed.item.since)
  db.prepare('INSERT OR REPLACE INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    closed.item.episode,
    session.key,
    session.harness,
    closed.reason,
    closed.item.since,
    at,
    closed.outcome,
  )
  countEpisode(db, { ...closed, harness: session.harness, closedAt: at, ms: stuckMs })
  if (seq % 1_000 === 0) {
    db.prepare(
      'DELETE FROM episodes WHERE seq NOT IN (SELECT seq FROM episodes ORDER BY seq DESC LIMIT ?)',
    ).run(KEEP_EPISODES)
  }
}

/** More became known of how it was over. The day's longest wait stays: it was one of them. */
export function reviseEpisode(db: DatabaseSync, { episode, outcome }: LiftedEpisode): void {
  const known = findWait(db, episode)
  if (!known || known.outcome === outcome) return
  db.prepare('UPDATE episodes SET outcome = ? WHERE seq = ?').run(outcome, episode)
  db.prepare(
    `UPDATE daily_stats SET episodes = episodes - 1, stuck_ms = stuck_ms - ?
     WHERE day = ? AND harness = ? AND reason = ? AND outcome = ?`,
  ).run(known.ms, dayOf(known.closedAt), known.harness, known.reason, known.outcome)
  countEpisode(db, { ...known, outcome })
}

function countEpisode(db: DatabaseSync, wait: EpisodeWait): void {
  const { harness, reason, outcome, closedAt, ms } = wait
  db.prepare(
    `INSERT INTO daily_stats VALUES (?, ?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET
       episodes = episodes + 1,
       stuck_ms = stuck_ms + excluded.stuck_ms,
       longest_ms = max(longest_ms, excluded.longest_ms)`,
  ).run(dayOf(closedAt), harness, reason, outcome, ms, ms)
}

export function readEpisodeStats(db: DatabaseSync): EpisodeStats[] {
  return db
    .prepare(
      `SELECT harness, reason, outcome, sum(episodes) AS episodes, sum(stuck_ms) AS stuckMs,
              max(longest_ms) AS longestMs
       FROM daily_stats GROUP BY harness, reason, outcome ORDER BY harness, reason, outcome`,
    )
    .all() as EpisodeStats[]
}

/** How long one session waited, and when that was over. */
export type EpisodeWait = {
  harness: string
  reason: string
  outcome: StoredOutcome
  closedAt: number
  ms: number
}

/** Of the last ten thousand episodes, those that ended since then. */
export function listWaits(db: DatabaseSync, since = 0): EpisodeWait[] {
  return select(db, EPISODES, 'WHERE closed_at >= ? ORDER BY closed_at', since)
}

export function findWait(db: DatabaseSync, episode: number): EpisodeWait | undefined {
  return selectOne(db, EPISODES, 'WHERE seq = ?', episode)
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
