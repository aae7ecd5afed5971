import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { type Changes, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { newRuntime, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { TriggerState } from '../../core/supervisor/trigger/trigger.ts'
import { insertTrigger } from '../../store/tables/triggers.ts'
import { createRegistry } from './registry.ts'
import type { RuntimeReconciler } from './runtime-reconciler.ts'
import { createRuntimes, type Runtimes } from './runtimes.ts'

let scene: BridgeScene
let runtimes: Runtimes
let runtime: Runtime

beforeEach(() => {
  scene = createBridgeScene()
  const { context, herd } = scene
  const about = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'executor', harness: 'codex' }
  runtime = runtimeIn('ready', newRuntime({ ...about, socket: '/s', cwd: '/' }, 0))
  runtimes = createRuntimes({
    context,
    registry: createRegistry(context),
    reconciler: {} as RuntimeReconciler,
    tokens: scene.tokens,
    triggers: { dismiss: () => {} },
    socket: '/s',
    missingHooks: () => null,
    lookSoon: () => {},
    herd: herd.herd,
  })
})
afterEach(() => scene[Symbol.dispose]())

/** Its id and the time of its creation are its number. */
function add<S extends TriggerState>(
  number: number,
  state: S,
  claimedAt?: number,
  changes: Changes<S> = {},
): void {
  const mark = `${number}`.padStart(10, 'a')
  const facts = { id: `trg_${number}`, mark, createdAt: number, agentId: 'ranch/executor' }
  const write = claimedAt === undefined ? {} : { write: { claimedAt } }
  insertTrigger(scene.context.db, triggerIn(state, facts, { ...write, ...changes }))
}
const lastTrigger = () => runtimes.view(runtime).lastTriggerId

test('the last trigger of a runtime is the one that was typed last, whatever became of it', () => {
  expect(lastTrigger()).toBeNull()
  add(1, 'queued')
  expect(lastTrigger()).toBeNull()
  add(3, 'delivered', 100)
  expect(lastTrigger()).toBe('trg_3')
  add(2, 'failed', 200)
  expect(lastTrigger()).toBe('trg_2')
  add(4, 'submitted', 300)
  add(5, 'deferred')
  expect(lastTrigger()).toBe('trg_4')
})

test('a trigger of another runtime is not its last one', () => {
  add(1, 'delivered', 100)
  add(2, 'delivered', 200, { runtimeId: 'rt_2' })
  expect(lastTrigger()).toBe('trg_1')
})

test('a view has its times by the wall clock, and whether somebody types there', () => {
  expect(runtimes.view(runtime)).toMatchObject({ operatorBusy: false, lastHeartbeatAt: null })
  scene.pass(5_000)
  const at = scene.context.clock.now()
  const seen = { ...runtime, operatorBusy: true, lastHeartbeatAt: at }
  expect(runtimes.view(seen)).toMatchObject({ operatorBusy: true, lastHeartbeatAt: at - 5_000 })
  expect(runtimes.view(runtimeIn('stopped', seen)).operatorBusy).toBe(false)
})
