import { expect, test } from 'vitest'
import { DEFAULT_RULES } from '../defaults.ts'
import {
  launchedRuntime,
  type RuntimeObservation,
  reconcileStep,
  startedRuntime,
  stoppedRuntime,
} from './reconcile.ts'
import { newRuntime, type Runtime, type RuntimeFacts } from './runtime.ts'
import { RUNTIME_STATUSES, type RuntimeStatus } from './runtime-transition.ts'

const T = 10_000_000
const PANE = { socket: '/s', id: '%3', server: 7, pid: 8 }

const registered = newRuntime(
  { runtimeId: 'rt', workspaceId: 'w', role: 'r', harness: 'any', socket: '/s', cwd: '/w' },
  0,
)

const runtime = (status: RuntimeStatus, told: Partial<RuntimeFacts> = {}): Runtime => ({
  ...registered,
  pane: PANE,
  restartBy: undefined,
  status,
  statusAt: T,
  sessionId: 's',
  ...told,
})

const observed = (told: Partial<RuntimeObservation> = {}): RuntimeObservation => ({
  pane: 'here',
  stray: undefined,
  isAgentThere: true,
  otherSince: undefined,
  hasServer: true,
  isSessionKept: true,
  isDelivering: false,
  ...told,
})

const step = (from: Runtime, told: Partial<RuntimeObservation>, now = T) =>
  reconcileStep(from, observed(told), now)

test.each<[RuntimeStatus, Partial<RuntimeObservation>, RuntimeStatus]>([
  ['starting', { isAgentThere: false }, 'starting'],
  ['starting', {}, 'ready'],
  ['starting', { pane: 'dead' }, 'failed'],
  ['starting', { pane: 'exited' }, 'failed'],
  ['starting', { pane: 'missing' }, 'failed'],
  ['ready', {}, 'ready'],
  ['ready', { pane: 'dead' }, 'offline'],
  ['ready', { pane: 'missing' }, 'offline'],
  ['ready', { pane: 'other' }, 'offline'],
  ['ready', { pane: 'exited' }, 'stopped'],
  ['offline', {}, 'ready'],
  ['stopping', { pane: 'dead' }, 'stopped'],
  ['stopping', { pane: 'missing' }, 'stopped'],
  ['ready', { pane: 'dead', isDelivering: true }, 'ready'],
  ['ready', { pane: 'missing', isDelivering: true }, 'ready'],
  ['ready', { pane: 'exited', isDelivering: true }, 'ready'],
  ['stopped', { pane: 'missing' }, 'stopped'],
])('%s, seen %j: %s', (status, told, next) => {
  const outcome = step(runtime(status), told)
  expect(outcome.runtime.status).toBe(next)
  expect(outcome.act.kind).toBe('none')
})

test('if tmux does not answer, nothing changes in any status', () => {
  for (const status of RUNTIME_STATUSES) {
    const before = runtime(status)
    expect(step(before, { pane: 'unseen' }, T + 1e9)).toEqual({
      runtime: before,
      act: { kind: 'none' },
    })
  }
})

test.each([
  ['dead', [T]],
  ['missing', [T]],
  ['exited', []],
] as const)('a ready runtime whose pane is %s has these failures: %j', (pane, failures) => {
  expect(step(runtime('ready'), { pane }).runtime.failures).toEqual(failures)
})

test('drift is reported', () => {
  expect(step(runtime('ready'), { pane: 'other' }).code).toBe('REGISTRY_DRIFT')
  expect(step(runtime('starting'), { pane: 'missing', stray: PANE }).code).toBe('REGISTRY_DRIFT')
})

test('another command in its pane is a failure after its grace time, and is ended before the restart', () => {
  const told = { isAgentThere: false, otherSince: T }
  expect(step(runtime('ready'), told, T + 29_999).runtime.status).toBe('ready')
  const failed = step(runtime('ready'), told, T + 30_000).runtime
  expect(failed.status).toBe('failed')
  expect(step(failed, told, T + 31_000).act).toEqual({ kind: 'stop', manner: 'gracefully' })
  expect(step(failed, told, T + 40_000).act).toEqual({ kind: 'stop', manner: 'at-once' })
})

test('a start that takes too long is a failure', () => {
  const told = { isAgentThere: false }
  expect(step(runtime('starting'), told, T + 59_999).runtime.status).toBe('starting')
  expect(step(runtime('starting'), told, T + 60_000)).toMatchObject({
    runtime: { status: 'failed', failures: [T + 60_000] },
    code: 'SPAWN_FAILED',
  })
})

