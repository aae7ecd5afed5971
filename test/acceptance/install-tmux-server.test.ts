import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { segmentPlace } from '../../src/tmux/conf/status-line.ts'
import { readText, snapshot, writeText } from '../support/install/hooks-home.ts'
import { boundTo, createTmuxHome, type TmuxHome } from '../support/install/tmux-home.ts'
import type { TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const PLUGIN = fileURLToPath(new URL('../../trailboss.tmux', import.meta.url))
let it: TmuxHome

beforeEach(() => {
  it = createTmuxHome()
})

afterEach(() => it[Symbol.asyncDispose]())

describe('a running server', () => {
  test('gets the keys at once and gives them back', async () => {
    const server = await it.startServer()
    const look = async () =>
      [
        await server.run('list-keys'),
        await server.run('show-options', '-g'),
        await server.run('show-options', '-s'),
      ].join('\n')
    const before = await look()
    const installed = await it.trailboss('install', 'tmux', '--yes', '--status')
    expect(installed.stdout).toContain(`The keys work now in the tmux server at ${server.socket}`)
    expect(boundTo(await server.run('list-keys', '-T', 'prefix'), 'Tab')).toContain('@trailboss_')
    expect(await segmentPlace(server.socket)).toBe('shown')

    const removed = await it.trailboss('uninstall', 'tmux', '--yes')
    expect(removed.stdout).toMatch(/Unbound .*Tab/)
    expect(await look()).toBe(before)
  })

  test('a binding that the user made only there is left alone', async () => {
    const server = await it.startServer()
    await server.run('bind-key', 'g', 'display-message', 'mine')
    const result = await it.trailboss('install', 'tmux', '--yes')
    expect(result.stderr).toMatch(/prefix g is left alone, the running tmux server binds it/)
    expect(boundTo(await server.run('list-keys', '-T', 'prefix'), 'g')).toContain('mine')
  })

  test('a key that the user has bound again since is not unbound', async () => {
    const server = await it.startServer()
    await it.trailboss('install', 'tmux', '--yes')
    await server.run('bind-key', 'Tab', 'last-window')
    await it.trailboss('uninstall', 'tmux', '--yes')
    const keys = await server.run('list-keys', '-T', 'prefix')
    expect(boundTo(keys, 'Tab')).toContain('last-window')
    expect(boundTo(keys, 'S')).toBe('')
  })

  test('another key frees the old one', async () => {
    const server = await it.startServer()
    await it.trailboss('install', 'tmux', '--yes')
    await it.trailboss('install', 'tmux', '--yes', '--key-skip', 'M-s')
    const keys = await server.run('list-keys', '-T', 'prefix')
    expect(boundTo(keys, 'M-s')).toContain('@trailboss_skip')
    expect(boundTo(keys, 'S')).toBe('')
  })

  test('what a running daemon has projected is not touched, what a dead one left is', async () => {
    const server = await it.startServer()
    const head = () => server.run('show-options', '-gqv', '@trailboss_head')
    const beat = (at: number) =>
      server.run('set-option', '-g', '@trailboss_beat', String(Math.floor(at / 1_000)))
    await server.run('set-option', '-g', '@trailboss_head', '%0')

    await it.trailboss('install', 'tmux', '--yes')
    await beat(Date.now())
    await it.trailboss('uninstall', 'tmux', '--yes')
    expect(await head()).toBe('%0')

    await it.trailboss('install', 'tmux', '--yes')
    await beat(Date.now() - 60_000)
    await it.trailboss('uninstall', 'tmux', '--yes')
    expect(await head()).toBe('')
  })

  test('--print changes nothing, there or on disk', async () => {
    const server = await it.startServer()
    const before = [snapshot(it.home), await server.run('list-keys')]
    const result = await it.trailboss('install', 'tmux', '--print')
    expect(result.stdout).toContain("bind-key -N 'trailboss: ")
    expect([snapshot(it.home), await server.run('list-keys')]).toEqual(before)
    expect(existsSync(it.state)).toBe(false)
  })
})

describe('the TPM plugin', () => {
  const see = (terminal: TmuxServer, text: string) =>
    waitFor(() => terminal.run('capture-pane', '-p', '-t', 'terminal:'), {
      what: `the terminal to show: ${text}`,
      until: (screen) => screen.includes(text),
    })
  const keysAfterPlugin = async (server: TmuxServer): Promise<string> => {
    await server.run('run-shell', PLUGIN)
    return waitFor(() => server.run('list-keys', '-T', 'prefix'), {
      what: 'the plugin to have bound the skip key',
      until: (keys) => boundTo(keys, 'S') !== '',
    })
  }

  test('binds the keys that its options name', async () => {
    const server = await it.startServer()
    await server.run('set-option', '-g', '@trailboss-key-next', 'M-n')
    await server.run('set-option', '-g', '@trailboss-status', 'on')
    const keys = await keysAfterPlugin(server)
    expect(boundTo(keys, 'M-n')).toContain('@trailboss_fresh')
    expect(boundTo(keys, 'g')).toContain('@trailboss_popup')
    await waitFor(() => segmentPlace(server.socket), {
      what: 'the segment to be in the status line',
      until: (place) => place === 'shown',
    })
    expect(snapshot(it.home)).toEqual({})
  })

  test('is enough: nobody is asked to bind the keys as well', async () => {
    const hint = /trailboss install tmux/
    expect((await it.trailboss('up')).stderr).toMatch(hint)
    await it.trailboss('down')
    writeText(it.conf(), "set -g @plugin 'somebody/trailboss'\n")
    expect((await it.trailboss('up')).stderr).not.toMatch(hint)
  })

  test("leaves the user's keys alone, on the server that it runs in", async () => {
    const server = await it.startServer('another')
    await server.run('bind-key', 'Tab', 'last-window')
    const keys = await keysAfterPlugin(server)
    expect(boundTo(keys, 'Tab')).toContain('last-window')
    expect(boundTo(keys, 'S')).toContain('@trailboss_skip')
  })

  test('starts the daemon, which then knows this server; not where that is switched off', async () => {
    const server = await it.startServer('another')
    await keysAfterPlugin(server)
    await waitFor(() => server.run('show-options', '-gqv', '@trailboss_beat'), {
      what: 'the daemon to keep the queue in this server',
      until: (beat) => beat !== '',
    })
    await it.trailboss('down')

    const second = await it.startServer()
    await second.run('set-option', '-g', '@trailboss-start', 'off')
    await keysAfterPlugin(second)
    expect((await it.trailboss('status')).code).not.toBe(0)
  })

  test('says which key stands in for one that is taken, on a terminal of 80 columns', async () => {
    const server = await it.startServer()
    await server.run('bind-key', 'Tab', 'last-window')
    const terminal = await it.startTerminal(server, 80)
    await keysAfterPlugin(server)
    await see(terminal, 'trailboss: prefix Tab is taken: Next is on prefix N')
  })

  test('says what keeps it from binding the keys', async () => {
    const server = await it.startServer()
    writeText(join(it.state, 'config.json'), '{"prot": 1}')
    const terminal = await it.startTerminal(server, 80)
    await server.run('run-shell', PLUGIN)
    await see(terminal, 'prot')
  })

  test('says how to build it when it is not built, on a terminal of 80 columns', async () => {
    const server = await it.startServer()
    const usual = join(it.home, '.config', 'tmux', 'plugins', 'trailboss', 'trailboss.tmux')
    writeText(usual, readText(PLUGIN), 0o755)
    // It keeps nobody waiting, and waits for somebody who can read it.
    await server.run('run-shell', `'${usual}'`)
    const terminal = await it.startTerminal(server, 80)
    const command = 'npm install && npm run build'
    await see(terminal, `trailboss: run ${command} in ~/.config/tmux/plugins/trailboss`)
  })

  test('a place with a strange name is said as it is', async () => {
    const server = await it.startServer()
    const copy = join(it.dir, 'plugins', 'a %d #{pid} b')
    writeText(join(copy, 'trailboss.tmux'), readText(PLUGIN), 0o755)
    const terminal = await it.startTerminal(server)
    await server.run('run-shell', `'${join(copy, 'trailboss.tmux').replaceAll('#', '##')}'`)
    await see(terminal, `npm run build in ${copy}`)
  })
})
