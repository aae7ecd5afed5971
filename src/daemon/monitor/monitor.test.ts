import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { DEFAULT_PACE, type MonitorPace } from '../../core/monitor/interval.ts'
import { parseOwnScreenRules } from '../../harness/own-screen-rules.ts'
import { adapterFor } from '../../harness/registry.ts'
import { createScreenReader } from '../../harness/screen-reader.ts'
import { processState } from '../../process/process-state.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import { ServerLinks } from '../../tmux/server-link/server-links.ts'
import { type FoundProgram, newFoundProgram } from '../programs/found-program.ts'
import type { Programs } from '../programs/programs.ts'
import { MissingAsks } from '../sessions/missing-asks.ts'
import { createProgramSessions } from '../sessions/program-session.ts'
import { Monitor } from './monitor.ts'

const SOCKET = '/tmp/tb-nowhere/none'
const HEIGHT = 24
const SILENT = { news: () => {}, attached: () => {}, lost: () => {} }
const QUESTION = 'Go on? [y/N] '
const RULE = '─'.repeat(60)
const WORKING = `✻ Brewing… (3s · esc to interrupt)\n\n${RULE}\n❯ \n${RULE}\n  esc to interrupt\n`
const DIALOG = `${RULE}\n Bash command\n\n   touch q\n\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n`
const AT_REST = `● Done.\n\n${RULE}\n❯ \n${RULE}\n  ? for shortcuts\n`

let world: TestHerd
let monitor: Monitor
let links: ServerLinks
let found: FoundProgram[]
let published: Set<FoundProgram>
let processes: ChildProcess[]
/** What panes show, by id. */
let shown: Map<string, string>
let passes: (readonly string[])[]
let isReachable: boolean
/** What happens while tmux captures. */
let meanwhile: () => Promise<void>
let pace: MonitorPace
const failures: unknown[] = []

beforeEach(() => {
  world = createTestHerd()
  found = []
  published = new Set()
  processes = []
  shown = new Map()
  passes = []
  isReachable = true
  meanwhile = async () => {}
  pace = { ...DEFAULT_PACE, freshMs: [100, 100], leastMs: 100 }
  failures.length = 0
  const { herd, ingest, inventory } = world
  const screens = createScreenReader(parseOwnScreenRules('own', '{}'))
  const programs = {
    found: () => found,
    isPublished: (program: FoundProgram) => published.has(program),
  } as unknown as Programs
  links = new ServerLinks({
    requests: (socket, now) => monitor.requests(socket, now),
    events: { ...SILENT, failed: (error) => failures.push(error) },
    run: capture,
  })
  // As if tmux reported changes, so that no look waits for another.
  Object.defineProperty(links.at(SOCKET), 'bringsNews', { value: true })
  monitor = new Monitor({
    programs,
    sessions: createProgramSessions(herd, ingest, inventory),
    asks: new MissingAsks({ herd, ingest, screens }),
    inventory,
    links,
    screens,
    pace,
  })
})
afterEach(async () => {
  monitor[Symbol.dispose]()
  await links[Symbol.asyncDispose]()
  for (const one of processes) one.kill('SIGKILL')
  world[Symbol.dispose]()
  expect(failures).toEqual([])
})

/** What tmux answers to one look at these panes. */
const capture: RunCommands = async (_, commands) => {
  const ids = [...new Set(commands.map((words) => words[words.indexOf('-t') + 1] ?? ''))]
  passes.push(ids)
  if (!isReachable) return { ok: false, kind: 'timeout', stderr: '', code: null }
  const printed = ids.map((id) => printedOf(id, shown.get(id) ?? ''))
  await meanwhile()
  return { ok: true, stdout: printed.join('') }
}

function printedOf(id: string, text: string): string {
  const lines = text.trimEnd().split('\n')
  const cursor = `${(lines.at(-1) ?? '').length + 1} ${lines.length - 1} 1`
  const rows = Array.from({ length: HEIGHT }, (_, row) => `${lines[row] ?? ''}\n`)
  return `a ${id} 1 0 0 0 ${cursor} 80 ${HEIGHT} \n${rows.join('')}`
}

