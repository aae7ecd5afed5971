import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ExplainView } from '../../src/contract/responses.ts'
import type { World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

/** A process in a pane that has a status file and a transcript, and fires no hook. */
type Quiet = { session: string; pane: string; pid: number; file: string; transcript: string }

async function openQuiet(world: World): Promise<Quiet> {
  const format = '#{pane_id} #{pane_pid}'
  const opened = await world.tmux.run('new-window', '-d', '-P', '-F', format, 'exec cat')
  const [pane = '', pid] = opened.split(' ')
  const session = randomUUID()
  const config = join(world.home, '.claude')
  mkdirSync(join(config, 'sessions'), { recursive: true })
  const transcript = join(config, 'projects', '-p', `${session}.jsonl`)
  mkdirSync(dirname(transcript), { recursive: true })
  return {
    ...{ session, pane, pid: Number(pid), transcript },
    file: join(config, 'sessions', `${pid}.json`),
  }
}

function statusOf({ pid, session }: Quiet, fields: object = {}): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  const now = Date.now()
  return JSON.stringify({
    ...{ pid, sessionId: session, cwd: '/p', procStart, version: '2.1.325', kind: 'interactive' },
    ...{ entrypoint: 'cli', status: 'busy', startedAt: now - 60_000, updatedAt: now },
    ...{ statusUpdatedAt: now, ...fields },
  })
}

function write({ transcript }: Quiet, line: object): void {
  const timestamp = new Date().toISOString()
  appendFileSync(transcript, `${JSON.stringify({ ...line, timestamp })}\n`)
}

const stop = (quiet: Quiet, text: string) =>
  write(quiet, {
    type: 'assistant',
    message: { id: text, content: [{ type: 'text', text }], stop_reason: 'end_turn' },
  })

const stateOf = async (world: World, quiet: Quiet) =>
  (await world.sessions()).find(({ session }) => session === quiet.session)?.state

const becomes = (world: World, quiet: Quiet, state: string) =>
  waitFor(() => stateOf(world, quiet), { what: `it to be ${state}`, until: (now) => now === state })

const isRoot = process.getuid?.() === 0

/** What may be in the place of a status file, and what the daemon's log says of it. */
const BAD: [what: string, put: (quiet: Quiet) => void, why: RegExp][] = [
  ['truncated', (q) => writeFileSync(q.file, statusOf(q).slice(0, 80)), /it is not whole JSON/],
  ['empty', ({ file }) => writeFileSync(file, ''), /it is empty/],
  ['NUL', ({ file }) => writeFileSync(file, '\0'.repeat(600)), /it is not whole JSON/],
  [
    'a status of a later version',
    (q) => writeFileSync(q.file, statusOf(q, { version: '9.0.0', status: 'napping' })),
    /"napping" is not one of/,
  ],
  [
    'a shape of a later version',
    (q) => writeFileSync(q.file, statusOf(q, { status: { state: 'busy' } })),
    /^status: /,
  ],
  ['10 MB', (q) => writeFileSync(q.file, statusOf(q).padEnd(10_485_760)), /it is too large/],
  ['a directory', ({ file }) => replace(file, () => mkdirSync(file)), /not a regular file/],
  [
    'a FIFO',
    ({ file }) => replace(file, () => execFileSync('mkfifo', [file])),
    /not a regular file/,
  ],
  ...(isRoot
    ? ([
        ["another user's", ({ file }) => chownSync(file, 65_534, 65_534), /it is not ours/],
      ] satisfies typeof BAD)
    : []),
]

function replace(file: string, put: () => void): void {
  rmSync(file)
  put()
}

describe('a status file that makes no sense', () => {
  test('is named in the log, transcript and hooks speak instead, and it counts again when it is whole', async ({
    world,
  }) => {
    const daemon = await world.daemonPid()
    const quiet = await openQuiet(world)
    for (const [what, put, why] of BAD) {
      rmSync(quiet.file, { recursive: true, force: true })
      writeFileSync(quiet.file, statusOf(quiet))
      await becomes(world, quiet, 'working')
      const before = complaints(world).length
      put(quiet)
      const said = await waitFor(() => complaints(world).slice(before), {
        what: `the log to tell of ${what}`,
        until: (all) => all.length > 0,
      })
      expect(said[0], what).toMatchObject({ path: quiet.file, why: expect.stringMatching(why) })

      stop(quiet, `Stopped: ${what}.`)
      const [item] = await world.waitForQueue(
        `the transcript to tell: ${what}`,
        (q) => q.length > 0,
      )
      expect(item).toMatchObject({ pane: { id: quiet.pane }, ask: { text: `Stopped: ${what}.` } })
      const { missing } = await world.json<ExplainView>('explain', quiet.session)
      expect(missing.join('\n'), what).toMatch(/Its status does not count: .*not understood/)
      expect(complaints(world), what).toHaveLength(before + 1)
    }
    expect(await world.daemonPid()).toBe(daemon)
  })

  test('at a start: the others count from the first second', async ({ world }) => {
    await world.trailboss('down')
    const all: Quiet[] = []
    for (const [, put] of BAD) {
      const quiet = await openQuiet(world)
      writeFileSync(quiet.file, statusOf(quiet))
      put(quiet)
      all.push(quiet)
    }
    const whole = await openQuiet(world)
    const waiting = { status: 'waiting', waitingFor: 'permission prompt' }
    writeFileSync(whole.file, statusOf(whole, waiting))
    await world.up()
    expect((await world.queue()).map(({ session }) => session)).toEqual([whole.session])
    await waitFor(() => new Set(complaints(world).map(({ path }) => path)).size, {
      what: 'each of them to be named',
      until: (named) => named === all.length,
    })
  })

  test('5,000 that killed programs left are no sessions, and none is complained of', async ({
    world,
  }) => {
    await world.trailboss('down')
    const whole = await openQuiet(world)
    writeFileSync(whole.file, statusOf(whole, { status: 'waiting' }))
    for (let index = 0; index < 5_000; index++) {
      const pid = 4_200_000 + index
      const left = { ...whole, pid, session: `left-${index}` }
      const text = statusOf(whole, { pid: left.pid, sessionId: left.session })
      writeFileSync(join(dirname(whole.file), `${pid}.json`), index % 10 === 0 ? '' : text)
    }
    await world.up()
    expect((await world.sessions()).map(({ session }) => session)).toEqual([whole.session])
    expect(await world.queue()).toHaveLength(1)
    writeFileSync(whole.file, statusOf(whole))
    await becomes(world, whole, 'working')
    expect(complaints(world)).toEqual([])
  })
})

function complaints(world: World): { path: string; why: string }[] {
  return world
    .daemonLog()
    .split('\n')
    .filter((line) => line.includes('status file not understood'))
    .map((line) => JSON.parse(line) as { path: string; why: string })
}
