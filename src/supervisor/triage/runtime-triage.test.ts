import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { SECRET_SAMPLES } from '../../../test/support/secret-samples.ts'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import type { MonitoredPane } from '../../contract/responses.ts'
import { screenOf } from '../../core/screen/screen.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { newDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import type { TriagePolicy } from '../../core/supervisor/policy.ts'
import { newRuntime, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { KeyedMutex } from '../../service/keyed-mutex.ts'
import { saveDispatch } from '../../store/tables/dispatches.ts'
import { saveRuntime } from '../../store/tables/runtimes.ts'
import { insertTrigger } from '../../store/tables/triggers.ts'
import type { PaneScreen } from '../../tmux/server-link/screens.ts'
import { createRegistry } from '../runtimes/registry.ts'
import { createAgentObserver } from './agent-observer.ts'
import { RuntimeTriage } from './runtime-triage.ts'

const AGENT = 'ranch/executor'
const ITEM = 'runtime-rt_1'
const WORKS = { kind: 'unstuck', prompt: true } as const
const ASKS = { kind: 'stuck', reason: 'stopped', ask: { text: 'Which one?' } } as const
const [SAMPLE] = SECRET_SAMPLES
const SECRET = SAMPLE?.secret ?? ''

let scene: BridgeScene
let triage: RuntimeTriage
/** What the monitor says of its screen. */
let diagnosis: 'hung' | 'slow'
let shown: string
/** When its session last reported something: two reports of one moment would have no order. */
let toldAt: number
/** How often its item was raised, changed or ended. */
let changes: number
afterEach(() => scene[Symbol.dispose]())

/** An agent of a role whose session says that it works, although nothing on its screen moves. */
function hangs(policy?: TriagePolicy): void {
  scene = createBridgeScene({}, policy && { policy })
  diagnosis = 'hung'
  toldAt = Date.now() - 1_000
  shown = `Reading the fence plan\nkey ${SECRET} is set\nAll of it is brewing`
  const { context } = scene
  const { herd, dir } = scene.herd
  saveRuntime(context.db, readyIn(join(dir, 'no-tmux')))
  tell(WORKS)
  changes = 0
  herd.onChange(({ updated }) => {
    changes += updated.filter(({ id }) => id === ITEM).length
  })
  const sentence = 'Nothing moves.'
  const seen = () => ({ diagnosis: { kind: diagnosis, sentence }, nextLookAt: 0 }) as MonitoredPane
  const observer = createAgentObserver({
    context,
    herd,
    monitor: { viewOf: seen, prompted: () => {} },
    operators: { lookAtOperators: async () => new Map() },
    links: { screenOf: async () => ({ screen: screenOf(shown) }) as PaneScreen },
  })
  const planOf = ({ agentId }: Runtime) => context.workspaces.plan(agentId)
  const [registry, mutex] = [createRegistry(context), new KeyedMutex()]
  triage = new RuntimeTriage({ context, registry, observer, mutex, planOf })
}

function readyIn(socket: string): Runtime {
  const told = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'executor', cwd: '/ranch' }
  const runtime = newRuntime({ ...told, harness: 'claude-code', socket }, 1)
  const pane = { socket, id: '%9', server: 7, pid: 8 }
  return { ...runtimeIn('ready', runtime), sessionId: 's1', status: 'ready', pane }
}

function tell(claim: Partial<AgentEvent> & Pick<AgentEvent, 'kind'>): void {
  const about = { v: 1, harness: 'claude-code', session: 's1', source: 'status' } as const
  toldAt += 1
  scene.herd.ingest.event({ ...about, at: toldAt, ...claim })
}

async function lookAgain(times = 1): Promise<void> {
  for (let look = 0; look < times; look++) await triage.look()
}

const pressed = () => scene.audit('key_pressed')

