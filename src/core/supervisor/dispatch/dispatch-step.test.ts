import { describe, expect, test } from 'vitest'
import { triggerIn } from '../../../../test/support/supervisor/trigger-in.ts'
import type { Verdict } from '../../session/verdict.ts'
import { DEFAULT_RULES } from '../defaults.ts'
import type { TriagePolicy } from '../policy.ts'
import type { Fallback, TriggerIn } from '../trigger/trigger.ts'
import { type Dispatch, newDispatch } from './dispatch.ts'
import type { DispatchObservation } from './dispatch-observation.ts'
import { dispatchStep } from './dispatch-step.ts'

const T0 = 1_000_000
const { launchMs, validateMs, settleMs, recheckMs } = DEFAULT_RULES.dispatch

function dispatch(changes: Partial<Dispatch> = {}): Dispatch {
  const told = { id: 'dsp_1', name: 'fence', workspaceId: 'ranch', runtimeId: 'rt_1' }
  const rest = { harness: 'h', cwd: '/ranch', reviewer: undefined, prompt: 'Mend it.', by: 'op' }
  return { ...newDispatch({ ...told, ...rest }, T0), ...changes }
}

const working = (changes: Partial<Dispatch> = {}) =>
  dispatch({ state: 'working', triggerId: 'trg_1', validatedAt: T0 + 10, ...changes })

const RUNS = { status: 'ready', startedAt: T0 } as const
const QUEUED = triggerIn('queued', { createdAt: T0 })
const deliveredAt = (claimedAt: number, changes: Partial<TriggerIn<'delivered'>> = {}) =>
  triggerIn('delivered', QUEUED, { ...changes, write: { claimedAt }, fallback: undefined })
const DELIVERED = deliveredAt(T0 + 5)

function observed(changes: Partial<DispatchObservation> = {}): DispatchObservation {
  return {
    runtime: RUNS,
    trigger: DELIVERED,
    verdict: undefined,
    ending: 'said',
    lastWords: 'All mended.',
    composer: { kind: 'empty' },
    dialog: 'none',
    diagnosis: undefined,
    screen: 'a',
    isTouched: false,
    isListed: true,
    ...changes,
  }
}

const works: Verdict = { state: 'working', since: T0 + 6, by: 'hook', why: '' }
const stuck = (reason: 'permission' | 'stopped', since = T0 + 20): Verdict => ({
  state: 'stuck',
  reason,
  since,
  ask: { text: 'All mended.' },
  by: 'hook',
  why: '',
})

const step = (
  one: Dispatch,
  seen: Partial<DispatchObservation>,
  now = T0 + 100,
  policy: TriagePolicy = 'escalate',
) => dispatchStep(one, observed(seen), now, { policy })

