import { compareLooks, type Likeness } from '../screen/likeness.ts'
import type { Screen } from '../screen/screen.ts'
import type { Sight } from '../screen/screen-match.ts'
import { type Signal, type SignalRule, signalOf } from '../screen/signals.ts'
import { type Diagnosis, diagnose, isOver, type TriageFacts } from './diagnosis.ts'
import { freshMs, intervalMs, type MonitorPace, nextPacing } from './interval.ts'
import { blindReport, lastLines, type MonitorReport, type NamedReport, reportOf } from './report.ts'
import { isMotionless, nextStall } from './stall.ts'
import type { Watched } from './watched.ts'

/** One capture of one pane, and what the rules say about it; undefined if no rule knows the screen. */
export type Look = { screen: Screen; sight: Sight | undefined }

export type MonitorStep = {
  watched: Watched
  /** Undefined: the pane could not be captured, which says nothing about the program. */
  look: Look | undefined
  /** Required when `wantsFacts` says so, welcome at any time. */
  facts?: TriageFacts | undefined
  now: number
  /** Used for the signal if the sight has none. */
  signalRules: readonly SignalRule[]
  /** From 0 up to 1. */
  random: number
  pace: MonitorPace
}

/** After a look: what we remember, when the next one is due, and what to report, if anything. */
export function monitorStep(step: MonitorStep): {
  watched: Watched
  report: MonitorReport | undefined
} {
  const now = Math.max(step.now, step.watched.lookedAt ?? step.now)
  const { watched, named } = step.look
    ? afterLook({ ...step, now, look: sureLook(step.look, step.watched) })
    : afterBlindLook({ ...step, now })
  if (!named) return { watched, report: undefined }
  return { watched: { ...watched, reported: named.name }, report: named.report }
}

/** Whether the next look also needs triage: CPU is measured from one look to the next. */
export function wantsFacts({ stall, sight }: Watched): boolean {
  return sight?.shows === 'finished' || (stall.alike > 0 && !isWaiting(sight))
}

type SeenStep = MonitorStep & { look: Look }
type Outcome = { watched: Watched; named: NamedReport | undefined }

/** A screen that looks the same at the start says nothing about a program that we never saw working. */
function sureLook(look: Look, { hasWorked }: Watched): Look {
  return look.sight?.isAlsoAtStart && !hasWorked ? { ...look, sight: undefined } : look
}

/** A dialog may be part of its start. */
function isSignOfWork(sight: Sight | undefined): boolean {
  return sight !== undefined && sight.shows !== 'dialog' && sight.shows !== 'finished'
}

function afterLook(step: SeenStep): Outcome {
  const { watched, look, now } = step
  const likeness = watched.screen && compareLooks(watched.screen, look.screen)
  const hasChanged = likeness === 'changed' || likeness === 'scrolled-far'
  const hasMoved = watched.hasMoved || likeness === 'spinning'
  const isCounted = likeness === undefined || hasChanged || now >= watched.dueAt
  const seen: Watched = {
    ...watched,
    lookedAt: now,
    screen: look.screen,
    sight: look.sight,
    hasWorked: watched.hasWorked || isSignOfWork(look.sight),
    sightLooks: isSameSight(watched, look.sight) ? watched.sightLooks + 1 : 1,
    hasMoved: isCounted ? false : hasMoved,
  }
  const counted = isCounted
    ? countedLook(
        seen,
        step,
        likeness && (hasChanged ? likeness : hasMoved ? 'spinning' : 'identical'),
      )
    : seen
  const diagnosis = diagnosisOf(counted, step)
  const stallLooks = diagnosis?.isStall ? counted.stallLooks + 1 : 0
  const diagnosed = { ...counted, diagnosis, stallLooks }
  const after = scheduled(diagnosed, step, likeness, isCounted)
  return { watched: after, named: reportOf(after, hasChanged) }
}

function countedLook(seen: Watched, step: SeenStep, likeness: Likeness | undefined): Watched {
  const isAlike = likeness === 'identical' || likeness === 'spinning'
  const signal = signalFor(seen, step, isAlike)
  return {
    ...seen,
    stall: nextStall(seen.stall, likeness, step.now),
    pacing: nextPacing(seen.pacing, signal, likeness),
  }
}

