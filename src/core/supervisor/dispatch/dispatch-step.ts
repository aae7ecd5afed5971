import { DEFAULT_RULES, type SupervisorRules } from '../defaults.ts'
import { type TriagePolicy, triageAct } from '../policy.ts'
import { failureSentence } from '../runtime/failure-code.ts'
import { isWanted } from '../runtime/runtime.ts'
import { earliestWrite, type TriggerIn } from '../trigger/trigger.ts'
import { type Dispatch, endedDispatch, finishedDispatch, isOver, withState } from './dispatch.ts'
import type { DispatchObservation, TurnEnding } from './dispatch-observation.ts'

/** The dispatch as it is to be stored, and what is to be done once it is. */
export type DispatchOutcome = { dispatch: Dispatch; act: DispatchAction }

export type DispatchAction =
  | { kind: 'none' }
  | { kind: 'start' }
  /** Its task goes on its way. */
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
 * The whole life of a dispatch: launched, validated, watched, finished, reviewed. It looks at its own agent
 * until that has finished, and at the reviewer from then on.
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

/** What became of its runtime: it may not run yet, or not any more. */
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

/** Until it has the task. How that is tried again is the delivery's own business. */
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

/** A trigger only knows that it waited for too long: whether there was ever anything to wait for is known here. */
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

/** The operator is asked where nothing is being tried and nothing else would tell him. */
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

/** Since when nothing is being tried about it: nothing may be typed, and nothing be ended. */
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
 * Nobody can tell what it does. A program that was started again goes on with nothing by itself, so that
 * one is known to wait as soon as it rests at its composer.
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

/** Its turn has ended, if it is this one, it said something, and its composer is free for as long as it takes to be sure. */
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

/**
 * A dialog is answered only where the policy says so, and where what Enter would take is a yes. It has to
 * have stood there for a while: a program may pass over what is typed right after it drew one.
 */
function dialogOf(step: DispatchStep): DispatchOutcome {
  const { dispatch, observed, now, rules } = step
  const { screen } = observed
  const seen = { ...step, dispatch: { ...dispatch, dialog: undefined } }
  if (observed.dialog !== 'yes') return waits(seen, 'It asks for something.')
  const outcome = triaged(seen, 'dialog', 'It asks for permission.')
  if (outcome.act.kind !== 'press' || dispatch.pressed?.screen === screen) return outcome
  const since = dispatch.dialog?.screen === screen ? dispatch.dialog.since : now
  const hasSettled = now - since >= rules.dispatch.settleMs
  return hasSettled ? outcome : stays({ ...dispatch, dialog: { screen, since } })
}

function hungOf(step: DispatchStep): DispatchOutcome {
  return triaged(step, 'hung', 'It hangs: nothing moves, and nothing of it uses the CPU.')
}

function triaged(step: DispatchStep, diagnosis: 'dialog' | 'hung', why: string): DispatchOutcome {
  const { dispatch, observed, now, policy, rules } = step
  const { screen, isTouched } = observed
  const last = dispatch.pressed
  // Whatever its screen shows by now may still be what the last key was for, drawn a little differently.
  if (last && !last.hadEffect && now - last.at < rules.dispatch.recheckMs) return stays(dispatch)
  const attempts = last?.screen === screen ? last.times : 0
  const act = triageAct(policy, { diagnosis, attempts, isTouched }, rules.triage)
  if (act.kind !== 'press') return waits(step, why)
  const pressed = { at: now, times: attempts + 1, screen, hadEffect: false }
  return { dispatch: { ...dispatch, idleAt: undefined, pressed }, act }
}

/** The reviewer's turn counts like that of the agent itself; but whatever becomes of it, the work is done. */
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
  if (!hasSpoken || !isReady(composer)) return stays({ ...named, idleAt: undefined })
  const idleAt = dispatch.idleAt ?? now
  if (now - idleAt < rules.dispatch.settleMs) return stays({ ...named, idleAt })
  return stays(endedDispatch({ ...named, review: lastWords }, { state: 'done' }, now))
}

const ENDINGS: Record<Exclude<TurnEnding, 'said'>, string> = {
  asked: 'It asks a question.',
  interrupted: 'It was interrupted.',
  failed: 'Its model could not be reached.',
  'left-tasks': 'Something that it started still runs in the background.',
}

/** Before that nothing of it can have been the answer to what it was sent. */
function sentAt({ trigger }: DispatchObservation): number {
  return trigger ? earliestWrite(trigger) : 0
}

/** The operator's turn. What the queue lists by itself is not listed twice. */
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
