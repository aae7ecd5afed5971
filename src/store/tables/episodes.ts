import type { DatabaseSync } from 'node:sqlite'
import { type LiftedEpisode, OUTCOMES, type Outcome } from '../../core/session/episode.ts'
import type { Transition } from '../../core/session/state.ts'
import { isTime } from '../rows/meta.ts'
import { columnTable, select, selectOne } from '../rows/rows.ts'
import { count, name, object, oneOf, type Shape } from '../shapes/shape.ts'

const reason = oneOf(['permission', 'stopped'])
const outcome = oneOf([...OUTCOMES, 'unknown'] satisfies StoredOutcome[])

const LONGEST_WAIT_MS = 100 * 365 * 24 * 60 * 60_000

const wait: Shape = (value) =>
  count(value) === undefined && (value as number) <= LONGEST_WAIT_MS
    ? undefined
    : 'is not a duration'

const instant: Shape = (value) => (isTime(value) ? undefined : 'is not a time')

const episodeColumns = object({
  seq: count,
  session: name,
  harness: name,
  reason,
  stuck_at: instant,
  closed_at: instant,
  outcome,
})

const dayColumns = object({
  day: (day) => (/^[+-]?\d{4,6}-\d\d-\d\d$/.test(String(day)) ? undefined : 'is not a day'),
  harness: name,
  reason,
  outcome,
  episodes: count,
  stuck_ms: count,
  longest_ms: wait,
})

export const EPISODES = columnTable<EpisodeWait>(
  'episodes',
  (row) => {
    const { stuck_at, closed_at } = row as { stuck_at: number; closed_at: number }
    return (
      episodeColumns(row) ?? (closed_at < stuck_at ? 'closed_at is before stuck_at' : undefined)
    )
  },
  (row) => ({
    harness: row['harness'] as string,
    reason: row['reason'] as string,
    outcome: row['outcome'] as StoredOutcome,
    closedAt: row['closed_at'] as number,
    ms: (row['closed_at'] as number) - (row['stuck_at'] as number),
  }),
)

export const DAILY_STATS = columnTable<EpisodeStats>(
  'daily_stats',
  (row) => {
    const { episodes, stuck_ms, longest_ms } = row as Record<string, number>
    const most = Number(episodes) * Number(longest_ms)
    return (
      dayColumns(row) ??
      (Number(stuck_ms) > most ? 'stuck_ms is more than all episodes together' : undefined)
    )
  },
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

/** `unknown`: from a version that did not distinguish them. */
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
  const { session, closed } = transition
  if (!closed) return
  const at = closed.item.dismissedAt ?? transition.at
  const stuckMs = Math.min(Math.max(0, at - closed.item.since), LONGEST_WAIT_MS)
  db.prepare('INSERT OR REPLACE INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    closed.item.episode,
    session.key,
    session.harness,
    closed.reason,
    at - stuckMs,
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

/** We know more about how it ended. The day's longest wait stays: it was one of them. */
export function reviseEpisode(db: DatabaseSync, { episode, outcome }: LiftedEpisode): void {
  const known = findWait(db, episode)
  if (!known || known.outcome === outcome) return
  db.prepare('UPDATE episodes SET outcome = ? WHERE seq = ?').run(outcome, episode)
  db.prepare(
    `UPDATE daily_stats SET episodes = max(0, episodes - 1), stuck_ms = max(0, stuck_ms - ?)
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

/** `total` adds up whatever is there; a row damaged since the start must not break it. */
export function readEpisodeStats(db: DatabaseSync): EpisodeStats[] {
  return db
    .prepare(
      `SELECT harness, reason, outcome, max(0.0, total(episodes)) AS episodes,
              max(0.0, total(stuck_ms)) AS stuckMs, CAST(max(0, max(longest_ms)) AS REAL) AS longestMs
       FROM daily_stats GROUP BY harness, reason, outcome ORDER BY harness, reason, outcome`,
    )
    .all() as EpisodeStats[]
}

/** How long one session waited, and when that ended. */
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