describe('a dispatch is launched', () => {
  test('it is started if it was not yet, and only then', () => {
    const registered = { status: 'stopped', startedAt: undefined } as const
    const seen = { runtime: registered, trigger: undefined }
    expect(step(dispatch(), seen)).toEqual({ dispatch: dispatch(), act: { kind: 'start' } })
    expect(step(dispatch(), { trigger: undefined }).act).toEqual({ kind: 'send' })
  })

  test('a trigger made before a crash is adopted, not made again', () => {
    const after = step(dispatch(), { trigger: QUEUED, composer: { kind: 'none', why: 'x' } })
    expect(after.act).toEqual({ kind: 'none' })
    expect(after.dispatch).toMatchObject({ state: 'launching', triggerId: 'trg_1' })
  })

  test('a task whose trigger is lost is not sent again', () => {
    const sent = dispatch({ triggerId: 'trg_1' })
    expect(step(sent, { trigger: undefined })).toMatchObject({
      dispatch: { state: 'failed', why: expect.stringMatching(/not known/) },
      act: { kind: 'none' },
    })
    const reviewing = working({ state: 'reviewing', reviewTriggerId: 'trg_2' })
    expect(step(reviewing, { trigger: undefined })).toMatchObject({
      dispatch: { state: 'done' },
      act: { kind: 'none' },
    })
  })

  test('it is validating from when its composer is seen until its task is taken', () => {
    const seen = step(dispatch(), { trigger: QUEUED }).dispatch
    expect(seen).toMatchObject({ state: 'validating', composerAt: T0 + 100 })
    const taken = step(seen, {}, T0 + 200).dispatch
    expect(taken).toMatchObject({ state: 'working', validatedAt: T0 + 200 })
  })

  test('one that shows no composer is escalated once it is late, unless the queue already lists it', () => {
    const composer = { kind: 'none', why: 'a login' } as const
    const late = T0 + launchMs
    const seen = { trigger: QUEUED, composer, isListed: false }
    expect(step(dispatch(), seen, late - 1).dispatch.escalated).toBeUndefined()
    expect(step(dispatch(), seen, late).dispatch.escalated).toContain('a login')
    expect(step(dispatch(), { ...seen, isListed: true }, late).dispatch).toMatchObject({
      why: expect.stringContaining('a login'),
      escalated: undefined,
    })
  })

  test('one that never showed a place to type fails for that reason, not because the pane was in use', () => {
    const code = 'DEFER_TIMEOUT'
    const waited = triggerIn('failed', QUEUED, { code, write: undefined })
    const composer = { kind: 'none', why: 'no composer' } as const
    const whyOf = (one: Dispatch, seen: Partial<DispatchObservation>) =>
      step(one, { trigger: waited, composer, ...seen }).dispatch.why
    expect(whyOf(dispatch(), {})).toBe(
      'The task did not arrive. No place to type was ever seen there. What is seen: no composer.',
    )
    const inUse = expect.stringContaining('The pane was in use, or showed no free place to type')
    expect(whyOf(dispatch({ composerAt: T0 }), {})).toEqual(inUse)
    expect(whyOf(dispatch(), { composer: { kind: 'text', text: 'x' } })).toEqual(inUse)
    expect(whyOf(dispatch(), { trigger: triggerIn('failed', QUEUED, { code }) })).toEqual(inUse)
  })

  test('a task that nothing is being done about is escalated after 15 seconds', () => {
    const late = T0 + validateMs
    const seen = { composer: { kind: 'none', why: 'a picker' } as const, isListed: false }
    const waiting = dispatch({ state: 'validating', composerAt: T0 })
    expect(step(waiting, { ...seen, trigger: QUEUED }, late - 1).dispatch.escalated).toBe(undefined)
    expect(step(waiting, { ...seen, trigger: QUEUED }, late).dispatch.escalated).toContain('picker')
    for (const state of ['deferred', 'claimed', 'submitted'] as const) {
      const trigger = triggerIn(state, QUEUED)
      const { dispatch: tried } = step(waiting, { ...seen, trigger }, late)
      expect(tried.escalated).toBe(undefined)
    }
  })

  describe('whose task is to go in with a new launch', () => {
    const since = T0 + 60_000
    const waiting = dispatch({ state: 'validating', composerAt: T0 })
    const covered: Partial<DispatchObservation> = {
      composer: { kind: 'none', why: 'a list of agents' },
      isListed: false,
    }
    const lookAfter = (ms: number, tried: Partial<Fallback> = {}, seen = covered) => {
      const fallback = { since, ...tried }
      const trigger = triggerIn('fallback', QUEUED, { write: undefined, fallback })
      return step(waiting, { ...seen, trigger }, since + ms).dispatch
    }

    test('is escalated with what is seen if nothing could be ended for 15 seconds', () => {
      expect(lookAfter(validateMs - 1)).toMatchObject({ why: undefined, escalated: undefined })
      const told = expect.stringContaining('a list of agents')
      expect(lookAfter(validateMs)).toMatchObject({
        state: 'validating',
        why: told,
        escalated: told,
      })
      const draft: Partial<DispatchObservation> = { composer: { kind: 'text', text: 'x' } }
      const { escalated } = lookAfter(validateMs, {}, { ...covered, ...draft })
      expect(escalated).toMatch(/words stand in its composer/)
    })

    test.each([
      ['is being ended', { stoppedAt: since + 5 }],
      ['is gone', { goneAt: since + 5 }],
      ['was launched again', { launchedAt: since + 5, resumes: 1 }],
    ])('is not escalated while its program %s', (_, tried) => {
      expect(lookAfter(validateMs * 4, tried)).toMatchObject({
        why: undefined,
        escalated: undefined,
      })
    })
  })

  test('a task that did not arrive ends it', () => {
    const failed = triggerIn('failed', QUEUED)
    expect(step(dispatch(), { trigger: failed }).dispatch).toMatchObject({
      state: 'failed',
      endedAt: T0 + 100,
      why: expect.stringMatching(/did not arrive.*never showed/),
    })
    const cancelled = triggerIn('cancelled', QUEUED)
    expect(step(dispatch(), { trigger: cancelled }).dispatch.state).toBe('stopped')
  })
})

