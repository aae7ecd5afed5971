import { describe, expect, test } from 'vitest'
import { targetObserved, triggerIn } from '../../../../test/support/supervisor/trigger-in.ts'
import type { FailureCode } from '../runtime/failure-code.ts'
import { RUNTIME_STATUSES } from '../runtime/runtime-transition.ts'
import type { ComposerSight } from './composer.ts'
import type { TargetObservation } from './target-observation.ts'
import type { Trigger } from './trigger.ts'
import {
  type ActionResult,
  afterAction,
  recoveredTrigger,
  type TriggerAction,
} from './trigger-outcome.ts'
import { triggerStep } from './trigger-step.ts'

const T = 1_000_000
const TEXT =
  '[tb:k3f9x2m7q1] [BRIDGE_TRIGGER id=trg_1 reason=r] Read what is new. [/BRIDGE_TRIGGER]'

const queued = triggerIn('queued', { threadId: 'th_1', text: TEXT, createdAt: T })

const OURS: ComposerSight = { kind: 'text', text: TEXT }
const DRAFT: ComposerSight = { kind: 'text', text: 'what if' }
const DIALOG: ComposerSight = { kind: 'none', why: 'a dialog' }

type Told = Partial<TargetObservation>

function step(trigger: Trigger, now: number, told: Told = {}) {
  return triggerStep(trigger, targetObserved(now, { startedAt: T - 60_000, ...told }), now)
}

/** Takes the step, which must be that act, and reports how it went. */
function act(
  trigger: Trigger,
  now: number,
  kind: TriggerAction['kind'],
  told: Told = {},
  result: ActionResult = 'done',
): Trigger {
  const outcome = step(trigger, now, told)
  expect(outcome.act.kind).toBe(kind)
  return afterAction(outcome.trigger, outcome.act, result, now).trigger
}

const fallback = (code: FailureCode) => ({ state: 'fallback', fallback: { code } })

const written = act(queued, T, 'claim-and-write')
const submitted = act(written, T + 300, 'press-enter', { composer: OURS })

test.each(['stopping', 'stopped'] as const)(
  'it waits while its runtime is %s only to start again',
  (status) => {
    const seen = { status, pane: 'missing' } as const
    expect(step(queued, T, { ...seen, isRestarting: true }).trigger.state).toBe('queued')
    expect(step(queued, T, seen).trigger.state).toBe('failed')
  },
)

test('it is claimed, written, entered after a moment, and delivered by proof', () => {
  const claim = step(queued, T)
  expect(claim.trigger.state).toBe('claimed')
  expect(claim.act).toEqual({ kind: 'claim-and-write', by: 'paste', text: TEXT })
  expect(written.state).toBe('written')
  expect(step(written, T + 100, { composer: OURS }).act).toEqual({ kind: 'wait', until: T + 300 })
  expect(submitted).toMatchObject({ state: 'submitted', write: { enters: 1 } })
  const ack = { kind: 'hook', at: T + 400 } as const
  const end = step(submitted, T + 500, { acks: [ack], composer: DIALOG })
  expect(end.trigger).toMatchObject({ state: 'delivered', ack, via: 'paste' })
  expect(end.event).toBeUndefined()
})

test('a lost Enter is pressed again after 8 + 2 and 8 + 4 seconds, and the text is never typed again', () => {
  let trigger = submitted
  let at = T + 300
  for (const pause of [10_000, 12_000]) {
    expect(step(trigger, at + pause - 1, { composer: OURS }).act.kind).toBe('wait')
    at += pause
    trigger = act(trigger, at, 'press-enter', { composer: OURS })
  }
  expect(trigger).toMatchObject({ write: { pastes: 1, enters: 3 } })
  const end = step(trigger, at + 30_000, { composer: OURS })
  expect(end.trigger).toMatchObject(fallback('ACK_TIMEOUT'))
})

