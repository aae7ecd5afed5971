import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTmuxServer, type TmuxServer } from '../../../test/support/tmux-server.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { type RunCommands, runCommands } from '../exec.ts'
import type { CaptureRequest } from './capture-schedule.ts'
import type { PaneScreen } from './screens.ts'
import { type LinkOptions, ServerLink } from './server-link.ts'

const FAR = 10_000_000

let dir: string
let server: TmuxServer
let requests: CaptureRequest[]
let processes: string[][]
let failures: unknown[]
const links: ServerLink[] = []

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-link-'))
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color' },
    session: 'work',
    shellCommand: 'printf hello; exec sleep 600',
    cwd: dir,
  })
  await waitFor(() => server.run('capture-pane', '-p', '-t', '%0'), {
    what: 'its words',
    until: (text) => text.includes('hello'),
  })
  ;[requests, processes, failures] = [[], [], []]
})
afterEach(async () => {
  for (const link of links.splice(0)) await link[Symbol.asyncDispose]()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
  expect(failures).toEqual([])
})

const counting: RunCommands = (socket, commands) => {
  processes.push(commands.map(([name = '']) => name))
  return runCommands(socket, commands)
}

function linkTo(socket: string, options: Partial<LinkOptions> = {}): ServerLink {
  const link = new ServerLink(socket, {
    controlClient: 'off',
    events: {
      news: () => {},
      attached: () => {},
      lost: () => {},
      failed: (error) => failures.push(error),
    },
    requests: () => requests,
    run: counting,
    ...options,
  })
  links.push(link)
  return link
}

/** A request that is due, and can wait this long. */
function request(ms: number, about: Partial<CaptureRequest> = {}) {
  const seen: (PaneScreen | undefined)[] = []
  const due = { pane: '%0', from: Date.now() - 1, until: Date.now() + ms, isUrgent: false }
  const one = {
    ...due,
    ...about,
    take: (screen: PaneScreen | undefined) => {
      requests = requests.filter((other) => other !== one)
      seen.push(screen)
    },
  }
  requests.push(one)
  return { lines: () => seen.map((screen) => screen?.screen.lines), seen }
}

const option = () => server.run('show-option', '-gqv', '@trailboss_count')
const write = (value: string) => () => [['set-option', '-gq', '@trailboss_count', value]]

describe('without a control client', () => {
  test('simultaneous requests share one process', async () => {
    const link = linkTo(server.socket)
    link.set(write('1'))
    const [listing, captured] = await Promise.all([link.list(), link.capture(['%0', '%9'])])
    expect(listing).toMatchObject({ ok: true, serverPid: server.pid })
    expect(captured).not.toBe('could-not-observe')
    expect(await option()).toBe('1')
    // One process for all, or one for each if one of them fails, as for a pane that is gone.
    expect(processes[0]).toContain('list-panes')
    expect(processes[0]).toContain('capture-pane')
    expect(processes[0]).toContain('set-option')
  })

  test('a screen that is not urgent joins the next process, and starts none', async () => {
    const link = linkTo(server.socket)
    const { lines } = request(FAR)
    await link.captureDue()
    expect(processes).toEqual([])
    await link.list()
    await waitFor(lines, { what: 'its screen', until: ([first]) => first?.[0] === 'hello' })
    expect(processes).toHaveLength(1)
  })

  test('a screen that can wait no longer is captured by itself, at its time', async () => {
    const { lines } = request(200)
    linkTo(server.socket).reschedule()
    await waitFor(lines, { what: 'its screen', until: ([first]) => first?.[0] === 'hello' })
    expect(processes).toHaveLength(1)
  })

  test('calls that overlap share one listing', async () => {
    const link = linkTo(server.socket)
    const [one, other] = await Promise.all([link.list(), link.list()])
    expect(one).toBe(other)
    expect(processes).toHaveLength(1)
  })

  test('of the writes that arrive during another, only the last goes out', async () => {
    const link = linkTo(server.socket)
    for (const value of ['1', '2', '3']) link.set(write(value))
    await waitFor(option, { what: 'the last', until: (value) => value === '3' })
    expect(processes).toHaveLength(2)
  })

  test('a server that seems unchanged is not asked each time, and one that has changed is', async () => {
    const link = linkTo(server.socket)
    const seen: string[] = []
    const look = async () => {
      const listing = await link.listAndSet(write('1'))
      seen.push(listing === 'left-out' ? listing : `${listing.ok}`)
    }
    for (let time = 0; time < 5; time += 1) await look()
    expect(seen).toEqual(['true', 'true', 'true', 'left-out', 'true'])
    await server.run('new-window', '-d', 'exec sleep 600')
    await look()
    expect(seen.at(-1)).toBe('true')
  })
})

test('over a control client nothing takes a process, and due captures do not wait', async () => {
  const link = linkTo(server.socket, { controlClient: 'on' })
  await waitFor(() => link.attach().then(() => link.bringsNews), { what: 'the client' })
  const { lines } = request(FAR)
  link.set(write('1'))
  expect(await link.list()).toMatchObject({ ok: true })
  await link.captureDue()
  expect(lines()).toEqual([['hello']])
  await waitFor(option, { what: 'the option', until: (value) => value === '1' })
  expect(processes).toEqual([])
})

test('a missing server could not be observed, which is not the same as a pane that is gone', async () => {
  const link = linkTo(`${server.socket}-none`)
  expect(await link.list()).toEqual({ ok: false, kind: 'no-server' })
  expect(await link.capture(['%0'])).toBe('could-not-observe')
  const { seen } = request(0, { isUrgent: true })
  await link.captureDue()
  expect(seen).toEqual([undefined])
  expect(await linkTo(server.socket).capture(['%9'])).toEqual(new Map([['%9', undefined]]))
})
