import { expect, test } from 'vitest'
import { targetObserved, triggerIn } from '../../../../test/support/supervisor/trigger-in.ts'
import type { TargetObservation } from './target-observation.ts'
import { cancelledTrigger, type Trigger } from './trigger.ts'
import { afterAction, recoveredTrigger } from './trigger-outcome.ts'
import { triggerStep } from './trigger-step.ts'

const T = 1_000_000
const HOUR = 3_600_000
const TEXT = '[tb:k3f9x2m7q1] go on'

const queued = triggerIn('queued', { text: TEXT, createdAt: T })

const fallback = { code: 'DEFER_TIMEOUT', since: T } as const
const write = { claimedAt: T - 9_000 }
const falling = triggerIn('fallback', queued, { write: undefined, fallback })
const typed = triggerIn('fallback', queued, { write, fallback })
const gone = triggerIn('fallback', queued, {
  write: undefined,
  fallback: { ...fallback, goneAt: T },
})
const claimed: Trigger = { ...gone, write: typed.write }

function step(trigger: Trigger, now: number, told: Partial<TargetObservation> = {}) {
  return triggerStep(trigger, targetObserved(now, { lastHeartbeatAt: T, ...told }), now)
}

const resume = { kind: 'fallback', how: 'resume', prompt: TEXT }
const spawn = { kind: 'fallback', how: 'spawn', prompt: TEXT }
const PROOF = [{ kind: 'transcript', at: T }] as const

test('the old process is ended, its session is read, and then it is resumed with the prompt', () => {
  const asked = step(typed, T)
  expect(asked.act).toEqual({ kind: 'stop', manner: 'gracefully' })
  expect(step(asked.trigger, T + 9_999).act.kind).toBe('wait')
  expect(step(asked.trigger, T + 10_000).act).toEqual({ kind: 'stop', manner: 'at-once' })
  const seen = step(asked.trigger, T + 1_000, { pane: 'exited' })
  expect(seen.event).toBeUndefined()
  const launched = step(seen.trigger, T + 1_000, { pane: 'exited' })
  expect(launched.act).toEqual(resume)
  const end = step(launched.trigger, T + 3_000, { acks: PROOF })
  expect(end.trigger).toMatchObject({ state: 'delivered', via: 'resume' })
  expect(end.event).toBeUndefined()
})

test('what was never written is typed instead of ending an agent that is idle and empty by then', () => {
  expect(step(falling, T).act).toMatchObject({ kind: 'claim-and-write', by: 'paste' })
  const draft = { composer: { kind: 'text', text: 'what if' }, channel: 'open' } as const
  expect(step(falling, T, draft).act).toMatchObject({ kind: 'claim-and-write', by: 'channel' })
  expect(step(falling, T, { ...draft, operatorActiveAt: T }).act.kind).toBe('wait')
  expect(step(typed, T).act).toEqual({ kind: 'stop', manner: 'gracefully' })
})

test.each([
  ['at work or shows a dialog', { composer: { kind: 'none', why: 'work' } }],
  ['holding somebody’s draft', { composer: { kind: 'text', text: 'what if' } }],
  ['typed into', { operatorActiveAt: T }],
  ['not to be seen', { pane: 'unseen' }],
] as const)('a process that is %s is not ended; in the end the trigger fails', (_, told) => {
  expect(step(falling, T, told).act.kind).toBe('wait')
  const late = T + 15 * 60_000
  const still = 'operatorActiveAt' in told ? { operatorActiveAt: late } : told
  const end = step(falling, late, still)
  expect(end.act).toMatchObject({ outcome: 'failed', code: 'DEFER_TIMEOUT' })
  expect(end.event).toBeUndefined()
})

test('a process whose composer holds only what we typed is ended', () => {
  const told = { composer: { kind: 'text', text: `${TEXT}${TEXT}` } } as const
  expect(step(typed, T, told).act.kind).toBe('stop')
  expect(step(typed, T, { ...told, operatorActiveAt: T - 9_000 }).act.kind).toBe('wait')
})

test('a process whose composer holds only what an earlier trigger left behind is ended', () => {
  const told = { composer: { kind: 'text', text: '[tb:0123456789] Go on.' } } as const
  expect(step(falling, T, { ...told, isLeftover: true }).act.kind).toBe('stop')
  expect(step(falling, T, told).act.kind).toBe('wait')
})

test('what may have been taken goes in again only if the session was read to its end without it', () => {
  expect(step(claimed, T, { pane: 'dead', records: 'unread' }).act.kind).toBe('wait')
  expect(step(claimed, T, { pane: 'dead', records: 'unreadable' }).act).toMatchObject({
    outcome: 'failed',
  })
  expect(step(claimed, T, { pane: 'dead', records: 'read' }).act).toEqual(resume)
  const found = step(claimed, T, { pane: 'dead', acks: PROOF })
  expect(found.trigger.state).toBe('delivered')
  expect(found.event).toBe('process_ended')
  expect(step(gone, T, { pane: 'dead', records: 'unreadable' }).act).toEqual(resume)
})