test('a lost paste is typed again after 8 + 2 and 8 + 4 seconds, and no more', () => {
  expect(step(written, T + 9_999).act.kind).toBe('wait')
  const second = act(written, T + 10_000, 'claim-and-write')
  expect(step(second, T + 21_999).act.kind).toBe('wait')
  const third = act(second, T + 22_000, 'claim-and-write')
  expect(third).toMatchObject({ write: { pastes: 3 } })
  expect(step(third, T + 51_999).act.kind).toBe('wait')
  expect(step(third, T + 52_000).trigger).toMatchObject(fallback('ACK_TIMEOUT'))
})

test('after a second paste, Enter waits until the other copy could have arrived, however late', () => {
  const again = act(written, T + 10_000, 'claim-and-write')
  const late = step(again, T + 13_000, { composer: OURS })
  expect(late.act).toEqual({ kind: 'wait', until: T + 23_000 })
  const both: ComposerSight = { kind: 'text', text: TEXT + TEXT }
  expect(step(late.trigger, T + 23_000, { composer: both }).act.kind).toBe('wait')
  expect(step(late.trigger, T + 23_000, { composer: OURS }).act.kind).toBe('press-enter')
})

test('what was entered and is gone from the composer is never typed again', () => {
  for (let at = T + 400; at < T + 30_300; at += 500) {
    expect(step(submitted, at).act.kind).toBe('wait')
  }
  expect(step(submitted, T + 30_300).trigger.state).toBe('fallback')
})

test.each([
  ['nobody knows whether it was written', act(queued, T, 'claim-and-write', {}, 'unknown'), {}],
  ['it was found after a crash', recoveredTrigger(written, T), {}],
  ['a claim was found after a crash', recoveredTrigger(step(queued, T).trigger, T), {}],
  ['the operator has touched a key since', written, { operatorActiveAt: T }],
])('it is not typed again when %s', (_, trigger, told) => {
  for (let at = T; at < T + 30_000; at += 500) {
    expect(step(trigger, at, told).act.kind).toBe('wait')
  }
  expect(step(trigger, T + 30_000, told).trigger.state).toBe('fallback')
  expect(act(trigger, T + 25_000, 'press-enter', { composer: OURS }).state).toBe('submitted')
})

test('what the guard refused was not written, and is tried again a little later', () => {
  const refused = act(queued, T, 'claim-and-write', {}, 'refused')
  expect(refused.state).toBe('queued')
  expect(refused).not.toHaveProperty('write')
  expect(step(refused, T + 4_999).act.kind).toBe('wait')
  act(refused, T + 5_000, 'claim-and-write')
  const notEntered = act(written, T + 300, 'press-enter', { composer: OURS }, 'refused')
  expect(notEntered).toMatchObject({ state: 'written', write: { enters: 0 } })
  const again = act(written, T + 10_000, 'claim-and-write', {}, 'refused')
  expect(again).toMatchObject({ state: 'written', write: { claimedAt: T, pastes: 1 } })
})

describe('a write that tmux refuses to the end', () => {
  const late = T + 30 * 60_000
  const enter = { composer: OURS }

  test.each([
    ['of the text', act(queued, T, 'claim-and-write', {}, 'refused'), {}],
    ['of the text once more', act(written, T + 10_000, 'claim-and-write', {}, 'refused'), {}],
    ['of Enter', act(written, T + 300, 'press-enter', enter, 'refused'), enter],
    ['of another Enter', act(submitted, T + 10_300, 'press-enter', enter, 'refused'), enter],
  ])('%s fails for that reason', (_, trigger, told) => {
    expect(trigger).toMatchObject({ code: 'SEND_KEYS_ERROR' })
    expect(step(trigger, late, told).act).toMatchObject({ code: 'SEND_KEYS_ERROR' })
  })

  test('is forgotten once something else is in the way, or it went in', () => {
    const refused = act(queued, T, 'claim-and-write', {}, 'refused')
    const busy = step(refused, T + 5_000, { composer: DIALOG }).trigger
    expect(step(busy, late, { composer: DIALOG }).act).toMatchObject({ code: 'DEFER_TIMEOUT' })
    const in_ = act(refused, T + 5_000, 'claim-and-write')
    expect(in_).not.toHaveProperty('code')
  })
})

