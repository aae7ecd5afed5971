import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { daemonEnvironment } from '../../src/cli/daemon/daemon-environment.ts'
import { wiringGroups } from '../../src/cli/doctor/wiring.ts'
import { runProgram } from '../../src/cli/program.ts'
import { loadConfig } from '../../src/config/config.ts'
import { monitorStep } from '../../src/core/monitor/monitor.ts'
import { newWatched } from '../../src/core/monitor/watched.ts'
import { type Screen, screenOf } from '../../src/core/screen/screen.ts'
import { signalOf } from '../../src/core/screen/signals.ts'
import { markPrefix } from '../../src/core/supervisor/trigger/mark.ts'
import { createApp } from '../../src/daemon/http/app.ts'
import type { Adapter } from '../../src/harness/adapter/adapter.ts'
import { parseOwnScreenRules } from '../../src/harness/own-screen-rules.ts'
import { managedHarness } from '../../src/harness/registry.ts'
import { harnessIn } from '../../src/harness/running-harness.ts'
import { createScreenReader } from '../../src/harness/screen-reader.ts'
import { signalRulesFor } from '../../src/harness/signal-rules.ts'
import { appParts } from '../support/daemon/app-parts.ts'
import { createTestHerd } from '../support/daemon/test-herd.ts'
import { waitFor } from '../support/wait-for.ts'
import { mule } from './adapter.ts'

/** The one line that a new harness needs outside of its folder. */
vi.mock('../../src/harness/registry.ts', async (original) => {
  const registry = await original<{ ADAPTERS: Adapter[] }>()
  registry.ADAPTERS.push((await import('./adapter.ts')).mule)
  return registry
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

const READY = 'hee-haw\nmule>'
const WORK = 'hee-haw\n~ chewing on main.ts'
const DIALOG = 'hee-haw\n? Eat the hay\n  y) once  a) always  n) no'
const reader = createScreenReader(parseOwnScreenRules('rules.json', '{}'))
const sightOf = (screen: Screen) => reader.read('mule', screen)

const settings = () => join(home, '.mule', 'settings.json')
const ITS_OWN = '{\n\t"theme": "hay"\n}\n'

test('is installed, and uninstalled to the byte', async () => {
  writeFileSync(settings(), ITS_OWN)
  expect(await trailboss('install', 'mule', '--yes')).toContain('  4 hooks run ')
  const { hooks } = JSON.parse(readFileSync(settings(), 'utf8'))
  expect(hooks.TurnEnd[0].hooks[0]).toMatchObject({
    type: 'command',
    command: expect.stringMatching(/trailboss-emit mule$/),
  })
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
  const installed = readFileSync(settings(), 'utf8')
  writeFileSync(settings(), installed.replace(/"type": "command",\s*/, ''))
  expect(await found()).toMatchObject([
    { status: 'warning', detail: expect.stringContaining('without "type", which Mule needs') },
  ])
  await trailboss('install', 'mule', '--yes')
  expect(await found()).toMatchObject([{ name: 'Mule', status: 'ok' }])
  writeFileSync(settings(), installed.replace('{', '{ "noHooks": true,'))
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
  expect(sightOf(screenOf(READY))).toMatchObject({ shows: 'idle', isAlsoAtStart: true })
  expect(signalOf({ lines: ['~ chewing on main.ts'] }, signalRulesFor('mule'))).toBe('edits')
})

test('waits with a dialog and after a turn, not when it has just started', () => {
  expect(reportsOf([READY, READY, READY])).toEqual([])
  expect(reportsOf([DIALOG])).toMatchObject([
    { kind: 'stuck', reason: 'permission', label: 'permission', ask: { text: '? Eat the hay' } },
  ])
  expect(reportsOf([WORK, READY, READY])).toMatchObject([
    { kind: 'unstuck' },
    { kind: 'stuck', reason: 'stopped', label: 'finished' },
  ])
})

/** What the monitor reports of these screens, one after the other. */
function reportsOf(texts: string[]) {
  let watched = newWatched({ attention: 'fresh', isHarness: true }, 0)
  return texts.flatMap((text, look) => {
    const screen = screenOf(text)
    const about = { look: { screen, sight: sightOf(screen) }, now: look * 1_000, random: 0 }
    const { monitor: pace } = loadConfig('/nonexistent', {})
    const step = monitorStep({ ...about, watched, signalRules: signalRulesFor('mule'), pace })
    watched = step.watched
    return step.report ? [step.report] : []
  })
}

test('has a composer that is empty, has a draft or is not there', () => {
  const { managed } = managedHarness('mule')
  const seen = (text: string, x: number, y = 1) =>
    managed.composer(screenOf(text, { cursor: { x, y, visible: true } }))
  expect(seen(READY, 6)).toEqual({ kind: 'empty' })
  expect(seen('hee-haw\nmule> Load me up', 6)).toEqual({ kind: 'empty' })
  expect(seen('hee-haw\nmule> Load me up', 16)).toEqual({ kind: 'text', text: 'Load me up' })
  const draft = 'hee-haw\nmule> Carry this.\n      And that.'
  expect(seen(draft, 15, 2)).toEqual({ kind: 'text', text: 'Carry this.\nAnd that.' })
  for (const none of [seen(READY, 0), seen('hee-haw', 6), seen(DIALOG, 6), seen(WORK, 6)]) {
    expect(none).toMatchObject({ kind: 'none' })
  }
})

test('proves with the mark of a prompt that it has arrived', () => {
  const prompted = (prompt: string) =>
    mule.hookEvents({
      at: 1,
      payload: { session_id: 'burro-1', hook_event_name: 'TurnStart', prompt },
    })
  const [marked] = prompted(`${markPrefix('k3f9x2m7q1')}Carry this.`)
  expect(marked).toMatchObject({ kind: 'unstuck', prompt: true, marks: ['k3f9x2m7q1'] })
  expect(prompted('Carry this.')[0]).not.toHaveProperty('marks')
})

test('is explained by its hooks', async () => {
  using world = createTestHerd()
  const at = Date.now()
  const hook = (hook_event_name: string, more = {}) => {
    const payload = { session_id: 'burro-1', hook_event_name, ...more }
    world.ingest.hook({ v: 1, harness: 'mule', at, payload }, 'live')
    return world.queue()
  }
  expect(hook('Ask', { ask_id: '1', wanted: 'Eat the hay' })).toEqual(['burro-1'])
  expect(hook('Answer', { ask_id: '1' })).toEqual([])
  expect(hook('TurnEnd', { answer: 'Eaten.' })).toEqual(['burro-1'])
  const app = createApp(appParts(world), { kind: 'unix' })
  expect(await (await app.request('/explain?target=burro-1')).json()).toMatchObject({
    title: 'Mule',
    state: 'stuck',
    because: [
      { source: 'hook', detail: 'TurnEnd', decided: true },
      { source: 'hook', detail: 'Answer', decided: false },
    ],
  })
})

test('is launched', () => {
  const { managed } = managedHarness('mule')
  const { argv } = managed.launch({ args: ['--loud'], prompt: 'Carry this.', resume: 'burro-1' })
  expect(argv).toEqual(['mule', '--loud', '--resume', 'burro-1', '--', 'Carry this.'])
})
