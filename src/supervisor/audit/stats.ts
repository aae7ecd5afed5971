import type { DatabaseSync } from 'node:sqlite'
import type { AnswerTimes, StatsView, SupervisorStats } from '../../contract/stats.ts'
import type { AuditKind } from '../../core/audit.ts'
import { dismissedOf, isReady } from '../../core/session/queue.ts'
import type { RuntimeStatus } from '../../core/supervisor/runtime/runtime-transition.ts'
import { isSettled, TRIGGER_STATES } from '../../core/supervisor/trigger/trigger.ts'
import { countAudit } from '../../store/tables/audit.ts'
import { type EpisodeWait, listWaits, type StoredOutcome } from '../../store/tables/episodes.ts'
import { listRuntimes } from '../../store/tables/runtimes.ts'
import { deliveredSince, listTriggers } from '../../store/tables/triggers.ts'
import type { Herd } from '../context/herd.ts'

/** The inputs of the figures. `isSupervised`: there are workspaces. */
export type StatsParts = {
  db: DatabaseSync
  herd: Pick<Herd, 'queue' | 'current' | 'clock'>
  isSupervised: boolean
}

const WEEK_MS = 7 * 86_400_000
const DOWN: ReadonlySet<RuntimeStatus> = new Set([
  'offline',
  'failed',
  'given-up',
  'stopping',
  'stopped',
])

/** How much there was to answer, how long it took, and how the runtimes did. */
export function statsOf(parts: StatsParts): StatsView {
  const { herd, db } = parts
  const now = herd.clock.now()
  const wall = Math.round(herd.clock.toWall(now))
  const todaySince = new Date(wall).setHours(0, 0, 0, 0)
  const weekSince = wall - WEEK_MS
  const waits = listWaits(db, herd.clock.fromWall(weekSince))
  const today = herd.clock.fromWall(todaySince)
  const answered = waits.filter(({ outcome }) => outcome === 'answered')
  const queue = herd.queue()
  const ready = queue.filter((session) => isReady(session, now)).length
  const since = queue.map(({ item }) => item.since)
  return {
    todaySince,
    weekSince,
    queue: {
      ready,
      cooling: queue.length - ready,
      dismissed: dismissedOf(herd.current()).length,
      oldestSince: since.length === 0 ? null : Math.round(herd.clock.toWall(Math.min(...since))),
    },
    outcomes: outcomesOf(waits, today),
    answers: { ...answerTimes(answered, today), harnesses: byHarness(answered, today) },
    supervisor: parts.isSupervised ? supervisorStats(parts, weekSince) : null,
  }
}

function outcomesOf(waits: readonly EpisodeWait[], today: number): StatsView['outcomes'] {
  const counts = (outcome: StoredOutcome) => {
    const own = waits.filter((wait) => wait.outcome === outcome)
    return { today: own.filter(({ closedAt }) => closedAt >= today).length, week: own.length }
  }
  return {
    answered: counts('answered'),
    dismissed: counts('dismissed'),
    settled: counts('settled'),
    ended: counts('ended'),
    unknown: counts('unknown'),
  }
}

function byHarness(
  waits: readonly EpisodeWait[],
  today: number,
): StatsView['answers']['harnesses'] {
  return [...Map.groupBy(waits, ({ harness }) => harness)]
    .map(([harness, own]) => ({ harness, ...answerTimes(own, today) }))
    .toSorted((a, b) => b.week - a.week || (a.harness < b.harness ? -1 : 1))
}

function answerTimes(waits: readonly EpisodeWait[], today: number): AnswerTimes {
  const lengths = waits.map(({ ms }) => ms)
  return {
    today: waits.filter(({ closedAt }) => closedAt >= today).length,
    week: waits.length,
    medianMs: quantile(lengths, 0.5),
    p90Ms: quantile(lengths, 0.9),
    longestMs: quantile(lengths, 1),
  }
}

function supervisorStats({ db, herd }: StatsParts, weekSince: number): SupervisorStats {
  const runtimes = listRuntimes(db)
  const counts = countAudit(db, { since: weekSince })
  const linesOf = (kind: AuditKind) =>
    counts.reduce((sum, count) => sum + (count.kind === kind ? count.lines : 0), 0)
  const took = deliveredSince(db, herd.clock.fromWall(weekSince)).map(({ ms }) => ms)
  return {
    runtimes: {
      total: runtimes.length,
      running: runtimes.filter(({ status }) => !DOWN.has(status)).length,
      failed: runtimes
        .filter(({ status }) => status === 'failed' || status === 'given-up')
        .map(({ agentId }) => agentId),
    },
    triggers: {
      open: openTriggers(db),
      delivered: linesOf('trigger_delivered'),
      failed: linesOf('trigger_failed'),
      medianMs: quantile(took, 0.5),
      p90Ms: quantile(took, 0.9),
    },
    restarts: linesOf('runtime_restarted'),
    drifts: linesOf('registry_drift'),
  }
}

function openTriggers(db: DatabaseSync): number {
  const states = TRIGGER_STATES.filter((state) => !isSettled({ state }))
  return listTriggers(db, { states }).length
}

/** The smallest value that at least that share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}
