import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../test/support/daemon/test-herd.ts'
import { runtimeIn } from '../../test/support/supervisor/runtime-in.ts'
import { loadConfig } from '../config/config.ts'
import type { Paths } from '../config/paths.ts'
import type { AuditView, RuntimesView } from '../contract/supervisor.ts'
import type { WorkspacesReloadView } from '../contract/workspaces.ts'
import { newRuntime, type Runtime } from '../core/supervisor/runtime/runtime.ts'
import { problemResponse } from '../service/problem.ts'
import { saveRuntime } from '../store/tables/runtimes.ts'
import type { ServerLinks } from '../tmux/server-link/server-links.ts'
import { ConfigWatch } from './home/config-watch.ts'
import { createSupervised, type Supervised } from './supervision.ts'

let world: TestHerd
let supervised: Supervised
let app: Hono
const metrics = new Registry()

const harness = 'claude-code'
const ranch = (more: object = {}) => {
  const directory = join(world.dir, 'ranch')
  mkdirSync(directory, { recursive: true })
  return { directories: [directory], roles: { lead: { harness } }, ...more }
}
const write = (config: object | string) =>
  writeFileSync(
    join(world.dir, 'config.json'),
    typeof config === 'string' ? config : JSON.stringify(config),
  )

/** As it is registered. */
function leadRuntime(): Runtime {
  const [cwd = ''] = ranch().directories
  const place = { workspaceId: 'ranch', role: 'lead', harness, socket: '/s', cwd }
  return newRuntime({ runtimeId: 'rt_1', ...place }, 1)
}

function supervise(): void {
  const { store, herd, log } = world
  const configFile = join(world.dir, 'config.json')
  const env = { PATH: '/nowhere' }
  const config = loadConfig(configFile, env)
  const sockets = [join(world.dir, 'no-tmux')]
  const say = () => undefined
  const lost = (): never => {
    throw new Error('lost')
  }
  const settings = { paths: { configFile } as Paths, config, log, sockets, env, say, lost }
  const links = { ask: async () => undefined, screenOf: async () => undefined }
  supervised = createSupervised({
    settings,
    configWatch: new ConfigWatch(settings),
    store,
    herd,
    monitor: { viewOf: () => undefined, prompted: () => undefined },
    links: links as unknown as ServerLinks,
  })
  metrics.clear()
  supervised.addMetrics(metrics)
  app = new Hono().onError(problemResponse)
  for (const routes of supervised.routes) app.route('/', routes)
}

async function ask<T>(path: string, body?: object): Promise<{ status: number; body: T }> {
  const headers = { 'content-type': 'application/json' }
  const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await app.request(path, post ?? {})
  return { status: response.status, body: (await response.json()) as T }
}
const reload = (by = 'ana') => ask<WorkspacesReloadView>('/workspaces/reload', { by })

beforeEach(() => {
  world = createTestHerd()
})
afterEach(async () => {
  await supervised[Symbol.asyncDispose]()
  world[Symbol.dispose]()
})

test('without a workspace there is no supervisor, and the first one brings it', async () => {
  supervise()
  supervised.start()
  expect(await ask('/runtimes')).toMatchObject({ status: 404, body: { code: 'NOT_SUPERVISED' } })
  expect(await reload()).toMatchObject({ status: 200, body: { known: [], running: [] } })
  expect(await ask('/runtimes')).toMatchObject({ status: 404 })
  expect(await metrics.metrics()).not.toContain('trailboss_runtimes')

  write({ workspaces: { ranch: ranch() } })
  expect((await reload()).body).toMatchObject({
    known: ['ranch'],
    workspaces: { added: ['ranch'] },
    agents: { added: ['ranch/lead'], removed: [], changed: [] },
    restart: [],
  })
  expect(await ask('/runtimes')).toEqual({ status: 200, body: { runtimes: [] } })
  const registered = await ask('/runtimes/register', { agent: 'ranch/lead' })
  expect(registered).toMatchObject({ status: 201, body: { agent: 'ranch/lead' } })
  expect(await metrics.metrics()).toContain('trailboss_runtimes{status="stopped"} 1')
  const { lines } = (await ask<AuditView>('/audit?kind=workspaces_reloaded')).body
  expect(lines).toMatchObject([
    { actor: 'operator:ana', detail: 'workspaces added: ranch; agents added: ranch/lead' },
  ])
})

test('replies are off by default: nothing that types exists, and the route says how to turn them on', async () => {
  supervise()
  const reply = { harness, session: 's', text: 'Go on.' }
  expect(await ask('/reply', reply)).toMatchObject({
    status: 403,
    body: { code: 'REPLY_OFF', hint: expect.stringContaining('"reply": true') },
  })
  await supervised[Symbol.asyncDispose]()
  write({ reply: true })
  supervise()
  expect(await ask('/reply', reply)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  const { lines } = (await ask<AuditView>('/audit?kind=reply_refused')).body
  expect(lines).toMatchObject([{ actor: 'operator:local', result: 'NOT_FOUND' }])
})

test('a broken file changes nothing, and says what is wrong', async () => {
  write({ workspaces: { ranch: ranch() } })
  supervise()
  write('{')
  expect(await reload()).toMatchObject({
    status: 400,
    body: { code: 'BAD_CONFIG', detail: expect.stringContaining('is not valid JSON') },
  })
  write({ workspaces: { ranch: ranch({ orchestrator: 'boss' }) } })
  expect((await reload()).status).toBe(400)
  expect((await ask('/runtimes/register', { agent: 'ranch/lead' })).status).toBe(201)
})

test('what was removed is refused from then on, and what runs is named', async () => {
  write({ workspaces: { ranch: ranch() } })
  saveRuntime(world.store.db, runtimeIn('ready', leadRuntime()))
  supervise()
  write({ port: 1, workspaces: { ranch: ranch({ roles: { hand: { harness } } }) } })
  expect((await reload()).body).toMatchObject({
    agents: { added: ['ranch/hand'], removed: ['ranch/lead'] },
    running: ['ranch/lead'],
    restart: ['port'],
  })
  expect((await ask('/runtimes/register', { agent: 'ranch/hand' })).status).toBe(201)
  const { runtimes } = (await ask<RuntimesView>('/runtimes?agent=ranch/lead')).body
  expect(runtimes).toMatchObject([{ status: 'ready' }])
})

test('a role that got another harness is started as that, with a session of its own', async () => {
  write({ workspaces: { ranch: ranch() } })
  saveRuntime(world.store.db, { ...leadRuntime(), sessionId: 'abc' })
  supervise()
  write({ workspaces: { ranch: ranch({ roles: { lead: { harness: 'codex' } } }) } })
  await reload()
  expect(await ask('/runtimes/start', { agent: 'ranch/lead' })).toMatchObject({
    body: { code: 'HARNESS_MISSING', detail: expect.stringContaining('codex') },
  })
  const { runtimes } = (await ask<RuntimesView>('/runtimes')).body
  expect(runtimes).toMatchObject([{ harness: 'codex', session: null }])
})
