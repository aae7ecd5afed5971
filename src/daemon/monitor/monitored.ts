import type { MonitoredPane } from '../../contract/responses.ts'
import type { MonitorPace } from '../../core/monitor/interval.ts'
import { type PendingReports, visibleAt } from '../../core/monitor/pending-reports.ts'
import {
  type Attention,
  afterOccasion,
  newWatched,
  type Occasion,
  type Watched,
} from '../../core/monitor/watched.ts'
import type { Session } from '../../core/session/session.ts'
import { type Activity, isActive, newActivity } from '../../process/activity.ts'
import type { FoundProgram } from '../programs/found-program.ts'
import type { CpuTimes } from './triage.ts'

/** For this long, the monitor looks at a new harness whenever it has written something. */
const CLOSE_WATCH_MS = 10_000

const SOON_STEP_MS = 500
/** A share of the pause since the last look: with it, a look due after 15 s can still join a look every 10 s. */
const SHARE_OF_PAUSE = 1 / 3

/** A program that the monitor watches, and what the monitor knows about it. */
export type Monitored = {
  program: FoundProgram
  watched: Watched
  /** Measured since the last look that counted. */
  cpu: CpuTimes | undefined
  hasPrinted: boolean
  activity: Activity
  /** What tmux last reported about its pane. */
  title: string | undefined
  printedAt: number
  /** When its harness last reported anything, and the report for which its screen has not been read yet. */
  reportedAt: number
  pendingReports: PendingReports | undefined
  /** It is no longer in the foreground, or no longer watched: one last look. */
  isLeaving: boolean
}

export function newMonitored(program: FoundProgram, attention: Attention): Monitored {
  return {
    program,
    watched: newWatched({ attention, isHarness: program.adapter !== undefined }, Date.now()),
    cpu: undefined,
    hasPrinted: false,
    activity: newActivity(),
    title: undefined,
    printedAt: 0,
    reportedAt: 0,
    pendingReports: undefined,
    isLeaving: false,
  }
}

export function occur(one: Monitored, occasion: Occasion, pace: MonitorPace): void {
  const at = { now: Date.now(), pace, random: Math.random() }
  one.watched = afterOccasion(one.watched, occasion, at)
}

/** Its screen became, or stopped being, its only source. */
export function attend(one: Monitored, attention: Attention): void {
  if (one.watched.attention === attention) return
  const now = Date.now()
  const soon = attention === 'fresh' && { nextLookAt: now, freshLooks: 0 }
  one.watched = { ...one.watched, attention, reported: undefined, ...soon }
}

/** Its window has printed, and this program may be the one that did. */
export function printed(one: Monitored, pace: MonitorPace): void {
  const wasActive = noticeActivity(one)
  // If the program's own output is not visible, its window's output counts.
  if (wasActive === undefined) one.hasPrinted = true
  if (wasActive !== false) lookSoon(one, pace)
}

/** Brings the next look forward, unless the looks are frequent already. */
export function lookSoon(one: Monitored, pace: MonitorPace): void {
  const { attention, freshLooks } = one.watched
  if (attention === 'fresh' && freshLooks !== 0) occur(one, { kind: 'output' }, pace)
}

/** Whether it is active; undefined if that is not visible. */
export function noticeActivity(one: Monitored): boolean | undefined {
  const before = one.activity.written
  const isAsking = one.watched.sight?.shows === 'dialog'
  const wasActive = isActive(one.program.pid, one.activity, { isAsking })
  one.hasPrinted ||= before !== undefined && one.activity.written !== before
  return wasActive
}

/** Whether it may ask something or get an answer at any time. */
export function isClose({ program, watched }: Monitored): boolean {
  if (watched.attention !== 'fresh') return false
  const isYoung = Date.now() - program.foundAt < CLOSE_WATCH_MS
  return watched.sight?.shows === 'dialog' || (program.adapter !== undefined && isYoung)
}

export function reportsVisibleAt({ pendingReports }: Monitored): number {
  return pendingReports ? visibleAt(pendingReports) : Number.POSITIVE_INFINITY
}

/** After an occasion the look waits only briefly, and the same goes for a program without visible activity. */
export function latestLookAt({ watched, activity }: Monitored): number {
  const { nextLookAt, lookedAt, dispatchedAt = 0, freshLooks } = watched
  if (lookedAt === undefined) return nextLookAt
  const isActivitySeen = activity.written !== undefined
  if (freshLooks === 0 || (freshLooks !== undefined && !isActivitySeen)) {
    return Math.ceil(nextLookAt / SOON_STEP_MS) * SOON_STEP_MS
  }
  return nextLookAt + (nextLookAt - Math.max(lookedAt, dispatchedAt)) * SHARE_OF_PAUSE
}

export function monitoredView(
  { program, watched }: Monitored,
  session: Session | undefined,
): MonitoredPane {
  const { stall, sight, diagnosis, pacing, attention, lookedAt, nextLookAt, screen } = watched
  return {
    pane: program.pane,
    pid: program.pid,
    program: program.name,
    harness: session?.harness ?? program.adapter?.harness ?? null,
    session: session?.id ?? null,
    state: session?.verdict.state ?? null,
    attention,
    signal: pacing.signal,
    rule: sight?.rule ?? null,
    shows: sight?.shows ?? null,
    identical: stall.alike,
    stall: stall.stage,
    unchangedSince: stall.since ?? null,
    diagnosis: diagnosis ? { kind: diagnosis.kind, sentence: diagnosis.sentence } : null,
    lookedAt: lookedAt ?? null,
    nextLookAt,
    title: screen?.title || null,
  }
}
