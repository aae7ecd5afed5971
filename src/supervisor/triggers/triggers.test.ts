import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { type Changes, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { DISPATCH_REASON, newDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import type { FailureCode } from '../../core/supervisor/runtime/failure-code.ts'
import type { Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { saveDispatch } from '../../store/tables/dispatches.ts'
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
])('a trigger that failed by %s is an item of its own: %s', (code, isItem) => {
  const trigger = failed(code)
  insertTrigger(scene.context.db, trigger)
  triggersOf(scene).settled(trigger)
  expect(scene.context.escalations.isRaised({ kind: 'trigger', id: 'trg_1' })).toBe(isItem)
  const { escalations } = scene.context
  escalations.end({ kind: 'trigger', id: 'trg_1' }, 'the test wants to see it come again', 'itself')
  triggersOf(scene).recover()
  expect(scene.context.escalations.isRaised({ kind: 'trigger', id: 'trg_1' })).toBe(isItem)
})

test("what is proved after it had failed was delivered, and is nobody's to settle", () => {
  const trigger = failed('ACK_TIMEOUT')
  insertTrigger(scene.context.db, trigger)
  const triggers = triggersOf(scene)
  triggers.settled(trigger)
  triggers.arrived(trigger, { kind: 'hook', at: 2 })
  expect(triggers.require('trg_1')).toMatchObject({ state: 'delivered', ack: { kind: 'hook' } })
  expect(scene.context.escalations.isRaised({ kind: 'trigger', id: 'trg_1' })).toBe(false)
})

test('the item of one that a channel may hold says that it could come twice', () => {
  triggersOf(scene).settled(failed('ACK_TIMEOUT', { write: { by: 'channel' } }))
  const [item] = scene.herd.herd.queue()
  expect(item?.verdict).toMatchObject({ ask: { text: expect.stringContaining('come twice') } })
})

test('one that was tried again meanwhile stays failed: the other has its own proof', () => {
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

test('the item of the task of a dispatch names what can be done with a dispatch', () => {
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