describe('a dispatch that works', () => {
  test('is done when its turn has ended for long enough to be sure', () => {
    const first = step(working(), { verdict: stuck('stopped') }).dispatch
    expect(first).toMatchObject({ state: 'working', idleAt: T0 + 100 })
    const early = step(first, { verdict: stuck('stopped') }, T0 + 99 + settleMs).dispatch
    expect(early.state).toBe('working')
    const late = step(first, { verdict: stuck('stopped') }, T0 + 100 + settleMs)
    expect(late).toMatchObject({
      dispatch: { state: 'done', result: 'All mended.', endedAt: T0 + 100 + settleMs },
      act: { kind: 'none' },
    })
  })

  test('continues if it works again before that', () => {
    const idle = working({ idleAt: T0 + 50 })
    expect(step(idle, { verdict: works }).dispatch).toEqual(working())
  })

  test('is not done if it stopped before its task, or if its composer is not free', () => {
    const idle = working({ idleAt: T0 })
    const late = T0 + settleMs * 2
    expect(step(idle, { verdict: stuck('stopped', T0 + 4) }, late).dispatch.state).toBe('working')
    const covered = { verdict: stuck('stopped'), composer: { kind: 'none', why: 'x' } } as const
    expect(step(idle, covered, late).dispatch).toMatchObject({
      state: 'working',
      idleAt: undefined,
    })
    const unseen = { verdict: stuck('stopped'), composer: undefined }
    expect(step(idle, unseen, late).dispatch.state).toBe('working')
  })

  test.each(['asked', 'interrupted', 'failed', 'left-tasks'] as const)(
    'waits if its turn ended in another way: %s',
    (ending) => {
      const late = T0 + settleMs * 2
      const { dispatch: after } = step(
        working({ idleAt: T0 }),
        { verdict: stuck('stopped'), ending },
        late,
      )
      expect(after).toMatchObject({ state: 'waiting', why: expect.any(String) })
      expect(step(after, { verdict: works }, late + 1).dispatch).toMatchObject({
        state: 'working',
        why: undefined,
      })
    },
  )

  test('is done when its program exits cleanly, and failed if it never took the task', () => {
    const exited = { status: 'stopped', startedAt: T0 } as const
    expect(step(working(), { runtime: exited }).dispatch).toMatchObject({
      state: 'done',
      result: 'All mended.',
    })
    const never = step(dispatch({ triggerId: 'trg_1' }), { runtime: exited, trigger: QUEUED })
    expect(never.dispatch).toMatchObject({ state: 'failed', why: expect.stringMatching(/before/) })
  })

  test('ends with its runtime', () => {
    const state = (runtime: DispatchObservation['runtime']) =>
      step(working(), { runtime }).dispatch.state
    expect(state({ ...RUNS, status: 'stopping' })).toBe('stopped')
    expect(state({ ...RUNS, status: 'given-up' })).toBe('failed')
    expect(state(undefined)).toBe('failed')
    expect(state({ ...RUNS, status: 'failed' })).toBe('working')
    expect(state({ ...RUNS, status: 'offline' })).toBe('working')
  })

  test('is escalated if nobody can see it for a while, and no longer once it is seen', () => {
    const unknown: Verdict = { state: 'unknown', since: T0, by: undefined, why: '' }
    const blind = step(working(), { verdict: unknown, isListed: false }).dispatch
    expect(blind).toMatchObject({ state: 'working', escalated: undefined, blindAt: T0 + 100 })
    const late = step(blind, { verdict: unknown, isListed: false }, T0 + 100 + launchMs).dispatch
    expect(late).toMatchObject({ state: 'waiting', escalated: expect.any(String) })
    expect(step(late, { verdict: works }).dispatch).toMatchObject({
      state: 'working',
      escalated: undefined,
      blindAt: undefined,
    })
  })

  describe('and was restarted in the middle of it', () => {
    const startedAt = T0 + 1_000
    const runtime = { ...RUNS, startedAt }
    const unknown: Verdict = { state: 'unknown', since: T0, by: undefined, why: '' }
    const ended: Verdict = { ...unknown, state: 'ended' }
    const AGAIN = 'It was started again in the middle of its task, and waits for a word.'
    /** Two looks; at the second, its composer has been visible for this long. */
    const rests = (ms: number, seen: Partial<DispatchObservation> = {}, one = working()) => {
      const both = { runtime, verdict: unknown, isListed: false, ...seen }
      const first = step(one, both, startedAt + 500).dispatch
      return step(first, both, startedAt + 500 + ms).dispatch
    }

    test.each([
      ['unknown', unknown],
      ['ended', ended],
      ['not there', undefined],
    ] as const)('waits for a prompt as soon as it is idle at its composer: %s', (_, verdict) => {
      expect(rests(settleMs - 1, { verdict })).toMatchObject({
        state: 'working',
        idleAt: startedAt + 500,
        escalated: undefined,
      })
      const late = rests(settleMs, { verdict })
      expect(late).toMatchObject({ state: 'waiting', why: AGAIN, escalated: AGAIN })
      const later = step(late, { runtime, verdict, isListed: false }, startedAt + 9_000).dispatch
      expect(later).toEqual(late)
      expect(step(later, { runtime, verdict: works }).dispatch).toMatchObject({
        state: 'working',
        why: undefined,
        escalated: undefined,
      })
    })

    test.each([
      ['it is the same program still', { runtime: RUNS }],
      ['its composer cannot be seen', { composer: { kind: 'none', why: 'x' } }],
      ['something stands in its composer', { composer: { kind: 'text', text: 'x' } }],
      ['it could not be looked at', { composer: undefined }],
    ] as const)('does not count as waiting yet if %s', (_, seen) => {
      expect(rests(settleMs * 2, seen)).toMatchObject({ state: 'working', idleAt: undefined })
    })

    test('does not count as idle since before it was started', () => {
      const rested = working({ idleAt: T0 + 20 })
      expect(rests(settleMs - 501, {}, rested).state).toBe('working')
    })
  })
})

