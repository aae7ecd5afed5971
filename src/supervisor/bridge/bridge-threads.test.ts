import { afterEach, describe, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'

type RanchOptions = NonNullable<Parameters<typeof createBridgeScene>[1]>
type Decision = 'unblock_thread' | 'close_thread'

const LEAD = 'ranch/planner'
const EXECUTOR = 'ranch/executor'
let scene: BridgeScene
afterEach(() => scene[Symbol.dispose]())

/** A thread in a workspace like that, blocked because its finding was reported again and again. */
function blockedThread(ranch: RanchOptions): string {
  scene = createBridgeScene({}, ranch)
  const told = { workspace: 'ranch', title: 'The parser', participants: [LEAD, EXECUTOR] }
  const thread = scene.bridge.openThread(told).id
  const executor = scene.bridge.identify(scene.launch(EXECUTOR).secret)
  for (let n = 0; n < 3; n++) {
    const body = { thread, text: `again ${n}`, to: [], findings: ['It leaks.'] }
    scene.bridge.use(executor, { name: 'post_message', body })
  }
  return thread
}

function decide(agentId: string, name: Decision, thread: string): () => unknown {
  const token = scene.bridge.identify(scene.launch(agentId).secret)
  return () => scene.bridge.use(token, { name, body: { thread } })
}

describe.each([
  ['unblock_thread', 'thread_unblocked', 'open'],
  ['close_thread', 'thread_closed', 'closed'],
] as const)('%s', (name, kind, state) => {
  test('is a decision that the orchestrator may take', () => {
    const thread = blockedThread({ orchestrator: 'planner' })
    expect(decide(LEAD, name, thread)()).toMatchObject({ state: { kind: state } })
    expect(scene.audit(kind)).toMatchObject([{ actor: LEAD, threadId: thread, result: 'ok' }])
    expect(scene.herd.queue()).toEqual([])
  })

  test.each<[string, RanchOptions, string, string]>([
    [
      'an agent that is not the orchestrator',
      { orchestrator: 'planner' },
      EXECUTOR,
      'Only the orch',
    ],
    ['every agent, where nobody is the orchestrator', {}, LEAD, 'Only the orch'],
    [
      'the orchestrator, where only the operator decides',
      { orchestrator: 'planner', orchestratorDecides: false },
      LEAD,
      'only the operator',
    ],
  ])('is refused to %s', (_, ranch, agentId, why) => {
    const thread = blockedThread(ranch)
    const message = expect.stringContaining(why)
    const refusal = expect.objectContaining({ code: 'UNAUTHORIZED', message })
    expect(decide(agentId, name, thread)).toThrow(refusal)
    expect(scene.bridge.thread(thread).state.kind).toBe('blocked')
    expect(scene.audit(kind)).toEqual([])
    expect(scene.herd.queue()).toEqual([`thread-${thread}`])
  })

  test('finds no thread of another workspace', () => {
    const thread = blockedThread({ orchestrator: 'planner' })
    const refusal = expect.objectContaining({ code: 'NOT_FOUND' })
    expect(decide('farm/farmer', name, thread)).toThrow(refusal)
    expect(scene.bridge.thread(thread).state.kind).toBe('blocked')
  })
})
