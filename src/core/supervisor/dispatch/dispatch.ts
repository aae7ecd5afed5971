/** A task that was given to an agent of its own, and how far that has come. It is stored before anything is done. */
export type Dispatch = {
  id: string
  name: string
  workspaceId: string
  /** `<workspace>/<name>`. */
  agentId: string
  runtimeId: string
  /** The conversation that its runtime had last: it outlives the runtime. */
  sessionId: string | undefined
  harness: string
  cwd: string
  /** The agent that gets the result. */
  reviewer: string | undefined
  /** The task, as it is typed but for its mark. */
  prompt: string
  by: string
  state: DispatchState
  stateAt: number
  startedAt: number
  endedAt: number | undefined
  /** When its composer was first seen. */
  composerAt: number | undefined
  triggerId: string | undefined
  /** When it was seen that the task was taken. */
  validatedAt: number | undefined
  /** Since when its turn has ended, as far as can be seen. */
  idleAt: number | undefined
  /** Since when nobody can tell what it does. */
  blindAt: number | undefined
  /** Why it waits, failed, or was stopped, in a sentence. */
  why: string | undefined
  /** What the operator reads about it, unless another item in the queue says so. */
  escalated: string | undefined
  /** The dialog that is to be answered once it has stood for long enough. */
  dialog: { screen: string; since: number } | undefined
  /** The last key that was pressed by policy, how often on the same screen, and whether it went to work after it. */
  pressed: { at: number; times: number; screen: string; hadEffect: boolean } | undefined
  /** Its last words. */
  result: string | undefined
  reviewTriggerId: string | undefined
  /** The reviewer's last words. */
  review: string | undefined
  /** The last of its screen that was kept, without secrets. */
  screen: { at: number; text: string } | undefined
}

/**
 * - `launching`   the program is started and shows no composer yet.
 * - `validating`  the task is on its way into it. `working`: it was taken.
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
    dialog: undefined,
    pressed: undefined,
    result: undefined,
    reviewTriggerId: undefined,
    review: undefined,
    screen: undefined,
  }
}

export function isOver({ state }: Pick<Dispatch, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'stopped'
}

/** In that state from now on, unless it is already. */
export function withState(dispatch: Dispatch, state: DispatchState, now: number): Dispatch {
  if (dispatch.state === state) return dispatch
  return { ...dispatch, state, stateAt: now, ...(isOver({ state }) && { endedAt: now }) }
}

export type DispatchEnd = { state: 'done' | 'failed' | 'stopped'; why?: string | undefined }

/** Nothing of it is asked of anybody any more. */
export function endedDispatch(
  dispatch: Dispatch,
  { state, why }: DispatchEnd,
  now: number,
): Dispatch {
  return { ...withState(dispatch, state, now), why, escalated: undefined, idleAt: undefined }
}

/** What it said last is its result; whoever reviews it comes next. */
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

/** The instructions for the agent that works on it; the reviewer gets the same kind. */
export const DISPATCH_REASON = 'dispatch'

export function reviewReason({ id }: Pick<Dispatch, 'id'>): string {
  return `review:${id}`
}
