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
/** What each pane shows, by id. */
let shown: Map<string, string>
let passes: (readonly string[])[]
let isReachable: boolean
/** Runs while tmux captures. */
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
  // Pretend that tmux reports changes, so that no look waits for another.
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

/** tmux's answer to one look at these panes. */
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

/** A foreground process in a pane that shows this text. */
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
  test('captures all panes that are due in one go, and no others', async () => {
    pace.freshMs = [60_000, 60_000]
    run('%1', QUESTION)
    run('%2', 'working')
    await monitor.look()
    expect(passes).toEqual([['%1', '%2']])
    await monitor.look()
    expect(passes).toHaveLength(1)
  })

  test('reports what it sees of a program under a stand-in session', async () => {
    const { pid } = run('%1', QUESTION)
    await monitor.look()
    expect(states()).toEqual([[`sleep-${pid}`, 'stuck']])
    expect(monitor.view().panes).toMatchObject([
      { program: 'sleep', harness: 'program', state: 'stuck', shows: 'dialog', attention: 'fresh' },
    ])
  })

  test('says nothing if tmux did not answer', async () => {
    run('%1', QUESTION)
    isReachable = false
    await monitor.look()
    expect(passes).toHaveLength(1)
    expect(states()).toEqual([])
  })

  test("ignores a pane that has another pane's id", async () => {
    const program = run('%1', QUESTION)
    program.pane = { ...program.pane, pid: 2 }
    await monitor.look()
    expect(states()).toEqual([])
  })
})

describe('a harness', () => {
  test('that publishes its own state is looked at, but not reported', async () => {
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

  test('that has a session of its own needs no stand-in', async () => {
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
    const reported = { ...about, pid: before.pid, pane: before.pane }
    world.ingest.event({ ...reported, kind: 'started', at: Date.now() })
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

  test('that reported something while its screen was captured knows better', async () => {
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

  test('that reported something is looked at again, once its screen shows that', async () => {
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
    // Approved in the pane at once, which fires no hook: the screen looks the same as before.
    const ask = { kind: 'stuck', reason: 'permission', block: 'b' } as const
    world.ingest.event({ ...about, ...ask, at: Date.now() })
    expect(session()?.verdict.state).toBe('stuck')
    await waitFor(() => session()?.verdict, {
      what: 'the screen to clear it',
      until: (verdict) => verdict?.state === 'working' && verdict.by === 'screen',
    })
  })
})

test('a prompt starts the count of a stall again, and the next look is 10 to 15 s away', async () => {
  const [program, other] = [run('%1', 'working'), run('%2', 'working')]
  published = new Set([program, other])
  const fast = Object.keys(DEFAULT_PACE.intervalsMs).map((signal) => [signal, [100, 100]])
  pace.intervalsMs = Object.fromEntries(fast) as MonitorPace['intervalsMs']
  const seen = () => monitor.view().panes.map(({ identical, stall }) => ({ identical, stall }))
  await waitFor(() => monitor.look().then(seen), {
    what: 'both to stand still',
    until: (both) => both.every(({ stall }) => stall === 'confirmed'),
  })
  const [, before] = monitor.view().panes
  pace.intervalsMs = DEFAULT_PACE.intervalsMs
  const promptedAt = Date.now()
  monitor.prompted({ ...program.pane, server: 7, pid: 1 })
  const [prompted, untouched] = monitor.view().panes
  expect(prompted).toMatchObject({ signal: 'dispatched', identical: 0, stall: 'none' })
  const pauseMs = (prompted?.nextLookAt ?? 0) - promptedAt
  expect(pauseMs).toBeGreaterThanOrEqual(10_000)
  expect(pauseMs).toBeLessThan(15_500)
  expect(untouched).toEqual(before)
})

test('a program that reports itself keeps its pane, and its screen does not count', async () => {
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
  test('has ended if its process is gone', async () => {
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

  test('is still known if it was suspended', async () => {
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

  test('is no longer listed, even while it lives', async () => {
    run('%1', QUESTION)
    await monitor.look()
    expect(world.queue()).toHaveLength(1)
    found = []
    await monitor.look()
    expect(world.queue()).toEqual([])
  })
})
