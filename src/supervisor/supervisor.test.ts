import * as v from 'valibot'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../test/support/daemon/test-herd.ts'
import { runtimeIn } from '../../test/support/supervisor/runtime-in.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { SupervisorSchema } from '../config/supervisor-settings.ts'
import { WorkspacesSchema } from '../config/workspaces.ts'
import type { RuntimeView } from '../contract/supervisor.ts'
import { withoutSecrets } from '../core/session/event-redaction.ts'
import { newRuntime } from '../core/supervisor/runtime/runtime.ts'
import { saveRuntime } from '../store/tables/runtimes.ts'
import type { RunCommands } from '../tmux/exec.ts'
import { Supervisor } from './supervisor.ts'

const HAND = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'hand', harness: 'claude-code' }
const SETTINGS = { runtime: { reconcileMs: 10 }, delivery: { quietMs: 200 } }

let world: TestHerd
let supervisor: Supervisor
/** The second of the last key of a client at its pane. */
let keySecond: number | undefined

beforeEach(() => {
  world = createTestHerd()
  keySecond = undefined
  const { herd, log, dir } = world
  const { db } = world.store
  const registered = newRuntime({ ...HAND, socket: '/s', cwd: dir }, herd.clock.now())
  saveRuntime(db, runtimeIn('ready', registered))
  const roles = { hand: { harness: 'claude-code' } }
  const workspaces = v.parse(WorkspacesSchema, { ranch: { directories: [dir], roles } })
  supervisor = new Supervisor({
    db,
    herd,
    config: { workspaces, supervisor: v.parse(SupervisorSchema, SETTINGS) },
    log,
    env: {},
    socket: '/s',
    monitor: { viewOf: () => undefined, prompted: () => undefined },
    links: { ask: answerOfTmux, screenOf: async () => undefined },
  })
})
afterEach(async () => {
  await supervisor[Symbol.asyncDispose]()
  world[Symbol.dispose]()
})

/** Of a server with one pane, that of `runtimeIn`. */
const answerOfTmux: RunCommands = async (_, commands) => {
  const isAboutClients = commands.some(([name]) => name === 'list-clients')
  const client = keySecond === undefined ? [] : [`c 7 ${keySecond} @1 %9 attached,focused`]
  const rows = isAboutClients ? [...client, 'p %9 @1'] : ['7 %9 8 0 s g t']
  return { ok: true, stdout: rows.join('\n') }
}

function hand(): RuntimeView {
  return supervisor.runtimes.view(supervisor.registry.requireAgent('ranch/hand'))
}

test('an operator who types in a pane is noticed while the registry is compared, and so is that they stopped', async () => {
  supervisor.start()
  expect(hand().operatorBusy).toBe(false)
  keySecond = Math.floor(Date.now() / 1_000)
  await waitFor(() => hand().operatorBusy, { what: 'the operator to be busy' })
  await waitFor(() => !hand().operatorBusy, { what: 'the operator to have stopped' })
})

test('a hook in the pane of a runtime is its heartbeat', async () => {
  const at = world.herd.clock.now()
  const pane = { socket: '/s', id: '%9', server: 7 }
  const about = { v: 1, harness: HAND.harness, session: 'ses-1', source: 'hook' } as const
  const event = withoutSecrets({ ...about, kind: 'started', pane, at })
  world.herd.receive(event, { recovered: false })
  await waitFor(() => hand().session, { what: 'its session to be known' })
  const { clock } = world.herd
  expect(hand()).toMatchObject({ session: 'ses-1', lastHeartbeatAt: clock.toWall(at) })
})

test.each([{}, { status: 'active' } as const])('so is its beat over the bridge: %j', (body) => {
  const { bridge, tokens, registry } = supervisor
  const secret = tokens.issue(registry.requireAgent('ranch/hand'))
  const before = Math.floor(world.herd.clock.toWall(world.herd.clock.now()))
  expect(hand().lastHeartbeatAt).toBeNull()
  bridge.use(bridge.identify(secret), { name: 'heartbeat_session', body })
  expect(hand().lastHeartbeatAt).toBeGreaterThanOrEqual(before)
})
