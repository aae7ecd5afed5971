import { expect, test } from 'vitest'
import { runtimeIn } from '../../../../test/support/supervisor/runtime-in.ts'
import { newRuntime, type Runtime } from '../runtime/runtime.ts'
import { RUNTIME_STATUSES, type RuntimeStatus } from '../runtime/runtime-transition.ts'
import { type PublicStatus, publicStatus } from './public-status.ts'
import { newTrigger, TRIGGER_STATES, type Trigger, type TriggerState } from './trigger.ts'

const registered = newRuntime(
  { runtimeId: 'rt', workspaceId: 'w', role: 'r', harness: 'h', socket: '/s', cwd: '/' },
  10,
)
const named = { id: 't', mark: 'k3f9x2m7q1', runtimeId: 'rt', agentId: 'w/r', reason: 'r' }
const queued = newTrigger({ ...named, threadId: undefined, text: 'go', force: undefined }, 20)
const times = { launchedAt: undefined, stoppedAt: undefined, goneAt: undefined }
const fallback = { code: 'ACK_TIMEOUT', since: 50, resumes: 1, spawns: 0, ...times } as const

function seen(runtime: Runtime, told: Partial<Trigger>): [PublicStatus, number] {
  const { status, since } = publicStatus(runtime, [{ ...queued, ...told }])
  return [status, since]
}

/** What a delivery makes of a runtime that is ready. */
const DELIVERING: Partial<Record<TriggerState, PublicStatus>> = {
  claimed: 'triggering',
  written: 'awaiting_ack',
  submitted: 'awaiting_ack',
  fallback: 'fallback_resume',
}

const pairs = RUNTIME_STATUSES.flatMap((status) =>
  TRIGGER_STATES.map((state): [RuntimeStatus, TriggerState] => [status, state]),
)

test.each(pairs)('%s, with a trigger that is %s', (status, state) => {
  const own = status === 'given-up' ? 'failed' : status
  const expected = status === 'ready' ? (DELIVERING[state] ?? own) : own
  expect(seen(runtimeIn(status, registered), { state, fallback })[0]).toBe(expected)
})

test('since when is told by the delivery, and by its end once it is over', () => {
  const ready = runtimeIn('ready', registered)
  const since = (told: Partial<Trigger>) => seen(ready, { claimedAt: 30, wroteAt: 40, ...told })[1]
  expect(since({ state: 'claimed' })).toBe(30)
  expect(since({ state: 'written' })).toBe(40)
  expect(since({ state: 'submitted', enters: 1, enteredAt: 45 })).toBe(40)
  expect(since({ state: 'submitted', enters: 2, enteredAt: 45 })).toBe(45)
  expect(since({ state: 'fallback', fallback })).toBe(50)
  expect(since({ state: 'delivered', settledAt: 60 })).toBe(60)
  expect(since({ state: 'cancelled', settledAt: 60, claimedAt: undefined })).toBe(10)
})

test('what is typed again is retried, and a session that is begun anew is recovery until it has a pane', () => {
  expect(seen(runtimeIn('ready', registered), { state: 'claimed', pastes: 1 })[0]).toBe('retrying')
  const spawned = { state: 'fallback', fallback: { ...fallback, spawns: 1 } } as const
  const starting: Runtime = { ...registered, status: 'starting', pane: undefined }
  expect(seen(starting, spawned)[0]).toBe('spawn_recovery')
  expect(seen(starting, {})[0]).toBe('starting')
  expect(seen(runtimeIn('starting', registered), spawned)[0]).toBe('starting')
  expect(seen(runtimeIn('ready', registered), spawned)[0]).toBe('ready')
})
