import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import type { TriagePolicy } from '../policy.ts'
import { failureSentence } from '../runtime/failure-code.ts'
import { isWanted } from '../runtime/runtime.ts'
import { dialogTriage, hungTriage, type TriageOutcome } from '../triage.ts'
import { earliestWrite, type TriggerIn } from '../trigger/trigger.ts'
import { type Dispatch, endedDispatch, finishedDispatch, isOver, withState } from './dispatch.ts'
import type { DispatchObservation, TurnEnding } from './dispatch-observation.ts'

/** The dispatch to store, and what to do once it is stored. */
export type DispatchOutcome = { dispatch: Dispatch; act: DispatchAction }

export type DispatchAction =
  | { kind: 'none' }
  | { kind: 'start' }
  /** Sends its task. */
  | { kind: 'send' }
  | { kind: 'press'; key: 'Enter'; as: 'nudge' | 'approve' }
  | { kind: 'review' }

type DispatchStep = {
  dispatch: Dispatch
  observed: DispatchObservation
  now: number
  policy: TriagePolicy
  rules: Pick<SupervisorRules, 'dispatch' | 'triage'>
}

/**
 * The whole life of a dispatch: launched, validated, watched, finished, reviewed. It looks at its own agent until
 * that one has finished, and at the reviewer from then on.
 */
export function dispatchStep(
  dispatch: Dispatch,
  observed: DispatchObservation,
  now: number,
  { policy, rules = DEFAULT_RULES }: Pick<DispatchStep, 'policy'> & Partial<DispatchStep>,
): DispatchOutcome {
  const step: DispatchStep = { dispatch, observed, now, policy, rules }
  if (isOver(dispatch)) return stays(dispatch)
  if (dispatch.state === 'reviewing') return reviewStep(step)
  return lossOf(step) ?? deliveryOf(step) ?? turnOf(step)
}

/** What became of its runtime: it may not run yet, or no longer. */
function lossOf(step: DispatchStep): DispatchOutcome | undefined {
  const { dispatch, observed, now } = step
  const { runtime } = observed
  if (!runtime) return ends(step, 'failed', 'Its runtime was deregistered.')
  if (runtime.status === 'stopping') return ends(step, 'stopped', 'Its runtime was stopped.')
  if (runtime.status === 'given-up') {
    return ends(step, 'failed', 'Its runtime has failed for good.')
  }
  if (runtime.status !== 'stopped') return undefined
  if (runtime.startedAt === undefined) return { dispatch, act: { kind: 'start' } }
  if (dispatch.validatedAt === undefined && observed.trigger?.state !== 'delivered') {
    return ends(step, 'failed', 'Its program ended before it took the task.')
  }
  return finished(finishedDispatch(dispatch, observed.lastWords, now))
}

/** Until the agent has the task. Retries are the delivery's own business. */
function deliveryOf(step: DispatchStep): DispatchOutcome | undefined {
  const { dispatch, observed, now } = step
  const { trigger } = observed
  if (dispatch.validatedAt !== undefined) return undefined
  if (!trigger) {
    if (dispatch.triggerId === undefined) return { dispatch, act: { kind: 'send' } }
    return ends(step, 'failed', 'What became of its task is not known any more.')
  }
  const named = { ...dispatch, triggerId: trigger.id }
  switch (trigger.state) {
    case 'delivered': {
      const validated = { ...named, validatedAt: now, why: undefined, escalated: undefined }
      return stays(withState(validated, 'working', now))
    }
    case 'failed':
      return ends(step, 'failed', `The task did not arrive.${undelivered(step, trigger)}`)
    case 'cancelled':
      return ends(step, 'stopped', 'The task was taken back before it arrived.')
    default:
      return stays(underway({ ...step, dispatch: named }))
  }
}

/** A trigger only knows that it waited too long. Only the dispatch knows whether there was ever a place to type. */
function undelivered(
  { dispatch, observed: { composer } }: DispatchStep,
  { code, write }: TriggerIn<'failed'>,
): string {
  const wasSeen = dispatch.composerAt !== undefined || write || isReady(composer)
  if (code === 'DEFER_TIMEOUT' && !wasSeen) {
    return ` No place to type was ever seen there.${seenIn(composer)}`
  }
  return ` ${failureSentence(code)}`
}

