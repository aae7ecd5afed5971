import { type AgentEvent, hasOwnMark, type Reason } from './event.ts'
import type { Evidence } from './evidence.ts'
import type { Item } from './queue.ts'
import type { Session } from './session.ts'
import type { Verdict } from './verdict.ts'

/**
 * How an episode ended:
 * - `answered`  its operator answered, prompted it, or brought it back;
 * - `dismissed` its operator decided that it needs nothing, whatever became of it later;
 * - `settled`   it continued without its operator: a background task reported, a stall passed, a prompt of ours arrived;
 * - `ended`     session, pane or process disappeared while it was stuck.
 */
export type Outcome = (typeof OUTCOMES)[number]

export const OUTCOMES = ['answered', 'dismissed', 'settled', 'ended'] as const

export type ClosedEpisode = { item: Item; reason: Reason; outcome: Outcome }

/** The last episode of a session that continues: several events may report what lifted it. */
export type LiftedEpisode = {
  episode: number
  /** When the event that lifted it happened. */
  at: number
  outcome: Outcome
  /** A prompt of ours lifted it, whoever else reports the same prompt. */
  isOurs: boolean
}

/** Hook, transcript and plugin report the same prompt within this time. */
const SAME_PROMPT_MS = 3_000

/** `event`: what lifted it, if that was an event. */
export function outcomeOf(
  { verdict, evidence }: Session,
  after: Verdict,
  event: AgentEvent | undefined,
): Outcome {
  if (after.state === 'ended') return 'ended'
  // It is still stuck, and turned out not to be the operator's to answer.
  if (after.state === 'stuck') return 'settled'
  if (isOwnPrompt(event)) return 'settled'
  if (event?.prompt) return 'answered'
  if (verdict.state === 'stuck' && verdict.by !== 'process') {
    if (verdict.label === 'stalled') return 'settled'
    // A dialog goes away when it is answered.
    if (verdict.reason === 'permission') return 'answered'
  }
  return wentOnByItself(evidence, event) ? 'settled' : 'answered'
}

/** What a later event says about the same prompt: undefined if nothing changes. */
export function revisedOutcome(
  { at, outcome, isOurs }: LiftedEpisode,
  event: AgentEvent,
): Outcome | undefined {
  if (isOurs || outcome === 'dismissed') return undefined
  if (Math.abs(event.at - at) > SAME_PROMPT_MS) return undefined
  const known = isOwnPrompt(event) ? 'settled' : event.prompt ? 'answered' : outcome
  return known === outcome ? undefined : known
}

/** A prompt of the supervisor's, not of the operator's. */
export function isOwnPrompt(event: AgentEvent | undefined): boolean {
  return hasOwnMark(event?.marks)
}

/**
 * After a turn has ended, a prompt begins the next one. Without one, a sign of life comes from the agent
 * itself, and so does work if a background task was left. Otherwise only the harness or the screen shows it,
 * and somebody typed there.
 */
function wentOnByItself({ stops, status }: Evidence, event: AgentEvent | undefined): boolean {
  if (!event) return false
  if (event.kind === 'seen' || event.block !== undefined) return true
  const [latest] = Object.values(stops).toSorted((a, b) => b.at - a.at)
  return latest?.note !== undefined || status?.note !== undefined
}
