import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { type Changes, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { DISPATCH_REASON, newDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import type { FailureCode } from '../../core/supervisor/runtime/failure-code.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import type { Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { saveDispatch } from '../../store/tables/dispatches.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { insertTrigger } from '../../store/tables/triggers.ts'
import { createRegistry } from '../runtimes/registry.ts'
import type { Deliverer } from './deliverer.ts'
import { createTriggers } from './triggers.ts'

let scene: BridgeScene
beforeEach(() => {
  scene = createBridgeScene()
})
afterEach(() => scene[Symbol.dispose]())

const triggersOf = ({ context, herd: { herd } }: BridgeScene) => {
  const deliverer = () => ({ look: () => {} }) as unknown as Deliverer
  return createTriggers({ context, registry: createRegistry(context), herd, deliverer })
}

function failed(code: FailureCode, changes: Changes<'failed'> = {}): Trigger {
  const about = { runtimeId: 'rt_1', agentId: 'ranch/executor', threadId: 'th_1' }
  const createdAt = scene.context.clock.now()
  return triggerIn('failed', { ...about, mark: 'aaaaaaaaaa', createdAt }, { code, ...changes })
}

test.each<[FailureCode, boolean]>([
  ['ACK_TIMEOUT', true],
  ['THREAD_AUTO_BLOCKED', false],
])('a trigger that failed with %s is an item of its own: %s', (code, isItem) => {
  const trigger = failed(code)
  insertTrigger(scene.context.db, trigger)
  triggersOf(scene).settled(trigger)
  expect(scene.context.escalations.isRaised({ kind: 'trigger', id: 'trg_1' })).toBe(isItem)
  const { escalations } = scene.context
  escalations.end({ kind: 'trigger', id: 'trg_1' }, 'the test wants to see it come again', 'itself')
  triggersOf(scene).recover()
  expect(scene.context.escalations.isRaised({ kind: 'trigger', id: 'trg_1' })).toBe(isItem)
})

test('a failed trigger that is proved later was delivered, and nobody has to settle it', () => {
  const trigger = failed('ACK_TIMEOUT')
  insertTrigger(scene.context.db, trigger)
  const triggers = triggersOf(scene)
  triggers.settled(trigger)
  triggers.arrived(trigger, { kind: 'hook', at: 2 })
  expect(triggers.require('trg_1')).toMatchObject({ state: 'delivered', ack: { kind: 'hook' } })
  expect(scene.context.escalations.isRaised({ kind: 'trigger', id: 'trg_1' })).toBe(false)
})

test('the item of one that a channel may hold warns that it could arrive twice', () => {
  triggersOf(scene).settled(failed('ACK_TIMEOUT', { write: { by: 'channel' } }))
  const [item] = scene.herd.herd.queue()
  expect(item?.verdict).toMatchObject({ ask: { text: expect.stringContaining('come twice') } })
})

test('one that was retried in the meantime stays failed: the retry has its own proof', () => {
  const answered = { kind: 'retried', as: 'trg_2' } as const
  const trigger = failed('ACK_TIMEOUT', { answered })
  insertTrigger(scene.context.db, trigger)
  triggersOf(scene).arrived(trigger, { kind: 'hook', at: 2 })
  expect(triggersOf(scene).require('trg_1').state).toBe('failed')
})

test('the item of one whose runtime does not run says how to start it', () => {
  const trigger = failed('TARGET_NOT_FOUND')
  triggersOf(scene).settled(trigger)
  const [item] = scene.herd.herd.queue()
  expect(item?.verdict).toMatchObject({
    ask: {
      text: expect.stringContaining('Start it first: trailboss runtime start ranch/executor'),
    },
  })
})

test('the item for the task of a dispatch names the commands for a dispatch', () => {
  const told = { id: 'dsp_1', name: 'fence', workspaceId: 'ranch', runtimeId: 'rt_1', by: 'ana' }
  const task = { harness: 'codex', cwd: '/ranch', reviewer: undefined, prompt: 'Go on.' }
  saveDispatch(scene.context.db, newDispatch({ ...told, ...task }, 1))
  const textOf = (trigger: Trigger) => {
    triggersOf(scene).settled(trigger)
    const [item] = scene.herd.herd.queue()
    return item?.verdict.state === 'stuck' ? item.verdict.ask.text : ''
  }
  const text = textOf({ ...failed('TARGET_NOT_FOUND'), reason: DISPATCH_REASON })
  expect(text).toMatch(/dispatch logs fence.*dispatch stop fence$/)
  expect(text).not.toMatch(/runtime start|trigger retry/)
  expect(textOf(failed('ACK_TIMEOUT'))).toMatch(/trigger retry trg_1$/)
})

test('the audit lines of a trigger name its thread', () => {
  const { bridge, context } = scene
  const told = { workspaceId: 'ranch', role: 'executor', harness: 'claude-code' }
  const runtime = newRuntime({ ...told, runtimeId: 'rt_1', socket: '/s', cwd: '/' }, 1)
  saveRuntime(context.db, runtime)
  const opened = { workspace: 'ranch', title: 'The fence', participants: ['executor'] }
  const { id: threadId } = bridge.openThread(opened)
  const triggers = triggersOf(scene)
  const { agentId } = runtime
  const { id: triggerId } = triggers.create({ agentId, threadId, reason: 'news', by: 'ana' })
  triggers.cancel(triggerId, 'ana')
  expect(scene.audit('trigger_queued', 'trigger_cancelled')).toMatchObject([
    { kind: 'trigger_queued', agentId, triggerId, threadId },
    { kind: 'trigger_cancelled', agentId, triggerId, threadId },
  ])
})