/** Asks the operator if nothing is being tried and the queue does not list it. */
function underway({ dispatch, observed, now, rules }: DispatchStep): Dispatch {
  const { composer, trigger, isListed } = observed
  const composerAt = dispatch.composerAt ?? (isReady(composer) ? now : undefined)
  const moved = withState(
    { ...dispatch, composerAt },
    composerAt === undefined ? 'launching' : 'validating',
    now,
  )
  const { launchMs, validateMs } = rules.dispatch
  const untriedAt = untriedSince(trigger)
  const isLate =
    composerAt === undefined
      ? now - dispatch.startedAt >= launchMs
      : untriedAt !== undefined && now - Math.max(composerAt, untriedAt) >= validateMs
  if (!isLate) return { ...moved, why: undefined, escalated: undefined }
  const seen = seenIn(composer)
  const why =
    composerAt === undefined
      ? `It shows no place to type after ${seconds(launchMs)}.${seen}`
      : `The task cannot be given to it: nothing may be typed there.${seen}`
  return { ...moved, why, escalated: isListed ? undefined : why }
}

/** Since when nothing is being tried: nothing may be typed, and nothing may be ended. */
function untriedSince(trigger: DispatchObservation['trigger']): number | undefined {
  if (trigger?.state === 'queued') return trigger.createdAt
  if (trigger?.state !== 'fallback') return undefined
  const { since, launchedAt, stoppedAt, goneAt } = trigger.fallback
  return (launchedAt ?? stoppedAt ?? goneAt) === undefined ? since : undefined
}

function isReady(composer: DispatchObservation['composer']): boolean {
  return composer !== undefined && composer.kind !== 'none'
}

function seenIn(composer: DispatchObservation['composer']): string {
  if (composer?.kind === 'none') return ` What is seen: ${composer.why}.`
  return composer?.kind === 'text' ? ' What is seen: words stand in its composer.' : ''
}

/** It has the task: it works, waits, has finished, or cannot be seen. */
function turnOf(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed } = step
  const { verdict, diagnosis } = observed
  const isAsking = verdict?.state === 'stuck' && verdict.reason === 'permission'
  const dialog = isAsking ? dispatch.dialog : undefined
  const seen = { ...step, dispatch: { ...dispatch, dialog, blindAt: undefined } }
  switch (verdict?.state) {
    case 'stuck':
      return isAsking ? dialogOf(seen) : stopOf(seen)
    case 'working':
      return diagnosis === 'hung' ? hungOf(seen) : works(seen)
    default:
      return blindOf(step)
  }
}

/**
 * We cannot see what it does. A restarted program does not continue by itself, so it counts as waiting as soon as
 * it is idle at its composer.
 */
function blindOf(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed, now, rules } = step
  const { launchMs, settleMs } = rules.dispatch
  const restartedAt = restartedSince(step)
  const blindAt = dispatch.blindAt ?? now
  const isAtRest = restartedAt !== undefined && observed.composer?.kind === 'empty'
  const idleAt = isAtRest ? Math.max(dispatch.idleAt ?? now, restartedAt) : undefined
  const blind = { ...step, dispatch: { ...dispatch, blindAt, idleAt } }
  const hasSettled = dispatch.state === 'waiting' || now - (idleAt ?? now) >= settleMs
  if (isAtRest && hasSettled) return waits(blind, STARTED_AGAIN)
  return !isAtRest && now - blindAt >= launchMs ? waits(blind, UNSEEN) : stays(blind.dispatch)
}

const STARTED_AGAIN = 'It was started again in the middle of its task, and waits for a word.'
const UNSEEN = 'What it does cannot be seen. It may have been started again, and wait for a word.'

/** When its program was last started, if that was after it took the task. */
function restartedSince({ dispatch, observed }: DispatchStep): number | undefined {
  const { startedAt } = observed.runtime ?? {}
  const { validatedAt } = dispatch
  if (startedAt === undefined || validatedAt === undefined) return undefined
  return startedAt > validatedAt ? startedAt : undefined
}

function works({ dispatch, now }: DispatchStep): DispatchOutcome {
  const pressed = dispatch.pressed && { ...dispatch.pressed, hadEffect: true }
  const busy = { ...dispatch, pressed, idleAt: undefined, why: undefined, escalated: undefined }
  return stays(withState(busy, 'working', now))
}

/**
 * Its turn has ended if it is this one, the agent said something, and its composer has been free for long enough
 * to be sure.
 */
function stopOf(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed, now, rules } = step
  const { verdict, composer, ending, diagnosis } = observed
  if (verdict?.state !== 'stuck' || verdict.since < sentAt(observed)) return works(step)
  if (verdict.by === 'process') return waits(step, 'It is suspended.')
  if (diagnosis === 'hung') return hungOf(step)
  if (ending !== 'said') return waits(step, ENDINGS[ending])
  if (!isReady(composer)) return stays({ ...dispatch, idleAt: undefined })
  const idleAt = dispatch.idleAt ?? now
  if (now - idleAt < rules.dispatch.settleMs) return stays({ ...dispatch, idleAt })
  return finished(finishedDispatch(dispatch, observed.lastWords, now))
}