describe('a dispatch that asks for permission', () => {
  const asks = { verdict: stuck('permission'), dialog: 'yes' } as const

  test.each(['escalate', 'nudge'] as const)('waits for the operator under %s', (policy) => {
    const { dispatch: after, act } = step(working(), asks, T0 + 100, policy)
    expect(act).toEqual({ kind: 'none' })
    expect(after).toMatchObject({ state: 'waiting', escalated: undefined, pressed: undefined })
  })

  /** The dialog has been visible for long enough. */
  const asked = (screen = 'a', since = T0 + 100 - settleMs) =>
    working({ dialog: { screen, since } })

  test('is left alone until its dialog has been visible for a while', () => {
    const first = step(working(), asks, T0 + 100, 'approve')
    expect(first).toMatchObject({ act: { kind: 'none' }, dispatch: { state: 'working' } })
    const soon = step(first.dispatch, asks, T0 + 99 + settleMs, 'approve')
    expect(soon.act.kind).toBe('none')
    expect(step(soon.dispatch, asks, T0 + 100 + settleMs, 'approve').act.kind).toBe('press')
    const other = { ...asks, screen: 'b' }
    expect(step(soon.dispatch, other, T0 + 100 + settleMs, 'approve').act.kind).toBe('none')
  })

  test('gets an Enter under approve: twice on the same screen, and no more', () => {
    const first = step(asked(), asks, T0 + 100, 'approve')
    expect(first).toMatchObject({
      act: { kind: 'press', key: 'Enter', as: 'approve' },
      dispatch: { state: 'working', pressed: { at: T0 + 100, times: 1, screen: 'a' } },
    })
    const soon = step(first.dispatch, asks, T0 + 99 + recheckMs, 'approve')
    expect(soon.act.kind).toBe('none')
    const second = step(first.dispatch, asks, T0 + 100 + recheckMs, 'approve')
    expect(second.act.kind).toBe('press')
    const third = step(second.dispatch, asks, T0 + 100 + 2 * recheckMs, 'approve')
    expect(third).toMatchObject({ act: { kind: 'none' }, dispatch: { state: 'waiting' } })
  })

  test('counts as the same one if drawn slightly differently, until the agent works again', () => {
    const first = step(asked(), asks, T0 + 100, 'approve')
    const redrawn = { ...asks, screen: 'b' }
    expect(step(first.dispatch, redrawn, T0 + 200, 'approve').act.kind).toBe('none')
    const busy = step(first.dispatch, { verdict: works }, T0 + 300, 'approve')
    const seen = step(busy.dispatch, redrawn, T0 + 400, 'approve')
    const next = step(seen.dispatch, redrawn, T0 + 400 + settleMs, 'approve')
    expect(next).toMatchObject({ act: { kind: 'press' }, dispatch: { pressed: { times: 1 } } })
  })

  test.each([
    ['another answer is marked', { dialog: 'other' }],
    ['no dialog is seen', { dialog: 'none' }],
    ['somebody typed there', { isTouched: true }],
  ] as const)('is never answered by us if %s', (_, changes) => {
    const { act, dispatch: after } = step(asked(), { ...asks, ...changes }, T0 + 100, 'approve')
    expect(act.kind).toBe('none')
    expect(after.state).toBe('waiting')
  })

  test('is never answered before it has its task', () => {
    const { act } = step(dispatch(), { ...asks, trigger: QUEUED }, T0 + 100, 'approve')
    expect(act.kind).toBe('none')
  })
})

