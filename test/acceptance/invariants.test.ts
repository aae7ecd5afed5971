import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createWorld } from '../support/create-world.ts'
import { freePort } from '../support/free-port.ts'
import { listenersOf } from '../support/processes.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

/** All that the router has any business asking tmux to do. */
const ALLOWED = new Set([
  'attach-session',
  'bind-key',
  'capture-pane',
  'detach-client',
  'display-message',
  'display-popup',
  'has-session',
  'if-shell',
  'list-clients',
  'list-keys',
  'list-panes',
  'list-sessions',
  'new-session',
  'refresh-client',
  'run-shell',
  'select-pane',
  'select-window',
  'set-option',
  'show-options',
  'source-file',
  'start-server',
  'switch-client',
  'unbind-key',
])

const WRITES =
  /\b(send|send-keys|send-prefix|paste-buffer|pasteb|load-buffer|loadb|set-buffer|setb|pipe-pane|pipep|respawn-pane|respawnp|respawn-window|respawnw|kill-pane|killp|kill-server|synchronize-panes)\b/

describe('invariant: "the daemon never sends synthesized input to a session"', () => {
  test.for(['on', 'off'])(
    'every router command, run with a tmux that records its calls, writes to no pane (control client %s)',
    async (controlClient) => {
      const notify = { channels: ['message', 'bell', 'osc9'], afterSeconds: 0 }
      await using world = await createWorld({
        recordTmux: true,
        config: { controlClient, notify },
      })
      const a = await world.agent('a')
      const b = await world.agent('b', { tmuxSession: 'elsewhere' })
      await a.askPermission({ command: 'make' })
      await b.stop('Done.')
      await world.waitForQueue('both to be queued', (q) => q.length === 2)
      const client = await world.operator.clientName()

      const commands = [
        ['up'],
        ['status', '--json'],
        ['list'],
        ['sessions'],
        ['explain', a.session],
        ['explain', b.pane.id],
        ['watch', '--once'],
        ['watch', a.pane.id, '--json'],
        ['watch', 'elsewhere', '--off'],
        ['jump-next', '--client', client],
        ['back', '--client', client],
        ['drain', 'on', '--client', client],
        ['skip', '--client', client],
        ['skip', '--jump', '--client', client],
        ['skip', '--pane', a.pane.id],
        ['skip', '--session', b.session],
        ['dismiss', b.pane.id],
        ['dismiss', '--undo'],
        ['snooze', '5m', b.pane.id],
        ['snooze', '--undo'],
        ['wait', '--for', 'any-stuck', '--timeout', '1s'],
        ['reply', b.pane.id, 'Go on'],
        ['install', 'tmux', '--yes', '--status'],
        ['notify'],
        ['notify', '--test'],
        ['mute', a.pane.id, '1h'],
        ['doctor'],
      ]
      for (const args of commands) await world.trailboss(...args)
      await b.stop('Done, once more.')
      await world.waitForQueue('one to be ready', ([head]) => head?.ready === true)
      const start = await world.operator.pane()
      await world.operator.press('C-b', 'Tab')
      await world.operator.waitToBeOn(b.pane)
      // tmux takes keys within one millisecond for a paste, so each waits for the one before.
      await world.operator.press('C-b', 'B')
      await world.operator.waitToBeOn(start!)
      await world.operator.press('C-b', 'B')
      await world.operator.waitToBeOn(b.pane)
      await world.operator.openPopup()
      await world.operator.closePopup()
      await world.operator.press('C-b', 'S')
      await world.waitForQueue('the key to have skipped it', (q) => q.every(({ ready }) => !ready))
      const keys = await world.tmux.run('list-keys')
      await world.trailboss('uninstall', 'tmux', '--yes')
      await world.trailboss('down')

      // doctor tries the chain on a throwaway server of its own.
      const elsewhere = (call: string[]) => call.includes('-S') && !call.includes(world.tmux.socket)
      const calls = world.tmuxCalls().filter((call) => !elsewhere(call))
      expect(calls.length).toBeGreaterThan(10)
      const overControlClient = calls.filter(([first]) => first === 'list-panes')
      expect(overControlClient.length > 0).toBe(controlClient === 'on')
      expect(calls.filter((call) => !isHarmless(call))).toEqual([])
      const ours = keys.split('\n').filter((line) => /trailboss/.test(line))
      expect(ours.length).toBeGreaterThanOrEqual(4)
      expect(ours.filter((line) => WRITES.test(line))).toEqual([])
      expect(a.keys() + b.keys()).toBe('')
    },
  )

  test('the check itself tells a call that types from one that does not', () => {
    expect(isHarmless(['-S', '/s', 'list-panes', '-a'])).toBe(true)
    expect(isHarmless(['-S', '/s', 'set-option', '-g', '@x', '1', ';', 'send-keys', 'y'])).toBe(
      false,
    )
    expect(isHarmless(['-u', '-S', '/s', 'paste-buffer', '-t', '%1'])).toBe(false)
    expect(isHarmless(['-S', '/s', 'if-shell', '-F', '1', "send-keys -t %1 'y'"])).toBe(false)
    expect(isHarmless(['-S', '/s', 'kill-session', '-t', '=work'])).toBe(false)
    expect(isHarmless(['-S', '/s', 'kill-session', '-t', '=trailboss'])).toBe(true)
  })
})

describe.runIf(existsSync('/proc/net/tcp'))('invariant: listeners on loopback only', () => {
  test('"the ingest socket binds loopback only"; the unix socket is for its owner', async () => {
    const port = await freePort()
    await using world = await createWorld({ port })
    const listeners = await waitFor(async () => listenersOf(await world.daemonPid()), {
      what: 'the daemon to listen',
      until: (found) => found.length > 0,
    })
    const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
    expect(listeners).toEqual([`net/tcp 0100007F:${hexPort}`])
    const mode = (name: string): number => statSync(join(world.state, name)).mode & 0o777
    expect(mode('trailboss.sock')).toBe(0o600)
    expect(mode('.')).toBe(0o700)
    for (const name of ['token', 'ingest-token', 'trailboss.db']) expect(mode(name)).toBe(0o600)
  })

  test('with port 0 it listens on no address at all', async ({ world }) => {
    expect(listenersOf(await world.daemonPid())).toEqual([])
  })

  test('a token never gets into the log', async () => {
    const port = await freePort()
    await using world = await createWorld({ port, config: { logLevel: 'debug' } })
    const secrets = ['token', 'ingest-token'].map((name) =>
      readFileSync(join(world.state, name), 'utf8').trim(),
    )
    await world.trailboss('list')
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThanOrEqual(32)
      expect(world.daemonLog()).not.toContain(secret)
    }
  })
})

/** Looks at each command of a call, the ones nested in strings included. */
function isHarmless(call: string[]): boolean {
  if (call.some((argument) => WRITES.test(argument))) return false
  return commandsOf(call).every(([name = '', ...args]) => {
    const ownWindow = args.some((argument) => /^=?trailboss\b/.test(argument))
    if (name === 'kill-session' || name === 'kill-window') return ownWindow
    return name === '' || name.startsWith('%') || ALLOWED.has(name)
  })
}

function commandsOf(call: string[]): string[][] {
  const commands: string[][] = [[]]
  let rest = call
  while (rest[0]?.startsWith('-')) rest = rest.slice(/^-[SLfc]$/.test(rest[0]) ? 2 : 1)
  for (const argument of rest) {
    if (argument === ';') commands.push([])
    else commands.at(-1)?.push(argument)
  }
  return commands
}
