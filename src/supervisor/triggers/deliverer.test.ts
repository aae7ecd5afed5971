import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { targetObserved, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import type { Relaunch } from '../../core/supervisor/runtime/restart.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import { insertTrigger, readTrigger } from '../../store/tables/triggers.ts'
import type { AgentTerminator } from '../runtimes/agent-terminator.ts'
import type { PromptChannels } from '../runtimes/prompt-channel.ts'
import { createRegistry } from '../runtimes/registry.ts'
import { Deliverer } from './deliverer.ts'
import type { TargetObserver } from './target-observer.ts'

const TEXT = '[tb:k3f9x2m7q1] Go on.'
let scene: BridgeScene
beforeEach(() => {
  scene = createBridgeScene()
})
afterEach(() => scene[Symbol.dispose]())

/** The first launch for a trigger of a thread, after its process has ended with this session. */
async function launchAfter(sessionId: string | undefined) {
  const { context, bridge } = scene
  const { clock, db } = context
  const { agentId, runtimeId } = scene.launch('ranch/executor')
  const participants = [agentId]
  const threadId = bridge.openThread({ workspace: 'ranch', title: 'The fence', participants }).id
  bridge.post({ thread: threadId, text: 'The north fence is down.' })
  const at = clock.now()
  const registry = createRegistry(context)
  const about = { runtimeId, workspaceId: 'ranch', role: 'executor', harness: 'claude-code' }
  const registered = newRuntime({ ...about, socket: '/s', cwd: '/' }, at)
  registry.change(() => registry.save(runtimeIn('ready', registered)))
  const facts = { runtimeId, agentId, threadId, text: TEXT, createdAt: at }
  const fallback = { since: at, goneAt: at }
  insertTrigger(db, triggerIn('fallback', facts, { write: undefined, fallback }))
  const seen = () => targetObserved(clock.now(), { pane: 'dead', sessionId })
  const look = async () => ({ ...seen(), cursor: undefined, lines: undefined })
  const mutex = new KeyedMutex()
  const { promise, resolve } = Promise.withResolvers<{ how: Relaunch; prompt?: string }>()
  using deliverer = new Deliverer({
    context,
    registry,
    mutex,
    observer: { look } as unknown as TargetObserver,
    reconciler: {
      relaunch: async (_, how, prompt) => {
        resolve({ how, ...(prompt !== undefined && { prompt }) })
        return 'done'
      },
    },
    channels: {} as PromptChannels,
    terminator: {} as AgentTerminator,
    promptFor: (trigger, { role }) =>
      [role, bridge.threadSummary(trigger.threadId ?? ''), trigger.text].join('\n\n'),
    settled: () => {},
  })
  deliverer.look(runtimeId)
  const launch = await promise
  deliverer[Symbol.dispose]()
  await mutex.idle()
  return { ...launch, stored: readTrigger(db, 'trg_1') }
}

test('a new session gets the prompt for one that starts over: its role, the thread, the trigger', async () => {
  const { how, prompt, stored } = await launchAfter(undefined)
  expect(how).toBe('spawn')
  expect(prompt).toMatch(
    /^executor\n\nThread th_\w+ "The fence" .*: The north fence is down\.\n\n/s,
  )
  expect(prompt?.endsWith(`\n\n${TEXT}`)).toBe(true)
  expect(stored).toMatchObject({ text: TEXT, sent: 'spawn', fallback: { spawns: 1 } })
})

test('a session that is resumed knows its thread, and gets only the trigger', async () => {
  const { how, prompt, stored } = await launchAfter('ses-1')
  expect([how, prompt]).toEqual(['resume', TEXT])
  expect(stored).toMatchObject({ sent: 'resume', fallback: { resumes: 1, spawns: 0 } })
})
