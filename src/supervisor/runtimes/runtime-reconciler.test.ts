import { Registry as Metrics } from 'prom-client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { newRuntime, restartIn, withRestart } from '../../core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../core/supervisor/runtime/runtime-transition.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { addSupervisorMetrics } from '../audit/supervisor-metrics.ts'
import { FirstPrompts } from './first-prompts.ts'
import { createLauncher, type Launcher, type LaunchResult } from './launcher.ts'
import { createRegistry, type Registry } from './registry.ts'
import { RuntimeObserver } from './runtime-observer.ts'
import { RuntimeReconciler, type RuntimeReconcilerParts } from './runtime-reconciler.ts'

const AGENT = 'ranch/executor'
/** What tmux says: its server, the pane, the process in it, whether that has ended and how, and our tag. */
const ENDED = '7 %9 8 1 s1 g t'
const OTHER_PROCESS = '7 %9 9 0 s g t'
const OTHER_PANE = '7 %10 9 0 s g trt_1 9'

let scene: BridgeScene
let registry: Registry
beforeEach(() => {
  scene = createBridgeScene()
})
afterEach(() => scene[Symbol.dispose]())

/** A reconciler with one runtime, for a tmux that shows this; without a program to launch. */
function reconcilerFor(
  status: RuntimeStatus,
  shown: string,
  launcher?: Partial<Launcher>,
  screens = { keep: async () => {} },
) {
  const { context, tokens } = scene
  const told = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'executor' }
  const place = { harness: 'claude-code', socket: '/s', cwd: '/' }
  saveRuntime(context.db, runtimeIn(status, newRuntime({ ...told, ...place }, 1)))
  registry = createRegistry(context)
  const planOf = () => context.workspaces.plan(AGENT)
  const canResume = () => false
  return new RuntimeReconciler({
    context,
    registry,
    mutex: new KeyedMutex(),
    observer: new RuntimeObserver(async () => ({ ok: true, stdout: `${shown}\n` }), 1_000),
    launcher: launcher ?? createLauncher({ planOf, canResume, tokens, env: { PATH: '/nowhere' } }),
    firstPrompts: new FirstPrompts(),
    screens,
    tokens,
    planOf,
    canResume,
    isDelivering: () => false,
    changed: () => {},
  } as unknown as RuntimeReconcilerParts)
}

const audited = () => scene.audit('runtime_restarted', 'runtime_restart_failed')

describe('a restart that got no pane', () => {
  test('is audited as failed, with the reason, and counts as a failure', async () => {
    await reconcilerFor('offline', ENDED).reconcile()
    const detail = expect.stringMatching(/^agents_ranch:executor\.0: Claude Code is not installed/)
    const failed = { kind: 'runtime_restart_failed', actor: 'trailboss', agentId: AGENT, detail }
    expect(audited()).toMatchObject([
      { kind: 'runtime_restarted', detail: 'spawn' },
      { ...failed, runtimeId: 'rt_1', result: 'SPAWN_FAILED' },
    ])
    const failure = { failures: [expect.any(Number)], lastFailure: { code: 'SPAWN_FAILED' } }
    expect(registry.find('rt_1')).toMatchObject({ status: 'failed', ...failure })
  })

  test('is audited as unknown if tmux did not say so: the next look shows it', async () => {
    const lost: LaunchResult = { kind: 'unknown', why: 'tmux gave no answer' }
    await reconcilerFor('offline', ENDED, { launch: async () => lost }).reconcile()
    expect(audited()).toMatchObject([
      { kind: 'runtime_restarted' },
      { kind: 'runtime_restart_failed', result: 'unknown', detail: lost.why },
    ])
    expect(registry.find('rt_1')).toMatchObject({ status: 'starting', failures: [] })
  })
})

test.each([
  ['with another process in its pane', OTHER_PROCESS, 'offline', '%9'],
  ['with its process in another pane', OTHER_PANE, 'ready', '%10'],
])('a runtime %s is a drift: audited and counted once', async (_, shown, status, pane) => {
  const reconciler = reconcilerFor('ready', shown)
  // A pane counts as missing only the second time.
  for (let look = 1; look <= 3; look++) await reconciler.reconcile()
  expect(registry.find('rt_1')).toMatchObject({ status, pane: { id: pane } })
  expect(scene.audit('registry_drift')).toMatchObject([
    { actor: 'trailboss', agentId: AGENT, runtimeId: 'rt_1', result: 'REGISTRY_DRIFT' },
  ])
  const metrics = new Metrics()
  addSupervisorMetrics(metrics, scene.context)
  expect(await metrics.metrics()).toContain('\ntmux_reconcile_drift_total 1\n')
})

test('a start that comes while the last screen of a stopping runtime is read is not forgotten', async () => {
  const keep = async () => {
    const stopping = registry.find('rt_1')
    if (stopping) registry.save(withRestart(stopping, 'operator'))
  }
  await reconcilerFor('stopping', ENDED, undefined, { keep }).reconcile()
  const stopped = registry.find('rt_1')
  expect(stopped?.status).toBe('stopped')
  expect(stopped && restartIn(stopped)).toBe('operator')
})
