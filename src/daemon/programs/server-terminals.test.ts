import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { isAlive } from '../../../test/support/processes.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { PaneRef } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import { codex } from '../../harness/codex/adapter.ts'
import { environmentOf } from '../../process/environment.ts'
import type { FoundProgram } from './found-program.ts'
import type { Programs } from './programs.ts'
import { ServerTerminals } from './server-terminals.ts'

const ID = '01a1ee6a-2c5b-77d0-bdee-98079c59a02b'
const KEY = sessionKey('codex', ID)
const PANE: PaneRef = { socket: '/tmp/tb-nowhere/one', id: '%4' }
const SERVER = { pid: process.pid }

let world: TestHerd
let terminals: ServerTerminals
let found: FoundProgram[]
let children: ChildProcess[]
let rollout: string
beforeEach(() => {
  world = createTestHerd()
  found = []
  children = []
  const sessions = join(world.dir, '.codex', 'sessions', '2026', '11', '18')
  mkdirSync(sessions, { recursive: true })
  rollout = join(sessions, `rollout-${ID}.jsonl`)
  writeFileSync(rollout, '')
  const name = JSON.stringify({ id: ID, thread_name: 'Fix it' })
  writeFileSync(join(world.dir, '.codex', 'session_index.jsonl'), `${name}\n`)
  terminals = createTerminals()
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  world[Symbol.dispose]()
})

function createTerminals(): ServerTerminals {
  const programs = { found: () => found } as unknown as Programs
  return new ServerTerminals(world.herd, { programs: () => programs, ingest: () => world.ingest })
}

const session = () => world.herd.session(KEY)!

/** Stands for a terminal with the session's name in its title. */
async function openTerminal(): Promise<FoundProgram> {
  const child = spawn('sleep', ['600'], { env: { HOME: world.dir }, stdio: 'ignore' })
  children.push(child)
  const nothing = { pidStart: undefined, statusFile: undefined, innerPid: undefined }
  const about = { adapter: codex, name: 'codex', view: undefined, foundAt: Date.now() }
  const program = { ...nothing, ...about, pane: PANE, pid: child.pid! }
  found = [program]
  const pane = { title: 'Fix it | proj' }
  terminals.news(PANE.socket, { panes: new Map([[PANE.id, pane]]) } as never)
  // Until it runs it has our own environment.
  await waitFor(() => environmentOf(program.pid, ['HOME'])['HOME'], {
    what: 'it to run',
    until: (home) => home === world.dir,
  })
  return program
}

async function closeTerminal({ pid }: FoundProgram): Promise<void> {
  found = []
  process.kill(pid, 'SIGKILL')
  await waitFor(() => isAlive(pid), { what: 'it to be gone', until: (alive) => !alive })
}

/** As a hook of the server does; whether it was about the session. */
function tell(more: Partial<AgentEvent> & Pick<AgentEvent, 'kind'>): boolean {
  const told = event(more)
  const place = terminals.placeFor(KEY, told, SERVER)
  if (place) world.herd.receive({ ...told, ...place } as never, { recovered: false })
  return place !== undefined
}

function event(more: Partial<AgentEvent> & Pick<AgentEvent, 'kind'>): AgentEvent {
  const about = {
    v: 1,
    harness: 'codex',
    session: ID,
    source: 'hook',
    transcript: rollout,
  } as const
  return { ...about, at: Date.now(), ...more }
}

const ASKS = { kind: 'stuck', reason: 'permission', block: 'b', ask: { text: 'true' } } as const
const STOPS = { kind: 'stuck', reason: 'stopped', ask: { text: 'Done.' } } as const

test('a session that asks goes on in its server when its terminal is closed', async () => {
  const terminal = await openTerminal()
  tell(ASKS)
  expect(session()).toMatchObject({ pane: PANE, pid: terminal.pid })
  expect(session().job).toBeUndefined()
  await closeTerminal(terminal)
  expect(terminals.goesOn(session())).toBe(true)
  expect(session()).toMatchObject({ pane: undefined, pid: SERVER.pid, job: ID })
  expect(session().verdict).toMatchObject({ state: 'stuck', reason: 'permission' })
  expect(world.queue()).toEqual([ID])
})

test('one that had finished is over with its terminal', async () => {
  const terminal = await openTerminal()
  tell(STOPS)
  await closeTerminal(terminal)
  expect(terminals.goesOn(session())).toBe(false)
})

test('what its terminal asked when it was closed is not what the session asks', async () => {
  const terminal = await openTerminal()
  // Before its terminal is closed, which may take less than a millisecond.
  const now = Date.now()
  tell({ kind: 'unstuck', prompt: true, at: now - 20 })
  const asked = { ...ASKS, source: 'screen', ask: { text: 'Task is still running' } } as const
  world.herd.receive(event({ ...asked, at: now - 10, pid: terminal.pid }) as never, {
    recovered: false,
  })
  expect(world.queue()).toEqual([ID])
  await closeTerminal(terminal)
  expect(terminals.goesOn(session())).toBe(true)
  expect(session().verdict.state).toBe('working')
})

test('one that finishes without a terminal stays until somebody has seen it', async () => {
  const terminal = await openTerminal()
  tell({ kind: 'unstuck', prompt: true })
  await closeTerminal(terminal)
  expect(tell(STOPS)).toBe(true)
  expect(tell({ kind: 'ended' })).toBe(false)
  expect(world.queue()).toEqual([ID])

  await openTerminal()
  terminals.look()
  expect(tell({ kind: 'ended' })).toBe(true)
})

test('one that its human interrupts ends as its server says', async () => {
  const terminal = await openTerminal()
  tell({ kind: 'unstuck', prompt: true })
  await closeTerminal(terminal)
  tell({ ...STOPS, label: 'interrupted' })
  expect(tell({ kind: 'ended' })).toBe(true)
})

test('one that its human deletes is over', async () => {
  const terminal = await openTerminal()
  tell(ASKS)
  await closeTerminal(terminal)
  terminals.goesOn(session())
  terminals.look()
  expect(world.queue()).toEqual([ID])
  rmSync(rollout)
  terminals.look()
  expect(session().verdict.state).toBe('ended')
})

test('one that runs without a terminal is found in a new one, also after a restart of ours', async () => {
  const terminal = await openTerminal()
  tell(ASKS)
  await closeTerminal(terminal)
  terminals.goesOn(session())
  terminals = createTerminals()
  const again = await openTerminal()
  terminals.look()
  expect(session()).toMatchObject({ pane: PANE, pid: again.pid })
  expect(session().job).toBeUndefined()
})
