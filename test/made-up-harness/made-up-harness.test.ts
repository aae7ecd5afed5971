import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { daemonEnvironment } from '../src/cli/daemon/daemon-environment.ts'
import { wiringGroups } from '../src/cli/doctor/wiring.ts'
import { runProgram } from '../src/cli/program.ts'
import { screenOf } from '../src/core/screen/screen.ts'
import { signalOf } from '../src/core/screen/signals.ts'
import { createApp } from '../src/daemon/http/app.ts'
import type { Adapter } from '../src/harness/adapter/adapter.ts'
import { parseOwnScreenRules } from '../src/harness/own-screen-rules.ts'
import { ADAPTERS } from '../src/harness/registry.ts'
import { harnessIn } from '../src/harness/running-harness.ts'
import { createScreenReader } from '../src/harness/screen-reader.ts'
import { signalRulesFor } from '../src/harness/signal-rules.ts'
import { managedHarness } from '../src/supervisor/context/workspaces.ts'
import { mule } from './fixtures/mule/adapter.ts'
import { appParts } from './support/daemon/app-parts.ts'
import { createTestHerd } from './support/daemon/test-herd.ts'
import { waitFor } from './support/wait-for.ts'

/** The one line that a new harness needs outside of its folder. */
vi.mock('../src/harness/registry.ts', async (original) => {
  const registry = await original<{ ADAPTERS: Adapter[] }>()
  registry.ADAPTERS.push((await import('./fixtures/mule/adapter.ts')).mule)
  return registry
})

/** The next file of the same worker has the same registry. */
afterAll(() => {
  const adapters = ADAPTERS as Adapter[]
  adapters.splice(adapters.indexOf(mule), 1)
})

let home: string
let printed: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tb-mule-'))
  mkdirSync(join(home, '.mule'))
  vi.stubEnv('HOME', home)
  vi.stubEnv('TRAILBOSS_HOME', join(home, 'state'))
  printed = ''
  const write = (text: string | Uint8Array) => {
    printed += String(text)
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  vi.spyOn(process.stderr, 'write').mockImplementation(write)
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
  process.exitCode = 0
})

const trailboss = async (...args: string[]): Promise<string> => {
  printed = ''
  await runProgram(['node', 'trailboss', ...args])
  return printed
}

const settings = () => join(home, '.mule', 'settings.json')
const ITS_OWN = '{\n\t"theme": "hay"\n}\n'

test('is installed, and uninstalled to the byte', async () => {
  writeFileSync(settings(), ITS_OWN)
  expect(await trailboss('install', 'mule', '--yes')).toContain('  2 hooks run ')
  const { hooks } = JSON.parse(readFileSync(settings(), 'utf8'))
  expect(hooks.TurnEnd[0].hooks[0].command).toMatch(/trailboss-emit mule$/)
  expect(await trailboss('install', 'mule', '--yes')).toContain('Already installed.')
  await trailboss('uninstall', 'mule', '--yes')
  expect(readFileSync(settings(), 'utf8')).toBe(ITS_OWN)
})

test('is in the help and in the list of names', async () => {
  const help = await trailboss('install', '--help')
  expect(help).toContain('|mule|tmux|all]')
  expect(help).toContain("add the hooks to Mule's settings")
  expect(await trailboss('install', 'ox')).toContain('mule, tmux, all.')
  expect(daemonEnvironment({ MULE_HOME: '/m' })).toEqual({ MULE_HOME: '/m' })
})

test('is diagnosed', async () => {
  const [, check] = wiringGroups().find(([name]) => name === 'Mule') ?? []
  const found = () => check?.({ env: process.env } as never)
  expect(await found()).toMatchObject([
    { name: 'Mule', status: 'warning', mend: expect.stringContaining('trailboss install mule') },
  ])
  await trailboss('install', 'mule', '--yes')
  expect(await found()).toMatchObject([{ name: 'Mule', status: 'ok' }])
  writeFileSync(settings(), readFileSync(settings(), 'utf8').replace('{', '{ "noHooks": true,'))
  expect(await found()).toMatchObject([{ detail: expect.stringContaining('"noHooks" is true') }])
})

test('is detected by its process, its screen and its signals', async () => {
  copyFileSync('/bin/sleep', join(home, 'mule'))
  const child = spawn(join(home, 'mule'), ['60'], { detached: true })
  try {
    await waitFor(() => harnessIn(child.pid ?? 0)?.adapter === mule, { what: 'it to be found' })
  } finally {
    child.kill()
  }
  const reader = createScreenReader(parseOwnScreenRules('rules.json', '{}'))
  expect(reader.read('mule', screenOf('hee-haw\nmule>'))).toMatchObject({
    shows: 'idle',
  })
  expect(signalOf({ lines: ['~ chewing on main.ts'] }, signalRulesFor('mule'))).toBe('edits')
})

test('is explained by its hooks', async () => {
  using world = createTestHerd()
  const payload = { session_id: 'burro-1', hook_event_name: 'TurnEnd' }
  world.ingest.hook({ v: 1, harness: 'mule', at: Date.now(), payload }, 'live')
  const app = createApp(appParts(world), { kind: 'unix' })
  expect(await (await app.request('/explain?target=burro-1')).json()).toMatchObject({
    title: 'Mule',
    state: 'stuck',
    because: [{ source: 'hook', detail: 'TurnEnd', decided: true }],
  })
})

test('is launched', () => {
  const { managed } = managedHarness('mule')
  const { argv } = managed.launch({ args: ['--loud'], prompt: 'Carry this.', resume: 'burro-1' })
  expect(argv).toEqual(['mule', '--loud', '--resume', 'burro-1', '--', 'Carry this.'])
})
