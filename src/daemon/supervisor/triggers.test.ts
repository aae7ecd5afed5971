import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BridgeScene, createBridgeScene } from '../../../test/support/bridge-scene.ts'
import type { FailureCode } from '../../core/supervisor/failure-code.ts'
import { newTrigger, type Trigger } from '../../core/supervisor/trigger.ts'
import { insertTrigger } from '../../store/triggers.ts'
import type { Deliverer } from './deliverer.ts'
import { createRegistry } from './registry.ts'
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

function failed(code: FailureCode): Trigger {
  const about = { runtimeId: 'rt_1', agentId: 'ranch/executor', threadId: 'th_1' }
  const told = { ...about, id: 'trg_1', mark: 'aaaaaaaaaa', reason: 'test', text: 'Go on.' }
  const trigger = newTrigger({ ...told, force: undefined }, scene.context.clock.now())
  return { ...trigger, state: 'failed', code, settledAt: trigger.createdAt }
}

test.each<[FailureCode, boolean]>([
  ['ACK_TIMEOUT', true],
  ['THREAD_AUTO_BLOCKED', false],
])('a trigger that failed by %s is an item of its own: %s', (code, isItem) => {
  const trigger = failed(code)
  insertTrigger(scene.context.db, trigger)
  triggersOf(scene).settled(trigger)
  expect(scene.context.escalations.isRaised('trigger-trg_1')).toBe(isItem)
  scene.context.escalations.end('trigger-trg_1', 'the test wants to see it come again')
  triggersOf(scene).recover()
  expect(scene.context.escalations.isRaised('trigger-trg_1')).toBe(isItem)
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
