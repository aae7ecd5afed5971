import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeText } from '../support/install/hooks-home.ts'
import { createTmuxHome, type TmuxHome } from '../support/install/tmux-home.ts'
import type { TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let it: TmuxHome

beforeEach(() => {
  it = createTmuxHome()
})

afterEach(() => it[Symbol.asyncDispose]())

const isUp = async () => (await it.trailboss('status')).code === 0
const beatOf = (server: TmuxServer) => server.run('show-options', '-gqv', '@trailboss_beat')
const waitForBeat = (server: TmuxServer) =>
  waitFor(() => beatOf(server), {
    what: `the daemon to keep the queue in ${server.socket}`,
    until: (beat) => beat !== '',
  })

describe('a tmux server with our block in its configuration', () => {
  test('starts the daemon, and one that takes its place after kill-server is served at once', async () => {
    // Nothing but the new server itself brings the daemon to look at it.
    mkdirSync(it.state, { mode: 0o700 })
    writeText(join(it.state, 'config.json'), '{"reconcileMs": 600000}')
    await it.trailboss('install', 'tmux', '--yes', '--status')
    expect(await isUp()).toBe(false)
    const first = await it.startUsersTmux()
    await waitForBeat(first)
    expect(await isUp()).toBe(true)
    await first.stop()

    await waitForBeat(await it.startUsersTmux())
    expect(await isUp()).toBe(true)
  })

  test('starts it again when it was gone with the server before', async () => {
    await it.trailboss('install', 'tmux', '--yes', '--status')
    const first = await it.startUsersTmux()
    await waitForBeat(first)
    await it.trailboss('down')
    await first.stop()
    await waitForBeat(await it.startUsersTmux())
  })

  test('tells a daemon that runs elsewhere of itself', async () => {
    await it.startServer()
    await it.trailboss('up')
    await it.trailboss('install', 'tmux', '--yes')
    await waitForBeat(await it.startUsersTmux())
  })

  test('does not start again, on a reload or an install, what was stopped on purpose', async () => {
    await it.trailboss('install', 'tmux', '--yes')
    const server = await it.startUsersTmux()
    await waitForBeat(server)
    await it.trailboss('down')
    await server.run('source-file', it.conf())
    it.env['TRAILBOSS_TMUX_SOCKET'] = server.socket
    const again = await it.trailboss('install', 'tmux', '--yes', '--key-skip', 'F6')
    expect(again.stderr).toContain('start the daemon: trailboss up')
    await server.run('run-shell', 'true')
    expect(await isUp()).toBe(false)
    expect(await beatOf(server)).toBe('')
  })

  test('leaves it alone with --no-start, and the status line says that it is off', async () => {
    await it.trailboss('install', 'tmux', '--yes', '--status', '--no-start')
    const server = await it.startUsersTmux()
    const terminal = await it.startTerminal(server, 80)
    await waitFor(
      async () => {
        await server.run('refresh-client', '-S')
        return terminal.run('capture-pane', '-p', '-t', 'terminal:')
      },
      { what: 'the status line to say so', until: (screen) => screen.includes('trailboss is off') },
    )
    expect(await isUp()).toBe(false)
  })
})
