import type { AgentEvent } from './event.ts'
import type { Evidence, Stop } from './evidence.ts'
import { hasQueuedPrompt, isReportedByHooks } from './prompt-evidence.ts'
import type { Verdict } from './verdict.ts'
import { labelOf } from './wait-label.ts'

/** What we know about the end of a turn, the latest from a hook and from anyone; times are epoch ms. */
export type TurnEnd = {
  byHook: Stop | undefined
  byAnyone: Stop | undefined
  /** The latest end left something running: a subagent, whose own end begins another turn. */
  leftTasks: boolean
  /** A prompt typed in the meantime begins another turn. */
  isPromptQueued: boolean
  /** Hooks report this turn. An idle that they do not report is usually an interrupt. */
  isReportedByHooks: boolean
}

/**
 * Between two turns the status is idle for about 25 ms, on a busy machine for 150 and more. A queued prompt, or
 * the result of a subagent that has ended, begins a turn that we wait for.
 */
const SETTLE_MS = { known: 150, interrupted: 250, unknown: 500, turnFollows: 2_000, lookAgain: 50 }
/** How long before the status the end of the turn may be reported. */
const REPORTED_BEFORE_MS = 1_000

/** `toWall` turns a time of the admission clock into epoch ms. */
export function turnEndOf(evidence: Evidence, toWall: (at: number) => number): TurnEnd {
  const stops = Object.values(evidence.stops).toSorted((a, b) => b.at - a.at)
  // A stop from before the last work ended the previous turn.
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

/** Whether an agent's last words ask the operator something. */
export function endsWithQuestion(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  return /\?["'”’)\]*_`]{0,4}$/.test(last.trimEnd())
}

/** How much longer an idle after work must last before it counts. */
export function settlingMs(idle: AgentEvent, end: TurnEnd, now: number): number {
  const age = now - idle.at
  if (age < 0) return 0
  // The end of a turn does not cause an idle while a subagent runs; the end of the subagent does.
  const subagentRan = end.leftTasks && idle.note === undefined
  const turnFollows = end.isPromptQueued || subagentRan
  if (turnFollows) return age >= SETTLE_MS.turnFollows ? 0 : SETTLE_MS.lookAgain
  if (isSameStop(end.byHook, idle)) return 0
  if (age < SETTLE_MS.known) return SETTLE_MS.known - age
  const limit = end.isReportedByHooks ? SETTLE_MS.interrupted : SETTLE_MS.unknown
  return isSameStop(end.byAnyone, idle) || age >= limit ? 0 : SETTLE_MS.lookAgain
}

/** A hook reports the end before the harness publishes it. */
function isSameStop(stop: Stop | undefined, idle: AgentEvent): boolean {
  return stop !== undefined && stop.at > idle.at - REPORTED_BEFORE_MS
}

/**
 * Whether it has finished what a prompt of ours asked: that is for whoever sent the prompt to follow up, and not
 * the operator's to answer. A question, an error or an interruption is, and so is all that follows a prompt of the
 * operator's own.
 */
export function hasFinishedOurPrompt(evidence: Evidence, verdict: Verdict): boolean {
  const { ownPromptAt, otherPromptAt = 0 } = evidence
  if (ownPromptAt === undefined || ownPromptAt < otherPromptAt) return false
  if (verdict.state !== 'stuck' || verdict.reason !== 'stopped') return false
  return labelOf(verdict) === 'finished' && !endsWithQuestion(verdict.ask.text.replace(NOTE, ''))
}

/** What is said after the ask, in brackets. */
const NOTE = /\n\n\([^()]*\)$/
