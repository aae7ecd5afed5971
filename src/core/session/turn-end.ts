import type { AgentEvent } from './event.ts'
import type { Evidence, Stop } from './evidence.ts'
import { hasQueuedPrompt, isReportedByHooks } from './prompt-evidence.ts'

/** What is known about the end of a turn, the latest by a hook and by anyone; times are epoch ms. */
export type TurnEnd = {
  byHook: Stop | undefined
  byAnyone: Stop | undefined
  /** The latest end left something running: a subagent, whose own end begins another turn. */
  leftTasks: boolean
  /** A prompt that was typed meanwhile begins another turn. */
  isPromptQueued: boolean
  /** Hooks report this turn. An idle that they do not report is mostly an interrupt. */
  isReportedByHooks: boolean
}

/**
 * Between two turns the status is idle for some 25 ms, on a busy machine for 150 and more. A queued
 * prompt, and the result of a subagent that has ended, begin a turn that is waited for.
 */
const SETTLE_MS = { known: 150, interrupted: 250, unknown: 500, turnFollows: 2_000, lookAgain: 50 }
/** How long before the status the end of the turn may be reported. */
const REPORTED_BEFORE_MS = 1_000

/** `toWall` turns a time of the admission clock into epoch ms. */
export function turnEndOf(evidence: Evidence, toWall: (at: number) => number): TurnEnd {
  const stops = Object.values(evidence.stops).toSorted((a, b) => b.at - a.at)
  // A stop from before the last work ended the turn before this one.
  const onWall = (stop: Stop | undefined) =>
    stop && stop.at > (evidence.busyAt ?? 0) ? { ...stop, at: toWall(stop.at) } : undefined
  return {
    byHook: onWall(evidence.stops.hook),
    byAnyone: onWall(stops[0]),
    leftTasks: stops[0]?.note !== undefined,
    isPromptQueued: hasQueuedPrompt(evidence),
    isReportedByHooks: isReportedByHooks(evidence),
  }
}

/** How long an idle that follows work must last yet before it counts. */
export function settlingMs(idle: AgentEvent, end: TurnEnd, now: number): number {
  const age = now - idle.at
  if (age < 0) return 0
  // A turn that ends while a subagent runs is not followed by an idle; the end of the subagent is.
  const subagentRan = end.leftTasks && idle.note === undefined
  const turnFollows = end.isPromptQueued || subagentRan
  if (turnFollows) return age >= SETTLE_MS.turnFollows ? 0 : SETTLE_MS.lookAgain
  if (isSameStop(end.byHook, idle)) return 0
  if (age < SETTLE_MS.known) return SETTLE_MS.known - age
  const limit = end.isReportedByHooks ? SETTLE_MS.interrupted : SETTLE_MS.unknown
  return isSameStop(end.byAnyone, idle) || age >= limit ? 0 : SETTLE_MS.lookAgain
}

/** A hook reports the end before it is published. */
function isSameStop(stop: Stop | undefined, idle: AgentEvent): boolean {
  return stop !== undefined && stop.at > idle.at - REPORTED_BEFORE_MS
}