/** A process in the foreground of a pane that shows this. */
function run(id: string, text: string, harness?: string): FoundProgram {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  processes.push(child)
  shown.set(id, text)
  const adapter = harness === undefined ? undefined : adapterFor(harness)
  const met = { pid: child.pid ?? 0, adapter, name: harness ?? 'sleep' }
  const program = newFoundProgram({ socket: SOCKET, id, pid: 1 }, met)
  found.push(program)
  return program
}

const states = () => [...world.herd.sessions()].map(({ id, verdict }) => [id, verdict.state])

describe('a pass of the monitor', () => {
  test('captures all panes that are due in one go, and none that is not', async () => {
    pace.freshMs = [60_000, 60_000]
    run('%1', QUESTION)
    run('%2', 'working')
    await monitor.look()
    expect(passes).toEqual([['%1', '%2']])
    await monitor.look()
    expect(passes).toHaveLength(1)
  })

  test('tells what it sees of a program under a name of its own', async () => {
    const { pid } = run('%1', QUESTION)
    await monitor.look()
    expect(states()).toEqual([[`sleep-${pid}`, 'stuck']])
    expect(monitor.view().panes).toMatchObject([
      { program: 'sleep', harness: 'program', state: 'stuck', shows: 'dialog', attention: 'fresh' },
    ])
  })

  test('says nothing where tmux could not be asked', async () => {
    run('%1', QUESTION)
    isReachable = false
    await monitor.look()
    expect(passes).toHaveLength(1)
    expect(states()).toEqual([])
  })

  test('reads no pane that has got the id of another', async () => {
    const program = run('%1', QUESTION)
    program.pane = { ...program.pane, pid: 2 }
    await monitor.look()
    expect(states()).toEqual([])
  })
})

describe('a harness', () => {
  test('that publishes its own state is looked at, and nothing is reported', async () => {
    const program = run('%1', AT_REST, 'claude-code')
    published.add(program)
    await monitor.look()
    expect(monitor.view().panes).toMatchObject([{ attention: 'steady', shows: 'idle' }])
    expect(states()).toEqual([])
    published.delete(program)
    await waitFor(() => monitor.look().then(states), {
      what: 'its screen to count',
      until: ([first]) => first?.[1] === 'stuck',
    })
    published.add(program)
    await monitor.look()
    expect(states()).toEqual([[`pid-${program.pid}`, 'ended']])
  })

  test('that has a session of its own needs none that stands in for it', async () => {
    const { pid, pane } = run('%1', AT_REST, 'claude-code')
    await waitFor(() => monitor.look().then(states), {
      what: 'the stand-in',
      until: ([first]) => first?.[1] === 'stuck',
    })
    const about = { v: 1, harness: 'claude-code', session: 'its-own', source: 'hook' } as const
    world.ingest.event({ ...about, kind: 'started', at: Date.now(), pid })
    await monitor.look()
    expect(Object.fromEntries(states())).toMatchObject({ [`pid-${pid}`]: 'ended' })
    expect(pane.id).toBe('%1')
  })

  test('whose session was resumed in another pane waits for nothing of its own there', async () => {
    const idle = (words: string) => `✦ ${words}\n${RULE}\n Mode\n\n >   Type your message\n`
    const before = run('%1', idle('All is well here.'), 'gemini')
    const about = { v: 1, harness: 'gemini', session: 'its-own', source: 'hook' } as const
    const told = { ...about, pid: before.pid, pane: before.pane }
    world.ingest.event({ ...told, kind: 'started', at: Date.now() })
    await waitFor(() => monitor.look().then(states), {
      what: 'its screen to be reported',
      until: (all) => all.some(([, state]) => state === 'stuck'),
    })
    const after = run('%2', idle('All is well here.'), 'gemini')
    world.ingest.event({
      ...about,
      pid: after.pid,
      pane: after.pane,
      kind: 'started',
      at: Date.now(),
    })
    shown.set('%1', idle('All is\n  well here.'))
    const looked = () => monitor.view().panes.find(({ pane }) => pane.id === '%1')?.lookedAt ?? 0
    for (const since of [looked(), looked() + 1]) {
      await waitFor(() => monitor.look().then(looked), {
        what: 'a look',
        until: (at) => at > since,
      })
    }
    expect(states().map(([id]) => id)).toEqual(['its-own'])
    shown.set('%1', `╭${RULE}╮\n│ ● 1. Allow once │\n╰${RULE}╯\n`)
    await waitFor(() => monitor.look().then(states), {
      what: 'the dialog to be listed',
      until: (all) => all.some(([id, state]) => id === `pid-${before.pid}` && state === 'stuck'),
    })
  })

  test('that told something while its screen was captured knows better', async () => {
    const { pid } = run('%1', DIALOG, 'claude-code')
    const about = { v: 1, harness: 'claude-code', session: 'its-own', source: 'hook', pid } as const
    world.ingest.event({ ...about, kind: 'started', at: Date.now() })
    meanwhile = async () => {
      const askedAt = Date.now()
      await waitFor(() => Date.now() > askedAt + 5, { what: 'a time that is later for any clock' })
      world.ingest.event({ ...about, kind: 'unstuck', prompt: true, at: Date.now() })
    }
    await monitor.look()
    expect(monitor.view().panes).toMatchObject([{ shows: 'dialog', state: 'working' }])
  })

  test('that told something is looked at again, once its screen shows that', async () => {
    const { pid } = run('%1', WORKING, 'claude-code')
    const session = () => [...world.herd.sessions()].find(({ id }) => id === 'its-own')
    world.herd.onChange((changes) => {
      for (const updated of changes.updated) monitor.reported(updated)
    })
    const about = { v: 1, harness: 'claude-code', session: 'its-own', source: 'hook', pid } as const
    world.ingest.event({ ...about, kind: 'started', at: Date.now() })
    await waitFor(() => monitor.look().then(session), {
      what: 'its screen to be reported',
      until: (own) => own?.verdict.by === 'screen',
    })
    // Approved in the pane at once, which fires no hook: its screen shows the same as before.
    const ask = { kind: 'stuck', reason: 'permission', block: 'b' } as const
    world.ingest.event({ ...about, ...ask, at: Date.now() })
    expect(session()?.verdict.state).toBe('stuck')
    await waitFor(() => session()?.verdict, {
      what: 'the screen to clear it',
      until: (verdict) => verdict?.state === 'working' && verdict.by === 'screen',
    })
  })
})