describe('a dispatch that hangs', () => {
  const hangs = { verdict: works, diagnosis: 'hung', isListed: false } as const

  test('is nudged if the policy allows it', () => {
    const press = { kind: 'press', key: 'Enter', as: 'nudge' }
    expect(step(working(), hangs, T0 + 100, 'nudge').act).toEqual(press)
    expect(step(working(), hangs, T0 + 100, 'approve').act).toEqual(press)
  })

  test('is escalated by itself if the queue does not list it', () => {
    const { dispatch: told, act } = step(working(), hangs)
    expect(act.kind).toBe('none')
    expect(told).toMatchObject({ state: 'waiting', escalated: expect.stringMatching(/hangs/) })
    expect(step(working(), { ...hangs, isListed: true }).dispatch.escalated).toBe(undefined)
  })
})

describe('a dispatch with a reviewer', () => {
  const reviewed = working({ reviewer: 'ranch/judge', idleAt: T0 })
  const late = T0 + settleMs * 2
  const reviewing = () => step(reviewed, { verdict: stuck('stopped') }, late)

  test('is reviewed when it has finished', () => {
    expect(reviewing()).toMatchObject({
      act: { kind: 'review' },
      dispatch: { state: 'reviewing', result: 'All mended.', endedAt: undefined },
    })
    expect(step(reviewing().dispatch, { trigger: undefined }, late).act.kind).toBe('review')
  })

  test('is done when the reviewer has answered, even with a question', () => {
    const trigger = deliveredAt(late + 5, { id: 'trg_2', createdAt: late })
    const said = { trigger, verdict: stuck('stopped', late + 50), ending: 'asked' } as const
    const first = step(reviewing().dispatch, { ...said, lastWords: 'Fine?' }, late + 100)
    expect(first.dispatch).toMatchObject({ state: 'reviewing', reviewTriggerId: 'trg_2' })
    const second = step(first.dispatch, { ...said, lastWords: 'Fine?' }, late + 100 + settleMs)
    expect(second.dispatch).toMatchObject({ state: 'done', review: 'Fine?', result: 'All mended.' })
  })

  test('is not done by what the reviewer said before it was asked', () => {
    const trigger = deliveredAt(late + 5, { id: 'trg_2', createdAt: late })
    const before = { trigger, verdict: stuck('stopped', late + 4) }
    expect(step(reviewing().dispatch, before, late + 60_000).dispatch).toMatchObject({
      state: 'reviewing',
      idleAt: undefined,
    })
  })

  test('waits for a reviewer that asks for permission', () => {
    const trigger = deliveredAt(late + 5, { id: 'trg_2', createdAt: late })
    const asked = { trigger, verdict: stuck('permission', late + 50) }
    expect(step(reviewing().dispatch, asked, late + 60_000).dispatch.state).toBe('reviewing')
  })

  test('is done without a review if the reviewer got no message, or ended', () => {
    const failed = triggerIn('failed', QUEUED)
    const unasked = step(reviewing().dispatch, { trigger: failed }).dispatch
    expect(unasked).toMatchObject({ state: 'done', why: expect.stringMatching(/got no message/) })
    const gone = { ...RUNS, status: 'stopped' } as const
    const ended = step(reviewing().dispatch, { runtime: gone }).dispatch
    expect(ended).toMatchObject({ state: 'done', why: expect.stringMatching(/ended before/) })
  })
})

test('a dispatch that has ended does not change', () => {
  const over = dispatch({ state: 'done', endedAt: T0 })
  expect(step(over, { runtime: undefined, verdict: works })).toEqual({
    dispatch: over,
    act: { kind: 'none' },
  })
})
