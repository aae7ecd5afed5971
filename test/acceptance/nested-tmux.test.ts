import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { PaneRef } from '../../src/core/pane.ts'
import type { World } from '../support/create-world.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

/** Opens a window of `outer` in which a client of `inner` is attached, as people do: by hand, in a shell. */
async function nest(outer: TmuxServer, inner: TmuxServer, session: string): Promise<PaneRef> {
  const made = ['-d', '-P', '-F', '#{pane_id} #{pane_tty}', '-n', 'nested', 'exec sh']
  const [id = '', tty] = (await outer.run('new-window', ...made)).split(' ')
  const attach = `TMUX= ${TMUX} -S ${inner.socket} attach-session -t ${session}`
  await outer.run('send-keys', '-t', id, attach, 'Enter')
  await waitFor(() => inner.run('list-clients', '-F', '#{client_tty}'), {
    what: `a client of ${inner.socket} to be attached in ${id}`,
    until: (ttys) => ttys.split('\n').includes(tty!),
  })
  return { socket: outer.socket, id }
}

/** The pane that the client inside of `host` shows. */
async function shownInside(outer: TmuxServer, host: PaneRef, inner: TmuxServer): Promise<string> {
  const tty = await outer.run('display-message', '-p', '-t', host.id, '#{pane_tty}')
  const rows = await inner.run('list-clients', '-F', '#{client_tty} #{pane_id}')
  const row = rows.split('\n').find((line) => line.startsWith(`${tty} `))
  return row?.split(' ')[1] ?? ''
}

async function waitingFar(world: World, server: TmuxServer, tmuxSession = 'herd') {
  const far = await world.agent('far', { server, tmuxSession })
  await far.stop('Far is done.')
  await world.waitForQueue('it to be queued', (q) => q.some((i) => i.session === far.session))
  return far
}

describe('tmux in tmux', () => {
  test('Next goes to the pane that shows the inner server, and has the inner client show the session', async ({
    world,
  }) => {
    const inner = await world.secondServer()
    const host = await nest(world.tmux, inner, 'far')
    const far = await waitingFar(world, inner)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(host)
    expect(await shownInside(world.tmux, host, inner)).toBe(far.pane.id)

    await world.operator.pressToBeTold(/this is the oldest one/, 'C-b', 'Tab')
    await world.operator.type('go on')
    await world.operator.press('Enter')
    await world.waitForQueue('it to be answered', (q) => q.length === 0)
    expect(far.keys()).toBe('go on\r')
  })

  test('the popup takes the same way', async ({ world }) => {
    const inner = await world.secondServer()
    const host = await nest(world.tmux, inner, 'far')
    const far = await waitingFar(world, inner)
    await world.operator.openPopup()
    await world.operator.waitToSee(/Far is done/)
    await world.operator.press('Enter')
    await world.operator.waitToBeOn(host)
    expect(await shownInside(world.tmux, host, inner)).toBe(far.pane.id)
  })

  test('Skip skips the session that the inner client shows, and goes on from there', async ({
    world,
  }) => {
    const inner = await world.secondServer()
    const host = await nest(world.tmux, inner, 'far')
    const far = await waitingFar(world, inner)
    const near = await world.agent('near')
    await near.stop('Near is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(host)

    await world.operator.press('C-b', 'S')
    await world.operator.waitToBeOn(near.pane)
    expect((await world.queue()).map(({ session, ready }) => [session, ready])).toEqual([
      [near.session, true],
      [far.session, false],
    ])
  })

  test('the key of the inner server reaches a session on the outer one, and does not nest it the other way round', async ({
    world,
  }) => {
    const inner = await world.secondServer()
    const host = await nest(world.tmux, inner, 'far')
    const near = await world.agent('near')
    await near.stop('Near is done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    await world.operator.lookAt(host)
    await world.bindKeys(inner)
    await world.operator.press('C-b', 'C-b', 'Tab')
    await world.operator.waitToBeOn(near.pane)
    expect(await shownInside(world.tmux, host, inner)).not.toBe('')
  })

  test('a server two levels down is reached through the one between', async ({ world }) => {
    const inner = await world.secondServer()
    await using stack = new AsyncDisposableStack()
    const middle = await startTmuxServer({
      socket: join(world.dir, 't3'),
      env: world.env,
      session: 'middle',
      shellCommand: 'exec sh',
      cwd: world.home,
    })
    stack.defer(() => middle.stop())
    const host = await nest(world.tmux, middle, 'middle')
    const hostInside = await nest(middle, inner, 'far')
    const far = await waitingFar(world, inner)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(host)
    expect(await shownInside(world.tmux, host, middle)).toBe(hostInside.id)
    expect(await shownInside(middle, hostInside, inner)).toBe(far.pane.id)
  })

  test('of two inner clients the one in the tmux session of the waiting one moves', async ({
    world,
  }) => {
    const inner = await world.secondServer()
    await inner.run('new-session', '-d', '-s', 'herd', 'exec sh')
    const host = await nest(world.tmux, inner, 'herd')
    const other = await nest(world.tmux, inner, 'far')
    const otherShows = await shownInside(world.tmux, other, inner)
    const far = await waitingFar(world, inner, 'herd')
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(host)
    expect(await shownInside(world.tmux, host, inner)).toBe(far.pane.id)
    expect(await shownInside(world.tmux, other, inner)).toBe(otherShows)
  })

  test('without a client of the inner server in reach, the terminal attaches there', async ({
    world,
  }) => {
    const inner = await world.secondServer()
    const far = await waitingFar(world, inner)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(far.pane)
  })
})