test.each([
  ['known and fresh', {}, resume],
  ['not known', { sessionId: undefined }, spawn],
  ['stale', { lastHeartbeatAt: T - 12 * HOUR - 1 }, spawn],
  [
    'of a runtime that failed three times',
    { failures: [T - 90_000, T - 80_000, T - 70_000] },
    spawn,
  ],
])('a session that is %s', (_, told, act) => {
  expect(step(gone, T, { pane: 'dead', ...told }).act).toEqual(act)
})

test('what a channel holds comes out when the session continues, and is not given to another session', () => {
  const held = triggerIn('fallback', claimed, { ...gone, write: { ...write, by: 'channel' } })
  expect(step(held, T, { pane: 'dead' }).act).toEqual({ ...resume, prompt: undefined })
  const lost = { pane: 'dead', sessionId: undefined } as const
  expect(step(held, T, lost).act).toMatchObject({ outcome: 'failed' })
  const resumed = step(held, T, { pane: 'dead' }).trigger
  const late = step(resumed, T + HOUR, { pane: 'here' })
  expect(late.act).toMatchObject({ outcome: 'failed', code: held.fallback.code })
})

test('with its budget spent nothing is launched', () => {
  const failures = [T - 4, T - 3, T - 2, T - 1]
  expect(step(gone, T, { pane: 'dead', failures }).act).toMatchObject({ outcome: 'failed' })
  expect(step(gone, T, { pane: 'dead', failures: [T] }).act).toEqual({
    kind: 'wait',
    until: T + 1_000,
  })
})

test('two resumes, then a new session, then failure; each failure is counted once', () => {
  let trigger: Trigger = gone
  let at = T
  const told = { pane: 'dead' } as const
  for (const act of [resume, resume, spawn]) {
    const launch = step(trigger, at, told)
    expect(launch.act).toEqual(act)
    at += 1_000
    const seen = step(launch.trigger, at, told)
    expect(seen.event).toBe(act === resume ? 'process_failed' : undefined)
    expect(launch.event).toBe(act === spawn ? 'spawn_new_runtime' : undefined)
    trigger = seen.trigger
  }
  const end = step(trigger, at, told)
  expect(end.act).toMatchObject({ outcome: 'failed', code: 'SPAWN_FAILED' })
})

test('a refused launch is counted at once, and not again', () => {
  const launch = step(gone, T, { pane: 'dead' })
  const refused = afterAction(launch.trigger, launch.act, 'refused', T)
  expect(refused.event).toBe('process_failed')
  expect(refused.trigger).toMatchObject({ fallback: { code: 'RESUME_FAILED' } })
  const next = step(refused.trigger, T + 1_000, { pane: 'dead', failures: [T] })
  expect(next.event).toBeUndefined()
  expect(next.act).toEqual(resume)
})

test('what runs in a new session is not the trigger’s to end', () => {
  const spawned = step(gone, T, { pane: 'dead', sessionId: undefined }).trigger
  expect(step(spawned, T + 59_999).act.kind).toBe('wait')
  expect(step(spawned, T + 60_000).act).toMatchObject({ outcome: 'failed', code: 'ACK_TIMEOUT' })
  const lost = step(spawned, T + 1_000, { pane: 'dead' }).trigger
  expect(step(lost, T + 2_000).act.kind).toBe('wait')
  expect(step(lost, T + 61_000).act).toMatchObject({ outcome: 'failed', code: 'SPAWN_FAILED' })
})

test('a proof that comes while the process is being ended counts once it has ended', () => {
  const asked = step(typed, T).trigger
  expect(step(asked, T + 1_000, { acks: PROOF }).act.kind).toBe('wait')
  const end = step(asked, T + 2_000, { acks: PROOF, pane: 'exited' })
  expect(end.trigger.state).toBe('delivered')
  expect(end.event).toBe('process_ended')
})

test('the operator’s stop ends it', () => {
  expect(step(falling, T, { status: 'stopping' }).act).toMatchObject({ outcome: 'failed' })
})

test('a launch interrupted by a crash is not repeated blindly', () => {
  const launch = step(gone, T, { pane: 'dead' })
  const trigger = recoveredTrigger(launch.trigger, T + 1)
  expect(step(trigger, T + 1).act.kind).toBe('wait')
  const unread = step(trigger, T + 1, { pane: 'missing' }).trigger
  expect(step(unread, T + 1, { pane: 'missing', records: 'unread' }).act.kind).toBe('wait')
})

test('only what cannot have been taken is cancelled', () => {
  expect(cancelledTrigger(queued, T)).toMatchObject({ state: 'cancelled', settledAt: T })
  expect(cancelledTrigger(gone, T)).toMatchObject({ state: 'cancelled' })
  expect(cancelledTrigger(claimed, T)).toBeUndefined()
  expect(cancelledTrigger(step(gone, T, { pane: 'dead' }).trigger, T)).toBeUndefined()
})
