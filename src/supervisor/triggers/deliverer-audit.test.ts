import { expect, test } from 'vitest'
import { createBridgeScene } from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { targetObserved, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { insertTrigger, readTrigger } from '../../store/tables/triggers.ts'
import { createRegistry } from '../runtimes/registry.ts'
import { Deliverer, type DelivererParts } from './deliverer.ts'

test('what a delivery did is audited with the thread of its trigger', () => {
  using scene = createBridgeScene()
  const { db } = scene.context
  const told = { workspaceId: 'ranch', role: 'executor', harness: 'claude-code' }
  const runtime = newRuntime({ ...told, runtimeId: 'rt_1', socket: '/s', cwd: '/' }, 1)
  saveRuntime(db, runtimeIn('ready', runtime))
  const { agentId } = runtime
  const trigger = triggerIn('submitted', { agentId, threadId: 'th_1' }, { sent: 'paste' })
  insertTrigger(db, trigger)
  using deliverer = new Deliverer({
    context: scene.context,
    registry: createRegistry(scene.context),
    mutex: new KeyedMutex(),
    observer: { unseen: () => targetObserved(1, {}) },
    settled: () => {},
  } as unknown as DelivererParts)
  deliverer.prove(trigger, { kind: 'hook', at: 50 })
  expect(readTrigger(db, trigger.id)?.state).toBe('delivered')
  const about = { agentId, runtimeId: 'rt_1', triggerId: trigger.id, threadId: 'th_1' }
  expect(scene.audit()).toMatchObject([
    { kind: 'ack_received', ...about },
    { kind: 'trigger_delivered', ...about },
  ])
})
