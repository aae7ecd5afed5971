import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ControlClient } from '../../src/tmux/control/control-client.ts'
import { findClient } from '../../src/tmux/navigate.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let server: TmuxServer
/** Its panes are the operator's terminals. */
let terminals: TmuxServer
let client: ControlClient

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-quiet-'))
  const env = { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color' }
  const start = (name: string, session: string) =>
    startTmuxServer({ socket: join(dir, name), env, session, shellCommand: 'sleep 1000', cwd: dir })
  server = await start('t', 'work')
  terminals = await start('terminals', 'desk')
  client = new ControlClient(server.socket)
})
afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await terminals.stop()
  await server.stop()
  rmSync(dir, { recursive: true })
})

async function connect(): Promise<void> {
  await waitFor(() => client.connect(), { what: 'the control client', until: ({ ok }) => ok })
}

/** A terminal of this size in which tmux attaches, to what `args` say. */
async function attach(size: [number, number], ...args: string[]): Promise<string> {
  const [width, height] = size
  const before = (await operators()).length
  await terminals.run(
    ...['new-session', '-d', '-x', String(width), '-y', String(height), 'env', '-u', 'TMUX'],
    ...[TMUX, '-S', server.socket, 'attach-session', ...args],
  )
  const all = await waitFor(operators, {
    what: 'one more client',
    until: (seen) => seen.length > before,
  })
  return all.at(-1) ?? ''
}

/** `name session` of every client with a terminal, the latest last. */
async function operators(): Promise<string[]> {
  const format = '#{client_control_mode} #{client_created} #{client_name} #{session_name}'
  const rows = await server.run('list-clients', '-F', format)
  return rows
    .split('\n')
    .filter((row) => row.startsWith('0 '))
    .toSorted()
    .map((row) => row.split(' ').slice(2).join(' '))
}

const ourSession = async (): Promise<string> => {
  const rows = await server.run('list-clients', '-F', '#{client_control_mode} #{session_name}')
  return /^1 (.*)$/m.exec(rows)?.[1] ?? ''
}

const sizes = () => server.run('list-windows', '-a', '-F', '#{window_width}x#{window_height}')

describe('a control client', () => {
  test('changes no size, whoever is attached', async () => {
    await attach([100, 30], '-t', '=work')
    await attach([120, 40], '-t', '=work')
    const before = await waitFor(sizes, {
      what: 'the size of the latest',
      until: (s) => /^120x/.test(s),
    })
    await connect()
    await client.command('display-message', '-p', 'x')
    expect(await sizes()).toBe(before)
  })

  test('is never the client that a jump would take', async () => {
    await connect()
    await expect(findClient(server.socket, {})).rejects.toThrow('No tmux client is attached')
    await attach([100, 30], '-t', '=work')
    expect((await findClient(server.socket, {})).name).toMatch(/^\/dev\//)
  })

  test('leaves the environment of its session alone', async () => {
    await server.run('set-environment', '-t', '=work', 'SSH_AUTH_SOCK', '/theirs')
    const before = await server.run('show-environment', '-t', '=work')
    await connect()
    expect(await server.run('show-environment', '-t', '=work')).toBe(before)
  })

  test('does not draw tmux attach to another session than the one used last', async () => {
    await server.run('new-session', '-d', '-s', 'old', 'sleep 1000')
    await attach([100, 30], '-t', '=work')
    await connect()
    expect(await ourSession()).toBe('old')
    // The operator goes where it is, and leaves.
    const [name = ''] = (await operators()).map((row) => row.split(' ')[0])
    await server.run('switch-client', '-c', name, '-t', '=old:')
    await server.run('detach-client', '-t', name)
    await waitFor(operators, { what: 'the operator to be gone', until: (all) => all.length === 0 })
    await waitFor(ourSession, { what: 'it to make room', until: (session) => session === 'work' })
    expect(await attach([100, 30])).toMatch(/ old$/)
  })

  test('keeps no session that is to end with its last client', async () => {
    await attach([100, 30], '-t', '=work')
    await server.run('set-option', '-t', 'work', 'destroy-unattached', 'on')
    expect(await client.connect()).toMatchObject({ ok: false, kind: 'refused' })
    await server.run('detach-client', '-s', '=work')
    await waitFor(() => server.try('list-sessions'), {
      what: 'the session to end',
      until: ({ code }) => code !== 0,
    })
  })

  test('keeps no server that is to end with its last client', async () => {
    await attach([100, 30], '-t', '=work')
    await server.run('set-option', '-s', 'exit-unattached', 'on')
    await connect()
    await server.run('detach-client', '-s', '=work')
    await waitFor(() => server.try('list-sessions'), {
      what: 'the server to end',
      until: ({ code }) => code !== 0,
    })
  })

  test('ends no session by leaving', async () => {
    await connect()
    await client[Symbol.asyncDispose]()
    expect(await server.run('list-sessions', '-F', '#{session_name} #{session_attached}')).toBe(
      'work 0',
    )
  })

  test('needs no terminal type', async () => {
    const { TERM: before } = process.env
    delete process.env['TERM']
    try {
      await connect()
    } finally {
      process.env['TERM'] = before
    }
    expect(await client.command('display-message', '-p', '日本')).toMatchObject({ lines: ['日本'] })
  })
})