test.each([
  [[T], 1_000, 'resume'],
  [[T - 1, T], 5_000, 'resume'],
  [[T - 2, T - 1, T], 15_000, 'spawn'],
])('after failures at %j it is launched after %i ms: %s', (failures, backoff, how) => {
  const down = runtime('offline', { failures })
  expect(step(down, { pane: 'dead' }, T + backoff - 1).act.kind).toBe('none')
  const launch = step(down, { pane: 'dead' }, T + backoff)
  expect(launch.act).toEqual({ kind: 'launch', how })
  expect(launch.runtime).toMatchObject({ status: 'starting', pane: undefined })
})

test('no tmux server is started for it: it is launched in the next one', () => {
  for (const status of ['offline', 'failed'] as const) {
    const down = runtime(status, { failures: [T] })
    const without = step(down, { pane: 'missing', hasServer: false }, T + 60_000)
    expect(without).toEqual({ runtime: down, act: { kind: 'none' } })
    expect(step(down, { pane: 'missing' }, T + 60_000).act.kind).toBe('launch')
  }
  const ready = step(runtime('ready'), { pane: 'missing', hasServer: false })
  expect(ready.runtime.status).toBe('offline')
})

test('a session in which nothing was said yet is not resumed', () => {
  const told = { pane: 'dead', isSessionKept: false } as const
  expect(step(runtime('offline'), told).act).toMatchObject({ how: 'spawn' })
})

test('a runtime with a new session has no session id until it is known', () => {
  const spent = step(
    runtime('offline', { failures: [T - 9, T - 8, T - 7] }),
    { pane: 'dead' },
    T + 9e4,
  )
  expect(spent.act).toMatchObject({ how: 'spawn' })
  expect(spent.runtime.sessionId).toBeUndefined()
  expect(step(runtime('offline'), { pane: 'dead' }).runtime.sessionId).toBe('s')
})

test('a stale or unknown session is not resumed', () => {
  const stale = { lastHeartbeatAt: T - DEFAULT_RULES.restart.staleMs - 1 }
  for (const told of [stale, { sessionId: undefined }]) {
    expect(step(runtime('offline', told), { pane: 'dead' }).act).toMatchObject({ how: 'spawn' })
  }
})

test('a runtime with its budget spent has failed for good, until the operator starts it', () => {
  const failures = [T - 3, T - 2, T - 1, T]
  const spent = step(runtime('offline', { failures }), { pane: 'dead' })
  expect(spent).toMatchObject({ runtime: { status: 'given-up' }, code: 'SPAWN_FAILED' })
  const day = T + 24 * 3_600_000
  expect(step(spent.runtime, { pane: 'dead' }, day).act.kind).toBe('none')
  const wanted = startedRuntime(spent.runtime, day).runtime
  expect(step(wanted, { pane: 'dead' }, day).act.kind).toBe('launch')
})

test('a pane opened just before a crash is found and adopted', () => {
  const { runtime: starting, act } = startedRuntime(registered, T)
  expect(act).toEqual({ kind: 'launch', how: 'spawn' })
  const adopted = step(starting, { pane: 'missing', stray: PANE }).runtime
  expect(adopted).toMatchObject({ status: 'starting', pane: PANE })
})

test('a launch that started nothing is a failure', () => {
  const { runtime: starting } = startedRuntime(registered, T)
  expect(launchedRuntime(starting, undefined, T)).toMatchObject({ status: 'failed', failures: [T] })
  expect(launchedRuntime(starting, PANE, T)).toMatchObject({ status: 'starting', pane: PANE })
})

test('a stop is graceful for ten seconds, and no restart follows', () => {
  const { runtime: stopping, act } = stoppedRuntime(runtime('ready'), undefined, T)
  expect(act).toEqual({ kind: 'stop', manner: 'gracefully' })
  expect(step(stopping, {}, T + 10_000).act).toEqual({ kind: 'stop', manner: 'at-once' })
  const stopped = step(stopping, { pane: 'dead' }, T + 1_000).runtime
  expect(stopped).toMatchObject({ status: 'stopped', failures: [] })
  expect(step(stopped, { pane: 'missing' }, T + 1e6).act.kind).toBe('none')
})

test('a requested restart is remembered until the runtime has stopped, and can be taken back', () => {
  const stopping = stoppedRuntime(runtime('ready'), 'operator:ana', T).runtime
  expect(step(stopping, { pane: 'dead' }).runtime).toMatchObject({
    status: 'stopped',
    restartBy: 'operator:ana',
  })
  expect(stoppedRuntime(stopping, undefined, T).runtime).toMatchObject({ restartBy: undefined })
})
