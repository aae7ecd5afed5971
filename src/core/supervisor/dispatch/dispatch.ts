import { redacted } from '../../redact/redaction.ts'
import { NO_TRIAGE, type TriageMemory } from '../triage.ts'

/** A task given to an agent of its own, and its progress. It is stored before anything is done. */
export type Dispatch = TriageMemory & {
  id: string
  name: string
  workspaceId: string
  /** `<workspace>/<name>`. */
  agentId: string
  runtimeId: string
  /** The last conversation of its runtime; it outlives the runtime. */
  sessionId: string | undefined
  harness: string
  cwd: string
  /** The agent that gets the result. */
  reviewer: string | undefined
  /** The task as it is typed, except for its mark. Once the dispatch has ended, without its secrets. */
  prompt: string
  by: string
  state: DispatchState
  stateAt: number
  startedAt: number
  endedAt: number | undefined
  /** When its composer was first seen. */
  composerAt: number | undefined
  triggerId: string | undefined
  /** When we saw that the task was taken. */
  validatedAt: number | undefined
  /** Since when its turn appears to have ended. */
  idleAt: number | undefined
  /** Since when nobody can see what it does. */
  blindAt: number | undefined
  /** Why it waits, failed, or was stopped, in a sentence. */
  why: string | undefined
  /** What the operator reads about it, unless another item in the queue says so. */
  escalated: string | undefined
  /** Its last words. */
  result: string | undefined
  reviewTriggerId: string | undefined
  /** The reviewer's last words. */
  review: string | undefined
  /** The last screen that was saved, without secrets. */
  screen: { at: number; text: string } | undefined
}

/**
 * - `launching`   the program was started and shows no composer yet.
 * - `validating`  the task is being delivered. `working`: it was taken.
 * - `waiting`     it needs somebody: a permission, a question, an interruption.
 * - `reviewing`   it has finished, and its reviewer is at work.
 * - `done`, `failed`, `stopped`: the end.
 */
export type DispatchState = (typeof DISPATCH_STATES)[number]

export const DISPATCH_STATES = [
  'launching',
  'validating',
  'working',
  'waiting',
  'reviewing',
  'done',
  'failed',
  'stopped',
] as const

export type DispatchRequest = Pick<
  Dispatch,
  'id' | 'name' | 'workspaceId' | 'runtimeId' | 'harness' | 'cwd' | 'reviewer' | 'prompt' | 'by'
>

export function newDispatch(request: DispatchRequest, now: number): Dispatch {
  return {
    ...request,
    agentId: `${request.workspaceId}/${request.name}`,
    sessionId: undefined,
    state: 'launching',
    stateAt: now,
    startedAt: now,
    endedAt: undefined,
    composerAt: undefined,
    triggerId: undefined,
    validatedAt: undefined,
    idleAt: undefined,
    blindAt: undefined,
    why: undefined,
    escalated: undefined,
    ...NO_TRIAGE,
    result: undefined,
    reviewTriggerId: undefined,
    review: undefined,
    screen: undefined,
  }
}

export function isOver({ state }: Pick<Dispatch, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'stopped'
}

/** The dispatch as it is stored. Once it has ended, nobody gets its task again, so its secrets are removed. */
export function keptDispatch(dispatch: Dispatch): Dispatch {
  const prompt = isOver(dispatch) ? redacted(dispatch.prompt) : dispatch.prompt
  return prompt === dispatch.prompt ? dispatch : { ...dispatch, prompt }
}

/** Enters that state now, unless it is already in it. */
export function withState(dispatch: Dispatch, state: DispatchState, now: number): Dispatch {
  if (dispatch.state === state) return dispatch
  return { ...dispatch, state, stateAt: now, ...(isOver({ state }) && { endedAt: now }) }
}

export type DispatchEnd = { state: 'done' | 'failed' | 'stopped'; why?: string | undefined }

/** Nobody has to do anything about it any more. */
export function endedDispatch(
  dispatch: Dispatch,
  { state, why }: DispatchEnd,
  now: number,
): Dispatch {
  return { ...withState(dispatch, state, now), why, escalated: undefined, idleAt: undefined }
}

/** Its last words are its result; its reviewer, if it has one, comes next. */
export function finishedDispatch(
  dispatch: Dispatch,
  result: string | undefined,
  now: number,
): Dispatch {
  const finished = { ...dispatch, result: result ?? dispatch.result }
  if (dispatch.reviewer === undefined) return endedDispatch(finished, { state: 'done' }, now)
  const quiet = { why: undefined, escalated: undefined, idleAt: undefined, blindAt: undefined }
  return { ...withState(finished, 'reviewing', now), ...quiet }
}

/** The reason of the trigger that carries the task to its agent; the reviewer's trigger has `reviewReason`. */
export const DISPATCH_REASON = 'dispatch'

export function reviewReason({ id }: Pick<Dispatch, 'id'>): string {
  return `review:${id}`
}