/** Answers a dialog if the policy allows it; otherwise the operator does. */
function dialogOf(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed, now } = step
  const outcome = dialogTriage(dispatch, observed, now, step)
  const why = observed.dialog === 'yes' ? 'It asks for permission.' : 'It asks for something.'
  return triaged(step, outcome, why)
}

function hungOf(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed, now } = step
  const why = 'It hangs: nothing moves, and nothing of it uses the CPU.'
  return triaged(step, hungTriage(dispatch, observed, now, step), why)
}

function triaged(step: DispatchStep, { memory, act }: TriageOutcome, why: string): DispatchOutcome {
  const dispatch = { ...step.dispatch, dialog: memory.dialog, pressed: memory.pressed }
  if (act.kind === 'escalate') return waits({ ...step, dispatch }, why)
  if (act.kind === 'wait') return stays(dispatch)
  return { dispatch: { ...dispatch, idleAt: undefined }, act }
}

/** The reviewer's turn counts like the agent's own; but whatever happens to it, the work is done. */
function reviewStep(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed, now, rules } = step
  const { runtime, trigger, verdict, composer, ending, lastWords } = observed
  const done = (why?: string) => stays(endedDispatch(dispatch, { state: 'done', why }, now))
  if (!trigger) {
    if (dispatch.reviewTriggerId === undefined) return { dispatch, act: { kind: 'review' } }
    return done('What became of its review is not known any more.')
  }
  const named = { ...dispatch, reviewTriggerId: trigger.id }
  if (trigger.state === 'failed' || trigger.state === 'cancelled') {
    return done('Its reviewer got no message.')
  }
  if (!runtime || !isWanted(runtime)) {
    return done('Its reviewer ended before it had said anything.')
  }
  const hasSpoken =
    trigger.state === 'delivered' &&
    verdict?.state === 'stuck' &&
    verdict.reason === 'stopped' &&
    verdict.since >= sentAt(observed) &&
    (ending === 'said' || ending === 'asked')
  const why = hasSpoken ? undefined : reviewersWait(step)
  if (!hasSpoken || !isReady(composer)) return stays({ ...named, idleAt: undefined, why })
  const idleAt = dispatch.idleAt ?? now
  if (now - idleAt < rules.dispatch.settleMs) return stays({ ...named, idleAt })
  return stays(endedDispatch({ ...named, review: lastWords }, { state: 'done' }, now))
}

/** What keeps the reviewer from its review. The reviewer is in the queue itself, and the dispatch says why. */
function reviewersWait({ observed }: DispatchStep): string | undefined {
  const { trigger, verdict, ending } = observed
  if (trigger?.state !== 'delivered' || verdict?.state !== 'stuck') return undefined
  if (verdict.since < sentAt(observed)) return undefined
  if (verdict.reason === 'permission') return 'Its reviewer waits: it asks for something.'
  if (ending === 'said' || ending === 'asked') return undefined
  return `Its reviewer waits: ${ENDINGS[ending].replace(/^It /, 'it ')}`
}

const ENDINGS: Record<Exclude<TurnEnding, 'said'>, string> = {
  asked: 'It asks a question.',
  interrupted: 'It was interrupted.',
  failed: 'Its model could not be reached.',
  'left-tasks': 'Something that it started still runs in the background.',
}

/** Nothing before this can be an answer to what it was sent. */
function sentAt({ trigger }: DispatchObservation): number {
  return trigger ? earliestWrite(trigger) : 0
}

/** Waits for the operator. What the queue already lists is not listed twice. */
function waits({ dispatch, observed, now }: DispatchStep, why: string): DispatchOutcome {
  const waiting = { ...dispatch, idleAt: undefined, why }
  const escalated = observed.isListed ? undefined : why
  return stays({ ...withState(waiting, 'waiting', now), escalated })
}

function ends({ dispatch, now }: DispatchStep, state: 'failed' | 'stopped', why: string) {
  return stays(endedDispatch(dispatch, { state, why }, now))
}

function finished(dispatch: Dispatch): DispatchOutcome {
  return dispatch.state === 'reviewing' ? { dispatch, act: { kind: 'review' } } : stays(dispatch)
}

function stays(dispatch: Dispatch): DispatchOutcome {
  return { dispatch, act: { kind: 'none' } }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