describe('an agent that hangs while it says that it works', () => {
  test('is in the queue once, with the end of its screen and without its secrets', async () => {
    hangs()
    await lookAgain(3)
    const [item, ...others] = scene.herd.herd.queue()
    expect(others).toEqual([])
    expect(item).toMatchObject({ id: ITEM, about: { kind: 'runtime', id: 'rt_1' }, cwd: '/ranch' })
    expect(item?.pane).toMatchObject({ id: '%9', server: 7 })
    const text = item?.verdict.ask.text ?? ''
    expect(text).toMatch(
      /^ranch\/executor hangs: .*\nIts screen ends with:\nReading the fence plan\n/,
    )
    expect(text).toMatch(/\nAll of it is brewing\n.*trailboss runtime restart ranch\/executor$/)
    expect(text).not.toContain(SECRET)
    expect(changes).toBe(1)
    expect(pressed()).toEqual([])
  })

  test('leaves the queue when it goes on, and comes again when it hangs again', async () => {
    hangs()
    await lookAgain()
    diagnosis = 'slow'
    await lookAgain()
    expect(scene.herd.queue()).toEqual([])
    diagnosis = 'hung'
    await lookAgain()
    expect(scene.herd.queue()).toEqual([ITEM])
  })

  test('is in the queue even if the configuration no longer names it, and nothing is pressed', async () => {
    hangs('nudge')
    scene.context.workspaces.replace({})
    await lookAgain()
    expect(scene.herd.queue()).toEqual([ITEM])
    expect(pressed()).toEqual([])
  })

  test('is nudged as often as allowed, and only then in the queue', async () => {
    hangs('nudge')
    const { triage: rules, dispatch } = scene.context.settings
    for (let nudge = 1; nudge <= rules.attempts; nudge++) {
      // Until a key had time for its effect, there is no other.
      await lookAgain(2)
      expect(pressed()).toHaveLength(nudge)
      expect(scene.herd.queue()).toEqual([])
      scene.pass(dispatch.recheckMs)
    }
    await lookAgain(2)
    expect(scene.herd.queue()).toEqual([ITEM])
    expect(pressed()).toHaveLength(rules.attempts)
    const result = expect.stringMatching(/^(refused|unknown): /)
    const key = { actor: 'trailboss', agentId: AGENT, runtimeId: 'rt_1', detail: 'Enter (nudge)' }
    expect(pressed()[0]).toMatchObject({ ...key, result })
  })

  test('leaves the queue when another screen hangs: that one is nudged first', async () => {
    hangs('nudge')
    for (let look = 0; look < 3; look++) {
      await lookAgain()
      scene.pass(scene.context.settings.dispatch.recheckMs)
    }
    expect(scene.herd.queue()).toEqual([ITEM])
    shown = 'Something else'
    await lookAgain()
    expect(scene.herd.queue()).toEqual([])
    expect(pressed()).toHaveLength(3)
  })

  test('is nudged again at its next hang, after it went on', async () => {
    hangs('nudge')
    await lookAgain()
    scene.pass(scene.context.settings.dispatch.recheckMs)
    await lookAgain()
    diagnosis = 'slow'
    await lookAgain()
    diagnosis = 'hung'
    await lookAgain()
    expect(pressed()).toHaveLength(3)
    expect(scene.herd.queue()).toEqual([])
  })
})

describe('a hang is no second item', () => {
  test('if its session is stuck anyway', async () => {
    hangs()
    tell(ASKS)
    await lookAgain(2)
    expect(scene.herd.queue()).toEqual(['s1'])
    expect(changes).toBe(0)
  })

  test('once its session is stuck, too', async () => {
    hangs()
    await lookAgain()
    expect(scene.herd.queue()).toEqual([ITEM])
    tell(ASKS)
    await lookAgain()
    expect(scene.herd.queue()).toEqual(['s1'])
  })

  test('while a dispatch of its own runs, which sees to it', async () => {
    hangs('nudge')
    const told = { id: 'dsp_1', name: 'executor', workspaceId: 'ranch', runtimeId: 'rt_1' }
    const task = { harness: 'claude-code', cwd: '/ranch', reviewer: undefined, prompt: 'Go.' }
    saveDispatch(scene.context.db, newDispatch({ ...told, ...task, by: 'ana' }, 1))
    await lookAgain()
    expect(scene.herd.queue()).toEqual([])
    expect(pressed()).toEqual([])
  })

  test('while a prompt is being delivered to it', async () => {
    hangs('nudge')
    insertTrigger(scene.context.db, triggerIn('submitted', { agentId: AGENT }))
    await lookAgain()
    expect(scene.herd.queue()).toEqual([])
    expect(pressed()).toEqual([])
  })
})
