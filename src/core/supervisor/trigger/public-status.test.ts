import { expect, test } from 'vitest'
import { runtimeIn } from '../../../../test/support/supervisor/runtime-in.ts'
import { triggerIn } from '../../../../test/support/supervisor/trigger-in.ts'
import { newRuntime, type Runtime } from '../runtime/runtime.ts'
import { RUNTIME_STATUSES, type RuntimeStatus } from '../runtime/runtime-transition.ts'
import { type PublicStatus, publicStatus } from './public-status.ts'
import { TRIGGER_STATES, type Trigger, type TriggerState, type Write } from './trigger.ts'

const registered = newRuntime(
  { runtimeId: 'rt', workspaceId: 'w', role: 'r', harness: 'h', socket: '/s', cwd: '/' },
  10,
)
const queued = triggerIn('queued')

function seen(runtime: Runtime, trigger: Trigger): [PublicStatus, number] {
  const { status, since } = publicStatus(runtime, [trigger])
  return [status, since]
}

/** The public status of a ready runtime during a delivery. */
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
  expect(seen(runtimeIn(status, registered), triggerIn(state, queued))[0]).toBe(expected)
})

test('`statusSince` comes from the delivery, and from its end once it is over', () => {
  const ready = runtimeIn('ready', registered)
  const since = (state: TriggerState, write?: Partial<Write>) =>
    seen(ready, triggerIn(state, queued, write && { write }))[1]
  expect(since('claimed')).toBe(30)
  expect(since('written')).toBe(40)
  expect(since('submitted', { enters: 1 })).toBe(40)
  expect(since('submitted', { enters: 2 })).toBe(45)
  expect(since('fallback')).toBe(50)
  expect(since('delivered')).toBe(60)
  expect(since('cancelled')).toBe(10)
})

test('a second paste is retrying, and a session that starts over is recovery until it has a pane', () => {
  const typed = triggerIn('claimed', queued, { write: { pastes: 1 } })
  expect(seen(runtimeIn('ready', registered), typed)[0]).toBe('retrying')
  const spawned = triggerIn('fallback', queued, { fallback: { spawns: 1 } })
  const starting: Runtime = { ...registered, status: 'starting', pane: undefined }
  expect(seen(starting, spawned)[0]).toBe('spawn_recovery')
  expect(seen(starting, queued)[0]).toBe('starting')
  expect(seen(runtimeIn('starting', registered), spawned)[0]).toBe('starting')
  expect(seen(runtimeIn('ready', registered), spawned)[0]).toBe('ready')
})
