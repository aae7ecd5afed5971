import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookForNesting } from '../../src/tmux/attached-clients.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let outer: TmuxServer
let inner: TmuxServer

beforeEach(async () => {
  dir = mkdtempSync(join('/tmp', 'tb-nest-'))
  outer = await start('outer')
  inner = await start('inner')
})

afterEach(async () => {
  for (const server of [outer, inner]) await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

function start(name: string): Promise<TmuxServer> {
  const env = { PATH: process.env['PATH'], HOME: dir, SHELL: '/bin/sh', TERM: 'xterm-256color' }
  const socket = join(dir, name)
  return startTmuxServer({ socket, env, session: 'main', shellCommand: 'exec sh', cwd: dir })
}

/** A window of the outer server with a client of the inner one; `around` is what starts it there. */
async function attach(flags = '', around = (command: string) => command) {
  const made = ['-d', '-P', '-F', '#{pane_id} #{pane_tty}', 'exec sh']
  const [id = '', tty = ''] = (await outer.run('new-window', ...made)).split(' ')
  const before = await clientsOfInner()
  const command = around(`${TMUX} -S ${inner.socket} attach-session ${flags} -t main`)
  await outer.run('send-keys', '-t', id, `TMUX= ${command}`, 'Enter')
  const isNew = (name: string) => !before.includes(name)
  const clients = await waitFor(clientsOfInner, {
    what: `a client to be attached in ${id}`,
    until: (now) => now.some(isNew),
  })
  return { id, tty, client: clients.find(isNew) ?? '' }
}

const clientsOfInner = async () =>
  (await inner.run('list-clients', '-F', '#{client_tty}')).split('\n').filter(Boolean)

const found = async () =>
  (await lookForNesting([inner.socket])).clients.map(({ name, runsIn }) => ({ name, runsIn }))

const onLinux = test.runIf(existsSync('/proc/self/stat'))

onLinux('a client is found in its pane, on a server that nobody named', async () => {
  const { id, tty } = await attach()
  expect(await found()).toEqual([{ name: tty, runsIn: { socket: outer.socket, id } }])
})

test('one that only looks on, one in control mode and one that is suspended are no way', async () => {
  await attach('-r')
  const suspended = await attach()
  await inner.run('suspend-client', '-t', suspended.client)
  await attach('', (command) => command.replace(TMUX, `${TMUX} -C`))
  await waitFor(found, { what: 'none to be left', until: (clients) => clients.length === 0 })
  expect(await clientsOfInner()).toHaveLength(3)
})

onLinux('one in a terminal of its own is in no pane, whoever started it', async () => {
  const { client, tty } = await attach('', (command) => `script -qc '${command}' /dev/null`)
  expect(client).not.toBe(tty)
  expect(await found()).toEqual([{ name: client, runsIn: undefined }])
})

test('a server that is not there has no clients', async () => {
  const { clients } = await lookForNesting([join(dir, 'nobody')])
  expect(clients).toEqual([])
})
