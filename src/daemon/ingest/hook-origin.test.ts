import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { sessionKey } from '../../core/session/event.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import { codex } from '../../harness/codex/adapter.ts'
import { gemini } from '../../harness/gemini/adapter.ts'
import { childListOf, childrenIn } from '../../process/ancestry.ts'
import { isUnproven, originOf } from './hook-origin.ts'

let world: TestHerd
const started: ChildProcess[] = []

beforeEach(() => {
  world = createTestHerd()
})

afterEach(async () => {
  for (const child of started.splice(0)) {
    const exited = once(child, 'exit')
    process.kill(-child.pid!, 'SIGKILL')
    await exited
  }
  world[Symbol.dispose]()
})

/** An agent that started itself a second time, and runs a command. */
async function startTwice(): Promise<{ outer: number; hook: number }> {
  const inner = 'sh -c "sleep 60; :" tb-agent; :'
  const child = spawn('sh', ['-c', inner, 'tb-agent'], { detached: true, stdio: 'ignore' })
  started.push(child)
  const childOf = (pid: number) =>
    waitFor(() => childrenIn(childListOf(pid).trim())[0], { what: `a child of ${pid}` })
  const outer = child.pid!
  return { outer, hook: (await childOf((await childOf(outer))!))! }
}

const agent: Adapter = { ...gemini, isProcess: ({ argv }) => argv.at(-1) === 'tb-agent' }
const envelope = (ppid: number) => ({ v: 1 as const, harness: 'gemini', at: 1, ppid, payload: {} })

describe('the process of a hook', () => {
  test('is the first of the harness processes that are directly above each other', async () => {
    const { outer, hook } = await startTwice()
    const origin = originOf(envelope(hook), undefined, world.inventory, agent)
    expect(origin).toMatchObject({ pid: outer, pidStart: expect.any(Number) })
  })

  test('is seen with its arguments, and without a terminal', async () => {
    const { hook } = await startTwice()
    const origin = originOf(envelope(hook), undefined, world.inventory, agent)
    expect(origin.process).toMatchObject({ hasTerminal: false })
    expect(origin.process?.argv.at(-1)).toBe('tb-agent')
  })

  test('is unknown if nothing above it is the harness', async () => {
    const { hook } = await startTwice()
    const nobody = { ...gemini, isProcess: () => false }
    expect(originOf(envelope(hook), undefined, world.inventory, nobody)).toEqual({})
  })
})

describe("a hook from another process than the session's own", () => {
  const key = sessionKey('gemini', 's')
  const hook = (event: string, fields: object = {}, pid = process.pid) => ({
    v: 1,
    harness: 'gemini',
    at: Date.now(),
    pid,
    payload: { session_id: 's', hook_event_name: event, ...fields },
  })
  const state = () => world.herd.session(key)?.verdict.state

  /** As if the operator had typed into it: these tests are only about hooks of other processes. */
  function startSession(pid: number): void {
    for (const kind of ['started', 'unstuck'] as const) {
      world.ingest.event({
        v: 1,
        kind,
        harness: 'gemini',
        session: 's',
        source: 'api',
        at: Date.now(),
        pid,
      })
    }
  }

  test('does not end it while its own process lives', async () => {
    startSession(process.pid)
    const { outer } = await startTwice()
    expect(world.ingest.hook(hook('SessionEnd', { reason: 'exit' }, outer), 'live')).toBe(0)
    expect(state()).toBe('working')
  })

  test('ends it when its own process is gone', async () => {
    const { outer } = await startTwice()
    startSession(outer)
    const [child] = started.splice(0)
    process.kill(-outer, 'SIGKILL')
    await once(child!, 'exit')
    expect(world.ingest.hook(hook('SessionEnd', { reason: 'exit' }), 'live')).toBe(1)
    expect(state()).toBe('ended')
  })

  test('says nothing about it if nobody sits in front of that process', async () => {
    startSession(process.pid)
    const { outer } = await startTwice()
    expect(world.ingest.hook(hook('AfterAgent', {}, outer), 'live')).toBe(0)
    expect(world.queue()).toEqual([])
  })

  test('but its own end counts', () => {
    startSession(process.pid)
    expect(world.ingest.hook(hook('SessionEnd', { reason: 'exit' }), 'live')).toBe(1)
    expect(state()).toBe('ended')
  })
})

describe('a hook run by a server of its harness', () => {
  const sharedDaemon = codex.sharedDaemon!
  const served: Adapter = {
    ...codex,
    sharedDaemon: { ...sharedDaemon, isDaemon: ({ argv }) => argv.at(-1) === 'tb-agent' },
  }
  const pane = { socket: '/tmp/nowhere', id: '%1' }

  test('belongs to the server, and to no pane, whatever it names', async () => {
    const { hook } = await startTwice()
    const origin = originOf(envelope(hook), pane, world.inventory, served)
    expect(origin).toMatchObject({ isDaemon: true, pid: expect.any(Number) })
    expect(origin).not.toHaveProperty('pane')
  })

  test('may come from a process that is gone: then its pane is not believed', () => {
    const gone = envelope(2 ** 22 - 3)
    expect(isUnproven(gone, {}, served)).toBe(true)
    expect(isUnproven(gone, { pane: { ...pane, pid: 7 } }, served)).toBe(false)
    expect(isUnproven(envelope(process.pid), {}, served)).toBe(false)
    expect(isUnproven(gone, {}, gemini)).toBe(false)
  })
})