test.each([
  ['a dialog or work', { composer: DIALOG }, 'queued'],
  ['somebody else’s draft', { composer: DRAFT }, 'deferred'],
  ['a key less than 20 seconds ago', { operatorActiveAt: T - 20_000 }, 'deferred'],
  ['a look that is too old', { lookedAt: T - 1_001 }, 'queued'],
  ['a runtime that starts', { status: 'starting' }, 'queued'],
  ['a tmux that does not answer', { pane: 'unseen' }, 'queued'],
  ['a rate limit', { rateLimitedUntil: T + 1 }, 'deferred'],
] as const)('with %s nothing is typed', (_, told, state) => {
  const { act, trigger } = step(queued, T, told)
  expect(act.kind).toBe('wait')
  expect(trigger.state).toBe(state)
})

test('a rate limit defers it under its own code until it ends, and is the reason if it never does', () => {
  const limit = { rateLimitedUntil: T + 9_000 }
  const { act, trigger } = step(queued, T, limit)
  expect(act).toEqual({ kind: 'wait', until: T + 9_000 })
  expect(trigger).toMatchObject({ state: 'deferred', code: 'TRIGGER_RATE_LIMITED' })
  expect(step(trigger, T + 9_000, limit).act.kind).toBe('claim-and-write')
  const late = T + 30 * 60_000
  const end = step(trigger, late, { rateLimitedUntil: late + 1 })
  expect(end.act).toMatchObject({ outcome: 'failed', code: 'TRIGGER_RATE_LIMITED' })
})

test('it is typed once the last key was 20 seconds ago, to the second that tmux records', () => {
  const told = { operatorActiveAt: T }
  expect(step(queued, T + 20_999, told).act.kind).toBe('wait')
  expect(step(queued, T + 21_000, told).act.kind).toBe('claim-and-write')
})

test('it waits for an operator who types for 60 seconds, checking every 5 seconds, and then falls back', () => {
  let trigger: Trigger = queued
  for (let at = T; at < T + 60_000; at += 5_000) {
    const outcome = step(trigger, at, { operatorActiveAt: at })
    expect(outcome.act).toEqual({ kind: 'wait', until: at + 5_000 })
    expect(outcome.trigger).toMatchObject({ state: 'deferred', code: 'OPERATOR_BUSY' })
    trigger = outcome.trigger
  }
  const end = step(trigger, T + 60_000, { operatorActiveAt: T + 60_000 })
  expect(end.trigger).toMatchObject(fallback('DEFER_TIMEOUT'))
})

test('force does not wait for the operator, but never types into their text or onto a dialog', () => {
  const forced = { ...queued, force: { by: 'op', why: 'now' } }
  const told = { operatorActiveAt: T }
  expect(step(forced, T, told).act.kind).toBe('claim-and-write')
  expect(step(forced, T, { ...told, composer: DRAFT }).act.kind).toBe('wait')
  expect(step(forced, T, { ...told, composer: DIALOG }).act.kind).toBe('wait')
})

test('Enter waits for the operator, too', () => {
  const busy = { composer: OURS, operatorActiveAt: T + 5_000 }
  expect(step(written, T + 6_000, busy).act.kind).toBe('wait')
  expect(step(written, T + 26_000, busy).act.kind).toBe('press-enter')
})

test.each([
  ['as it is', TEXT, true],
  ['with its lines split anywhere', TEXT.replace(/(.{17})/g, '$1\n  '), true],
  ['folded', '[Pasted text #1 +2 lines]', true],
  ['scrolled', TEXT.slice(-50), true],
  ['with a letter of somebody’s', `${TEXT}x`, false],
  ['behind somebody’s draft', `what if${TEXT}`, false],
  ['twice', TEXT + TEXT, false],
  ['not all of it yet', TEXT.slice(0, 40), false],
])('Enter is pressed on our text %s: %#', (_, text, isPressed) => {
  const { act } = step(written, T + 1_000, { composer: { kind: 'text', text } })
  expect(act.kind).toBe(isPressed ? 'press-enter' : 'wait')
})

