import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { type Changes, triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import type { HeartbeatStatus } from '../../core/bridge/heartbeat.ts'
import { screenOf } from '../../core/screen/screen.ts'
import { newRuntime, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { AckKind } from '../../core/supervisor/trigger/ack.ts'
import type { Trigger, TriggerFacts } from '../../core/supervisor/trigger/trigger.ts'
import { triggerStep } from '../../core/supervisor/trigger/trigger-step.ts'
import { insertTrigger } from '../../store/tables/triggers.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import { FirstPrompts } from '../runtimes/first-prompts.ts'
import { createRegistry, type Registry } from '../runtimes/registry.ts'
import { RuntimeObserver } from '../runtimes/runtime-observer.ts'
import { Proofs } from './proofs.ts'
import { TargetObserver } from './target-observer.ts'

const EXECUTOR = 'ranch/executor'
const RULE = '─'.repeat(60)
const IDLE = screenOf(`● Done.\n\n${RULE}\n❯ \n${RULE}\n  ? for shortcuts`, {
  cursor: { x: 2, y: 3, visible: true },
})
const QUIET_MS = 20_000
const RATE = { windowMs: 60_000, perThread: 2, perAgent: 3 }

let scene: BridgeScene
let registry: Registry
let observer: TargetObserver
let secret: string
/** The second of the last key of a client at the pane; undefined: nobody looks at it. */
let keySecond: number | undefined
let isAnswering: boolean

beforeEach(() => {
  scene = createBridgeScene({ delivery: { quietMs: QUIET_MS }, rate: RATE })
  ;[keySecond, isAnswering] = [undefined, true]
  const { context, herd } = scene
  const { runtimeId, ...launched } = scene.launch(EXECUTOR)
  secret = launched.secret
  registry = createRegistry(context)
  const about = { runtimeId, workspaceId: 'ranch', role: 'executor', harness: 'claude-code' }
  const registered = newRuntime({ ...about, socket: '/s', cwd: '/' }, context.clock.now())
  registry.change(() => registry.save(runtimeIn('ready', registered)))
  observer = new TargetObserver({
    context,
    herd: herd.herd,
    observer: new RuntimeObserver(answerOfTmux, 1),
    proofs: new Proofs(),
    firstPrompts: new FirstPrompts(),
    channels: { has: () => false, evidence: () => 'unknown' },
    finder: { find: async () => undefined, isTaken: async () => undefined },
    links: {
      ask: answerOfTmux,
      screenOf: async ({ pid }) => {
        return { screen: IDLE, pid, isDead: false, isInMode: false, isAlternate: false }
      },
    },
  })
})
afterEach(() => scene[Symbol.dispose]())

/** Of a server with one pane, that of `runtimeIn`. */
const answerOfTmux: RunCommands = async (_, commands) => {
  if (!isAnswering) return { ok: false, kind: 'timeout', stderr: '', code: null }
  const isAboutClients = commands.some(([name]) => name === 'list-clients')
  const client = keySecond === undefined ? [] : [`c 7 ${keySecond} @1 %9 attached,focused`]
  const rows = isAboutClients ? [...client, 'p %9 @1'] : ['7 %9 8 0 s g t']
  return { ok: true, stdout: rows.join('\n') }
}

const now = () => scene.context.clock.now()

function runtime(): Runtime {
  return registry.requireAgent(EXECUTOR)
}

async function stepOf(trigger: Trigger) {
  const seen = await observer.look(trigger, runtime())
  return { seen, ...triggerStep(trigger, seen, now(), scene.context.settings) }
}

describe('the operator of a runtime', () => {
  const keyAgo = (ms: number) => {
    const { clock } = scene.context
    keySecond = Math.floor(clock.toWall(clock.now() - ms) / 1_000)
  }
  /** As a restarted daemon would read it. */
  const isBusy = async () => {
    await observer.noticeOperators(registry)
    return createRegistry(scene.context).requireAgent(EXECUTOR).operatorBusy
  }

  test('is busy there from a key until the quiet time has passed without another', async () => {
    expect(await isBusy()).toBe(false)
    keyAgo(2_000)
    expect(await isBusy()).toBe(true)
    scene.pass(QUIET_MS - 5_000)
    keyAgo(QUIET_MS - 3_000)
    expect(await isBusy()).toBe(true)
    scene.pass(5_000)
    keyAgo(QUIET_MS + 2_000)
    expect(await isBusy()).toBe(false)
    keyAgo(2_000)
    expect(await isBusy()).toBe(true)
  })

  test('counts for as long after detaching, although tmux has forgotten the key', async () => {
    keyAgo(2_000)
    expect(await isBusy()).toBe(true)
    keySecond = undefined
    expect(await isBusy()).toBe(true)
    scene.pass(QUIET_MS)
    expect(await isBusy()).toBe(false)
  })

  test('is as busy as before while tmux does not answer', async () => {
    keyAgo(2_000)
    expect(await isBusy()).toBe(true)
    isAnswering = false
    scene.pass(QUIET_MS)
    expect(await isBusy()).toBe(true)
    isAnswering = true
    keySecond = undefined
    expect(await isBusy()).toBe(false)
  })
})

describe('an entered trigger that nothing proves', () => {
  const ACK_MS = 8_000
  let thread: string
  beforeEach(() => {
    const participants = [EXECUTOR]
    thread = scene.bridge.openThread({ workspace: 'ranch', title: 'x', participants }).id
    scene.bridge.post({ thread, text: 'The north fence is down.' })
    scene.pass(1)
  })

  const use = (call: Parameters<BridgeScene['bridge']['use']>[1]) =>
    void scene.bridge.use(scene.bridge.identify(secret), call)
  const read = () => use({ name: 'read_messages', body: { limit: 50 } })
  const beat = (status?: HeartbeatStatus) =>
    use({ name: 'heartbeat_session', body: { ...(status && { status }) } })
  const entered = (facts: Partial<TriggerFacts> = {}): Trigger => {
    const { runtimeId, agentId } = runtime()
    const at = now()
    const about = { runtimeId, agentId, threadId: thread, createdAt: at, ...facts }
    const write = { claimedAt: at, wroteAt: at }
    return triggerIn('submitted', about, { write, enteredAt: at })
  }

  test.each<[string, AckKind, () => void]>([
    ['reads its thread', 'cursor', read],
    ['says that it is at work', 'heartbeat', () => beat('active')],
    ['says that it is idle', 'heartbeat', () => beat('idle')],
    ['says so and then reads', 'cursor', () => [beat('active'), read()]],
  ])('is delivered 8 seconds after Enter if its agent %s: %s', async (_, kind, act) => {
    const trigger = entered()
    scene.pass(1_000)
    act()
    const { acks } = (await stepOf(trigger)).seen
    expect(acks).toContainEqual({ kind, at: expect.any(Number) })
    expect((await stepOf(trigger)).trigger.state).toBe('submitted')
    scene.pass(ACK_MS)
    expect((await stepOf(trigger)).trigger).toMatchObject({ state: 'delivered', ack: { kind } })
  })

  test.each<[string, () => void]>([
    ['does nothing', () => {}],
    ['is blocked', () => beat('blocked')],
    ['only keeps its bridge open', () => beat()],
  ])('is not delivered if its agent %s', async (_, act) => {
    const trigger = entered()
    scene.pass(1_000)
    act()
    scene.pass(ACK_MS)
    const { seen, trigger: next } = await stepOf(trigger)
    expect([seen.acks, next.state]).toEqual([[], 'submitted'])
  })

  test('is not delivered by what its agent did before it', async () => {
    read()
    beat('active')
    scene.pass(1)
    const trigger = entered()
    scene.pass(ACK_MS)
    const { seen, trigger: next } = await stepOf(trigger)
    expect([seen.acks, next.state]).toEqual([[], 'submitted'])
  })

  test('is not delivered if another thread, or another runtime of its agent, is what moved', async () => {
    const [elsewhere, earlier] = [
      entered({ threadId: undefined }),
      entered({ threadId: undefined, runtimeId: 'rt_earlier' }),
    ]
    scene.pass(1_000)
    read()
    expect((await stepOf(elsewhere)).seen.acks).toEqual([])
    beat('active')
    expect((await stepOf(earlier)).seen.acks).toEqual([])
    expect((await stepOf(elsewhere)).seen.acks).toMatchObject([{ kind: 'heartbeat' }])
  })
})

describe('a trigger beyond the rate limit', () => {
  let made = 0
  const named = (threadId: string | undefined): Partial<TriggerFacts> => {
    const { runtimeId, agentId } = runtime()
    made++
    const mark = `${made}`.padStart(10, 'a')
    return { id: `trg_${made}`, mark, runtimeId, agentId, threadId, createdAt: now() }
  }
  const queued = (threadId?: string, changes: Changes<'queued'> = {}) =>
    triggerIn('queued', named(threadId), changes)
  /** Delivers one for each of these threads, a second apart. Returns when the first was typed. */
  const delivered = (...threads: (string | undefined)[]): number => {
    const claims = threads.map((threadId) => {
      const claimedAt = now()
      const taken = triggerIn('delivered', named(threadId), { write: { claimedAt } })
      insertTrigger(scene.context.db, taken)
      scene.pass(1_000)
      return claimedAt
    })
    return Math.min(...claims)
  }
  const isTyped = async (trigger: Trigger) => (await stepOf(trigger)).act.kind === 'claim-and-write'

  test('of its thread waits under that code until the window is free, and is typed then', async () => {
    const first = delivered('th_1', 'th_1')
    const { act, trigger } = await stepOf(queued('th_1'))
    expect(act).toEqual({ kind: 'wait', until: first + RATE.windowMs })
    expect(trigger).toMatchObject({ state: 'deferred', code: 'TRIGGER_RATE_LIMITED' })
    expect(await isTyped(queued('th_2'))).toBe(true)
    scene.pass(RATE.windowMs - 2_500)
    expect((await stepOf(trigger)).trigger).toEqual(trigger)
    scene.pass(1_000)
    expect(await isTyped(trigger)).toBe(true)
  })

  test('of its agent waits in whichever thread it is, or in none', async () => {
    const first = delivered('th_1', 'th_2', undefined)
    for (const threadId of ['th_1', 'th_3', undefined]) {
      const { act, trigger } = await stepOf(queued(threadId))
      expect(act).toEqual({ kind: 'wait', until: first + RATE.windowMs })
      expect(trigger).toMatchObject({ code: 'TRIGGER_RATE_LIMITED' })
    }
  })

  test('does not wait if the operator forces it, or once it is being typed', async () => {
    delivered('th_1', 'th_1', 'th_1')
    expect(await isTyped(queued('th_1', { force: { by: 'ana', why: 'now' } }))).toBe(true)
    const written = triggerIn('written', named('th_1'), { write: { claimedAt: now() } })
    expect((await stepOf(written)).seen.rateLimitedUntil).toBeUndefined()
  })
})