test('a program that reports itself keeps its pane, and its screen is not counted', async () => {
  const { pane } = run('%1', QUESTION)
  const about = { v: 1, harness: 'my-agent', session: 'run-42', source: 'api' } as const
  world.ingest.event({
    ...about,
    kind: 'unstuck',
    at: Date.now(),
    pane: { socket: SOCKET, id: '%1' },
  })
  await monitor.look()
  expect(states()).toEqual([['run-42', 'working']])
  expect(monitor.view().panes).toMatchObject([{ pane, attention: 'steady', session: 'run-42' }])
})

describe('a program that leaves the foreground', () => {
  test('has ended when its process is gone', async () => {
    const { pid } = run('%1', QUESTION)
    await monitor.look()
    processes[0]?.kill('SIGKILL')
    await waitFor(() => processes[0]?.signalCode, { what: 'its end' })
    found = []
    shown.set('%1', 'Killed\n$ ')
    await monitor.look()
    expect(states()).toEqual([[`sleep-${pid}`, 'ended']])
    expect(monitor.view().panes).toEqual([])
  })

  test('is still known when it was suspended', async () => {
    const { pid } = run('%1', QUESTION)
    await monitor.look()
    processes[0]?.kill('SIGSTOP')
    await waitFor(() => processState(pid, { start: undefined, knownAt: Date.now() }), {
      what: 'it to be suspended',
      until: (state) => state === 'suspended',
    })
    found = []
    await monitor.look()
    expect(states()).toEqual([[`sleep-${pid}`, 'stuck']])
    expect(monitor.view().panes).toEqual([])
  })

  test('is not listed any more, also while it lives', async () => {
    run('%1', QUESTION)
    await monitor.look()
    expect(world.queue()).toHaveLength(1)
    found = []
    await monitor.look()
    expect(world.queue()).toEqual([])
  })
})
