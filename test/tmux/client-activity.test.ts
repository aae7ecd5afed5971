import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type ActiveClient,
  freeSession,
  jumpIfStill,
  lookAtClients,
} from '../../src/tmux/client-activity.ts'
import { runCommands } from '../../src/tmux/exec.ts'
import { type Operator, seatOperator } from '../support/operator.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let started: TmuxServer[]
let server: TmuxServer
let operator: Operator
let target: string

beforeEach(async () => {
  dir = mkdtempSync(join('/tmp', 'tb-active-'))
  started = []
  server = await start('inner', 'work', 'exec sh')
  operator = await seat('outer', 'work')
  target = await server.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'work:', 'exec sh')
})

afterEach(async () => {
  for (const one of started) await one.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function start(name: string, session: string, shellCommand: string): Promise<TmuxServer> {
  const env = { PATH: process.env['PATH'], HOME: dir, SHELL: '/bin/sh', TERM: 'xterm-256color' }
  const socket = join(dir, name)
  const one = await startTmuxServer({ socket, env, session, shellCommand, cwd: dir })
  started.push(one)
  return one
}

async function seat(name: string, session: string): Promise<Operator> {
  const attach = `unset TMUX; exec ${TMUX} -S ${server.socket} attach-session -t ${session}`
  return seatOperator(await start(name, 'terminal', attach), () => [server])
}

async function look() {
  const seen = await lookAtClients(server.socket, runCommands)
  if (typeof seen === 'string') throw new Error(seen)
  return seen
}

/** As it is in the second after its last key. */
async function quietClient(): Promise<ActiveClient> {
  const { clients } = await look()
  const [client] = clients
  if (!client) throw new Error('nobody is attached')
  const isOver = () => Date.now() >= (client.sessionKey + 1) * 1_000
  await waitFor(isOver, { what: 'the second of the last key to be over' })
  return client
}

const shown = async () => (await operator.pane())?.id

test('a client that nobody touched goes to the pane, and knows the way back', async () => {
  const client = await quietClient()
  expect(await jumpIfStill(client, client.session, target)).toBe(true)
  expect(await shown()).toBe(target)
  const [after] = (await look()).clients
  expect(after?.arrival).toBe(`${target} ${client.key}`)
  const back = await server.run('show-options', '-gqv', `@trailboss_back_${client.pid}`)
  expect(back).toBe(`${client.session}:${client.window}.${client.pane}`)
})

test('a key since the look wins', async () => {
  const client = await quietClient()
  await operator.type('x')
  await waitFor(look, {
    what: 'tmux to have the key',
    until: ({ clients }) => clients[0]?.key !== client.key,
  })
  expect(await jumpIfStill(client, client.session, target)).toBe(false)
  expect(await shown()).toBe(client.pane)
})

test('a client that shows another window, or is gone, stays so', async () => {
  const other = await server.run('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', 'work:')
  const client = await quietClient()
  await server.run('select-window', '-t', other)
  expect(await jumpIfStill(client, client.session, target)).toBe(false)
  expect(await shown()).toBe(other)
  await server.run('detach-client', '-a')
  await server.run('detach-client', '-t', client.name)
  expect(await jumpIfStill(client, client.session, target)).toBe(false)
})

test('copy mode and half a key sequence are seen', async () => {
  await operator.press('C-b')
  const isBusy = ({ clients }: { clients: ActiveClient[] }) => clients[0]?.isBusy === true
  await waitFor(look, { what: 'the prefix to be seen', until: isBusy })
  await operator.press('[')
  await server.run('copy-mode', '-t', 'work:')
  await waitFor(look, { what: 'copy mode to be seen', until: isBusy })
})

test('the way goes through a session where nobody else looks at something', async () => {
  const client = await quietClient()
  expect(await freeSession(client, await look(), target, runCommands)).toBe(client.session)
  await seat('outer2', 'work')
  expect(await freeSession(client, await look(), target, runCommands)).toBeUndefined()
  const twin = ['new-session', '-d', '-P', '-F', '#{session_id}', '-t', 'work'] as const
  const id = await server.run(...twin)
  expect(await freeSession(client, await look(), target, runCommands)).toBe(id)
})

test('a server that is gone is not one without clients', async () => {
  expect(await lookAtClients(join(dir, 'none'), runCommands)).toBe('no-server')
})