test('once somebody has touched a key, only exactly our text counts as ours', () => {
  const told = { operatorActiveAt: T + 1_000 }
  const press = (text: string) =>
    step(written, T + 30_000, { ...told, composer: { kind: 'text', text } }).act.kind
  expect(press(TEXT)).toBe('press-enter')
  expect(press('[Pasted text #1 +2 lines]')).not.toBe('press-enter')
})

test('a heartbeat counts only late, with the text gone, and nobody else at the pane', () => {
  const acks = [{ kind: 'heartbeat', at: T + 2_000 }] as const
  expect(step(submitted, T + 8_299, { acks }).act.kind).toBe('wait')
  expect(step(submitted, T + 8_300, { acks }).trigger.state).toBe('delivered')
  for (const told of [
    { acks, composer: OURS },
    { acks, composer: DIALOG },
    { acks, operatorActiveAt: T + 1_000 },
    { acks: [{ kind: 'heartbeat', at: T }] as const },
  ]) {
    expect(step(submitted, T + 8_300, told).trigger.state).not.toBe('delivered')
  }
})

test.each([
  ['dead', 'PANE_DEAD'],
  ['exited', 'PANE_DEAD'],
  ['missing', 'TARGET_NOT_FOUND'],
  ['other', 'REGISTRY_DRIFT'],
] as const)('a pane that is %s during a delivery leads to the fallback', (pane, code) => {
  expect(step(written, T + 1_000, { pane }).trigger).toMatchObject(fallback(code))
  expect(step(submitted, T + 1_000, { pane }).trigger).toMatchObject(fallback(code))
})

test.each([
  [{ status: 'stopped' }, 'TARGET_NOT_FOUND'],
  [{ status: 'stopping' }, 'TARGET_NOT_FOUND'],
  [{ status: 'given-up' }, 'TARGET_NOT_FOUND'],
  [{ isThreadBlocked: true }, 'THREAD_AUTO_BLOCKED'],
] as const)('with %j it fails at once', (told, code) => {
  const { act, trigger } = step(queued, T, told)
  expect(act).toEqual({ kind: 'settle', outcome: 'failed', code })
  expect(trigger).toMatchObject({ state: 'failed', settledAt: T })
})

test('a delivery that has lost its runtime does nothing more to it', () => {
  for (const status of RUNTIME_STATUSES) {
    for (const trigger of [written, submitted]) {
      const startedAt = T + 30_000
      const outcome = step(trigger, T + 60_000, { status, startedAt, composer: OURS })
      expect(outcome.event).toBeUndefined()
      expect(outcome.act).toEqual({ kind: 'settle', outcome: 'failed', code: 'TARGET_NOT_FOUND' })
    }
  }
})

test('an agent that never becomes idle is not ended for a prompt: the trigger fails after half an hour', () => {
  const late = T + 30 * 60_000
  expect(step(queued, late, { composer: DIALOG }).act).toMatchObject({ code: 'DEFER_TIMEOUT' })
  expect(step(submitted, late, { composer: DIALOG }).act).toMatchObject({ code: 'ACK_TIMEOUT' })
})

