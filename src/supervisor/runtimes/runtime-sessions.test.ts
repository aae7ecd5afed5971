import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import { withoutSecrets } from '../../core/session/event-redaction.ts'
import { newRuntime, paneIn, type Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { createRegistry, type Registry } from './registry.ts'
import { createRuntimeSessions, type RuntimeSessions } from './runtime-sessions.ts'

const MINUTE = 60_000

let world: TestHerd
let registry: Registry
let sessions: RuntimeSessions
let active: string[]
/** Long enough ago that everything in a test has happened since. */
let start: number

beforeEach(() => {
  world = createTestHerd()
  registry = createRegistry(world.store)
  active = []
  start = world.herd.clock.now() - 10 * MINUTE
  const about = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'hand', harness: 'claude-code' }
  const registered = newRuntime({ ...about, socket: '/s', cwd: '/' }, start)
  registry.change(() => registry.save(runtimeIn('ready', registered)))
  sessions = createRuntimeSessions({
    registry,
    herd: world.herd,
    active: (runtimeId) => void active.push(runtimeId),
  })
})
afterEach(() => world[Symbol.dispose]())

/** As it is on disk. */
function runtime(): Runtime {
  return createRegistry(world.store).requireAgent('ranch/hand')
}

const heard = () => [runtime().sessionId, runtime().lastHeartbeatAt]

/** A hook in the pane of the runtime, so long after the start. */
function hook(afterMs: number, told: Partial<AgentEvent> = {}): void {
  const pane = { socket: '/s', id: '%9', server: 7 }
  const about = { v: 1, harness: 'claude-code', session: 'ses-1', source: 'hook' } as const
  const event = { ...about, kind: 'seen', pane, at: start + afterMs, ...told } as const
  world.herd.receive(withoutSecrets(event), { recovered: false })
  const session = world.herd.session(sessionKey(event.harness, event.session))
  if (session) sessions.link(session)
}

describe('a hook', () => {
  test('names the session, and is a heartbeat', () => {
    expect(heard()).toEqual([undefined, undefined])
    hook(1_000, { kind: 'started', pid: 4_711 })
    expect(heard()).toEqual(['ses-1', start + 1_000])
    expect(paneIn(runtime())?.agentPid).toBe(4_711)
  })

  test('is stored as a heartbeat once a minute, but always reported as activity', () => {
    hook(0)
    hook(MINUTE - 1)
    expect(runtime().lastHeartbeatAt).toBe(start)
    hook(MINUTE)
    expect(runtime().lastHeartbeatAt).toBe(start + MINUTE)
    expect(active).toEqual(['rt_1', 'rt_1', 'rt_1'])
  })

  test('of another session in that pane is one at once', () => {
    hook(0)
    hook(1_000, { kind: 'started', session: 'ses-2' })
    expect(heard()).toEqual(['ses-2', start + 1_000])
  })

  test('that ends the session is none', () => {
    hook(0)
    hook(MINUTE, { kind: 'ended' })
    expect(heard()).toEqual(['ses-1', start])
    expect(active).toEqual(['rt_1'])
  })

  test.each<[string, Partial<AgentEvent>]>([
    ['in another pane', { pane: { socket: '/s', id: '%8', server: 7 } }],
    ['in the pane of another server', { pane: { socket: '/s', id: '%9', server: 6 } }],
    ['of another harness', { harness: 'codex' }],
    ['of a session that only points there', { isGuest: true }],
    ['that names no session', { session: 'pid-4711' }],
  ])('%s is none', (_, told) => {
    hook(0, told)
    expect(heard()).toEqual([undefined, undefined])
    expect(active).toEqual([])
  })
})

describe('a beat over the bridge', () => {
  test('is a heartbeat, stored once a minute', () => {
    sessions.beat('rt_1', start)
    expect(heard()).toEqual([undefined, start])
    sessions.beat('rt_1', start + MINUTE - 1)
    expect(runtime().lastHeartbeatAt).toBe(start)
    sessions.beat('rt_1', start + MINUTE)
    expect(runtime().lastHeartbeatAt).toBe(start + MINUTE)
  })

  test('of a runtime that is forgotten changes nothing', () => {
    sessions.beat('rt_2', start)
    expect(registry.list()).toHaveLength(1)
    expect(runtime().lastHeartbeatAt).toBeUndefined()
  })
})