/** How many intervals a program may need to take a prompt: the first look and two more tries. */
const DISPATCH_INTERVALS = 3

function signalFor(
  { dispatchedAt, pacing }: Watched,
  { look, now, pace, signalRules }: SeenStep,
  isAlike: boolean,
): Signal {
  const { sight, screen } = look
  if (sight?.shows === 'dialog') return 'question'
  const untilMs = pace.intervalsMs.dispatched[1] * DISPATCH_INTERVALS
  const isDispatched = dispatchedAt !== undefined && now - dispatchedAt < untilMs
  if (isDispatched && sight?.shows !== 'working') return 'dispatched'
  if (sight?.signal) return sight.signal
  return isAlike && pacing.signal !== 'dispatched' ? pacing.signal : signalOf(screen, signalRules)
}

/** A diagnosis holds until the screen changes or newer facts arrive. */
function diagnosisOf(seen: Watched, { facts, now }: MonitorStep): Diagnosis | undefined {
  const { stall, screen, sight } = seen
  const isConfirmed = stall.stage === 'confirmed'
  if (!facts || !(isConfirmed || isOver(facts))) return isConfirmed ? seen.diagnosis : undefined
  return diagnose(facts, {
    shows: sight?.shows,
    lastLines: screen && isOver(facts) ? lastLines(screen) : [],
    isMotionless: isMotionless(stall),
    unchangedMs: now - (stall.since ?? now),
  })
}

function scheduled(
  seen: Watched,
  { watched, pace, now, random }: MonitorStep,
  likeness: Likeness | undefined,
  isCounted: boolean,
): Watched {
  const interval = intervalMs(pace, seen.pacing, isInTriage(seen), random)
  const dueAt = isCounted ? now + interval : watched.dueAt
  const isNews =
    likeness === undefined ||
    !isSameSight(watched, seen.sight) ||
    (seen.attention === 'fresh' && likeness !== 'identical')
  const looks = isNews ? 0 : seen.freshLooks === undefined ? undefined : seen.freshLooks + 1
  const fresh =
    looks === undefined ? interval : isUnconfirmed(seen) ? 0 : freshMs(pace, looks, random)
  const isFresh = looks !== undefined && fresh < interval
  const nextLookAt = Math.max(now + pace.leastMs, Math.min(dueAt, isFresh ? now + fresh : dueAt))
  return { ...seen, dueAt, nextLookAt, freshLooks: isFresh ? looks : undefined }
}

/** The screen no longer shows what we reported: after one more look, we report that too. */
function isUnconfirmed({ sight, sightLooks, reported }: Watched): boolean {
  return sight === undefined && sightLooks === 1 && reported !== undefined
}

/** Counts nothing. All it can report is that the program is gone. */
function afterBlindLook(step: MonitorStep): Outcome {
  const { watched, facts, now, pace, random } = step
  const interval = intervalMs(pace, watched.pacing, isInTriage(watched), random)
  const { freshLooks } = watched
  const pause = freshLooks === undefined ? interval : freshMs(pace, freshLooks, random)
  const dueAt = now + interval
  const nextLookAt = now + Math.min(interval, pause)
  const diagnosis = facts && isOver(facts) ? diagnosisOf(watched, step) : watched.diagnosis
  const after = { ...watched, lookedAt: now, dueAt, nextLookAt, diagnosis }
  return { watched: after, named: blindReport(after) }
}

/**
 * A confirmed stall gets more frequent looks, until it turns out to be none or this many looks have found
 * nothing new. By then it has been reported, and gets looks like anything else that is quiet.
 */
function isInTriage({ stall, sight, diagnosis, stallLooks }: Watched): boolean {
  if (stall.stage !== 'confirmed' || isWaiting(sight)) return false
  if (stallLooks > MOST_TRIAGE_LOOKS) return false
  return !diagnosis || diagnosis.isStall || diagnosis.kind === 'unobservable'
}

const MOST_TRIAGE_LOOKS = 3

function isWaiting(sight: Sight | undefined): boolean {
  return sight?.shows === 'dialog' || sight?.shows === 'idle' || sight?.shows === 'failed'
}

function isSameSight(watched: Watched, sight: Sight | undefined): boolean {
  return watched.sight?.rule === sight?.rule
}