describe('a channel of the harness', () => {
  const open = { channel: 'open', composer: DIALOG } as const

  test('is used if nothing can be typed, and what it took is not given again', () => {
    expect(step(queued, T, { channel: 'open' }).act).toMatchObject({ by: 'paste' })
    expect(step(queued, T, { channel: 'open', composer: DRAFT }).act).toMatchObject({
      by: 'channel',
    })
    expect(step(queued, T, open).act).toMatchObject({ kind: 'claim-and-write', by: 'channel' })
    const handed = act(queued, T, 'claim-and-write', open)
    expect(handed.state).toBe('submitted')
    const acks = [{ kind: 'heartbeat', at: T + 1_000 }] as const
    expect(step(handed, T + 9_000, { acks }).act.kind).toBe('wait')
    const late = step(handed, T + 30_000, { composer: OURS })
    expect(late.trigger).toMatchObject(fallback('ACK_TIMEOUT'))
    const refused = act(queued, T, 'claim-and-write', open, 'refused')
    expect(step(refused, T, { channel: 'open' }).act).toMatchObject({ by: 'paste' })
  })

  test('defers to an operator who types, and leaves the draft alone instead of ending the agent', () => {
    const typing = { ...open, operatorActiveAt: T }
    const held = step(queued, T, typing)
    expect(held).toMatchObject({ act: { kind: 'wait' }, trigger: { code: 'OPERATOR_BUSY' } })
    const late = { ...open, operatorActiveAt: T + 60_000 }
    expect(step(held.trigger, T + 60_000, late).act).toMatchObject({ by: 'channel' })
    const without = { ...late, channel: 'none' } as const
    expect(step(held.trigger, T + 60_000, without).trigger.state).toBe('fallback')
  })
})

describe('a hand-over whose result nobody knows', () => {
  const open = { channel: 'open', composer: DRAFT } as const
  const killed = recoveredTrigger(step(queued, T, open).trigger, T + 1_000)
  const at = (ms: number) => T + 1_000 + ms

  test('is waited for if its channel holds it', () => {
    const held = step(killed, at(0), { inChannel: 'held' }).trigger
    expect(held).toMatchObject({ state: 'submitted', sent: 'channel', write: { isUnsure: false } })
    // From then on it counts as handed over: it never goes in another way.
    const gone = step(held, at(20_000), { inChannel: 'absent' })
    expect(gone).toMatchObject({ act: { kind: 'wait' }, trigger: { state: 'submitted' } })
  })

  test('is given again once neither channel nor session has had it for 8 seconds while the agent is idle', () => {
    const absent = { inChannel: 'absent' } as const
    const missed = step(killed, at(0), absent).trigger
    expect(missed).toMatchObject({ state: 'submitted', write: { missedAt: at(0) } })
    expect(step(missed, at(7_999), absent).trigger.state).toBe('submitted')
    const again = step(missed, at(8_000), absent).trigger
    expect(again.state).toBe('queued')
    expect(again).not.toHaveProperty('write')
    expect(step(again, at(8_000), absent).act).toMatchObject({ by: 'paste' })
  })

  test.each([
    ['works', { inChannel: 'absent', composer: DIALOG }],
    ['cannot be seen', { inChannel: 'absent', pane: 'unseen' }],
    ['may still get it', { inChannel: 'unknown' }],
  ] as const)('is not given again while the agent %s, and the 8 seconds start over', (_, told) => {
    const missed = step(killed, at(0), { inChannel: 'absent' }).trigger
    const between = step(missed, at(5_000), told).trigger
    expect(between.state).toBe('submitted')
    const later = step(between, at(9_000), { inChannel: 'absent' }).trigger
    expect(later).toMatchObject({ state: 'submitted', write: { missedAt: at(9_000) } })
  })

  test('leads to the fallback if nothing can be known', () => {
    expect(step(killed, at(29_999)).act.kind).toBe('wait')
    expect(step(killed, at(30_000)).trigger).toMatchObject(fallback('ACK_TIMEOUT'))
  })

  test('differs from one that was handed over before the crash', () => {
    const handed = act(queued, T, 'claim-and-write', open)
    expect(recoveredTrigger(handed, T + 1_000)).toEqual(handed)
  })
})

test('a claim whose write was never reported counts as unsure', () => {
  const { trigger } = step(queued, T)
  expect(step(trigger, T + 7_999).act.kind).toBe('wait')
  const { trigger: written } = step(trigger, T + 8_000)
  expect(written).toMatchObject({ state: 'written', write: { isUnsure: true } })
})
