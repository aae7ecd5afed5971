import { spawn } from 'node:child_process'
import { describe, expect } from 'vitest'
import type { PaneRef } from '../../src/core/pane.ts'
import type { World } from '../support/create-world.ts'
import { TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

const here = async (world: World) => (await world.operator.pane())!
const pressBack = (world: World) => world.operator.press('C-b', 'B')
const remembered = async (world: World) =>
  (await world.tmux.run('show-options', '-g'))
    .split('\n')
    .filter((line) => /^@trailboss_(back|at)_\d/.test(line))

/** Two that wait, the first one as the head. */
async function twoWaiting(world: World) {
  const a = await world.agent('a')
  const b = await world.agent('b', { tmuxSession: 'elsewhere' })
  await a.stop('A is done.')
  await world.listed(a)
  await b.stop('B is done.')
  await world.waitForQueue('both to be queued', (q) => q.length === 2)
  return { a, b }
}

async function backAndForth(world: World, start: PaneRef, there: PaneRef): Promise<void> {
  await world.operator.waitToBeOn(there)
  await pressBack(world)
  await world.operator.waitToBeOn(start)
  await pressBack(world)
  await world.operator.waitToBeOn(there)
}

describe('Back', () => {
  test('returns from the pane that Next, Skip, the popup or a command went to', async ({
    world,
  }) => {
    const { a, b } = await twoWaiting(world)
    const start = await here(world)
    await world.operator.press('C-b', 'Tab')
    await backAndForth(world, start, a.pane)

    await world.operator.press('C-b', 'S')
    await backAndForth(world, a.pane, b.pane)

    await world.operator.lookAt(start)
    await world.operator.openPopup()
    await world.operator.waitToSee(/B is done/)
    await world.operator.press('Enter')
    await backAndForth(world, start, b.pane)

    await world.operator.lookAt(start)
    const client = await world.operator.clientName()
    expect(await world.trailboss('jump-next', '--client', client)).toMatchObject({ code: 0 })
    await backAndForth(world, start, b.pane)
  })

  test('returns to the tmux session that it came from, also if that shares its windows', async ({
    world,
  }) => {
    const { b } = await twoWaiting(world)
    await world.tmux.run('new-session', '-d', '-t', 'work', '-s', 'twin')
    const client = await world.operator.clientName()
    await world.tmux.run('switch-client', '-c', client, '-t', 'twin:0')
    const session = async () =>
      (await world.tmux.run('list-clients', '-F', '#{client_tty} #{session_name}'))
        .split('\n')
        .find((line) => line.startsWith(`${client} `))
        ?.split(' ')[1]
    await waitFor(session, { what: 'the client to be in it', until: (name) => name === 'twin' })
    const start = await here(world)
    await world.trailboss('skip', '--head')
    await world.waitForQueue('b to be the head', ([head]) => head?.session === b.session)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(b.pane)
    // The other session is the one that tmux would choose.
    const args = ['-S', world.tmux.socket, '-C', 'attach-session', '-t', 'work']
    const other = spawn(TMUX, args, { env: world.env })
    try {
      await waitFor(() => world.tmux.run('list-clients', '-F', '#{client_pid}'), {
        what: 'somebody else to be attached',
        until: (pids) => pids.split('\n').includes(String(other.pid)),
      })
      await pressBack(world)
      await world.operator.waitToBeOn(start)
      expect(await session()).toBe('twin')
    } finally {
      other.kill()
    }
  })

  test('of a client that is gone is refused', async ({ world }) => {
    const { code, stderr } = await world.trailboss('back', '--client', '/dev/pts/999')
    expect(code).toBe(6)
    expect(stderr).toContain('No tmux client "/dev/pts/999" is attached.')
  })

  test('works while no daemon runs', async ({ world }) => {
    const { a } = await twoWaiting(world)
    const start = await here(world)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    expect(await world.trailboss('down')).toMatchObject({ code: 0 })
    await pressBack(world)
    await backAndForth(world, a.pane, start)
    expect(await world.trailboss('back')).toMatchObject({ code: 0, stdout: `${a.pane.id}\n` })
    await world.operator.waitToBeOn(a.pane)
  })

  test('is a command, too: it says where it went, that there is nowhere to go, or that the pane is closed', async ({
    world,
  }) => {
    expect(await world.json('back')).toEqual({ back: null })
    const { a } = await twoWaiting(world)
    const start = await world.agent('start')
    await world.operator.lookAt(start.pane)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    expect(await world.json('back')).toEqual({ back: start.pane })
    await world.operator.waitToBeOn(start.pane)
    expect(await world.json('back')).toEqual({ back: a.pane })
    await world.operator.waitToBeOn(a.pane)
    await world.tmux.run('kill-pane', '-t', start.pane.id)
    const gone = await world.trailboss('back')
    expect(gone).toMatchObject({ stderr: expect.stringContaining('is closed') })
    expect(gone.code).not.toBe(0)
    expect(await here(world)).toEqual(a.pane)
  })

  test('crosses to the other server and back, as Next did', async ({ world }) => {
    const second = await world.secondServer()
    await world.bindKeys(second)
    const far = await world.agent('far', { server: second, tmuxSession: 'far' })
    await far.stop('Far is done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    const start = await here(world)
    await world.operator.press('C-b', 'Tab')
    await backAndForth(world, start, far.pane)
    await pressBack(world)
    await world.operator.waitToBeOn(start)
    await second.stop()
    await world.operator.pressToBeTold(/the pane that you were in is closed/i, 'C-b', 'B')
    expect(await here(world)).toEqual(start)
  })

  test('returns from a tmux inside of tmux, and to what was shown in there', async ({ world }) => {
    const inner = await world.secondServer()
    const made = [
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      `TMUX= exec ${TMUX} -S ${inner.socket} attach -t far`,
    ]
    const host = { socket: world.tmux.socket, id: await world.tmux.run('new-window', ...made) }
    const inside = () => inner.run('list-clients', '-F', '#{pane_id}')
    const before = await waitFor(inside, { what: 'the inner client to be attached' })
    const far = await world.agent('far', { server: inner, tmuxSession: 'herd' })
    await far.stop('Far is done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    const shows = (id: string) =>
      waitFor(inside, { what: `the inner client to show ${id}`, until: (shown) => shown === id })

    const start = await here(world)
    await world.operator.press('C-b', 'Tab')
    await backAndForth(world, start, host)

    await inner.run(
      'switch-client',
      '-c',
      await inner.run('list-clients', '-F', '#{client_name}'),
      '-t',
      before,
    )
    await world.operator.press('C-b', 'Tab')
    await shows(far.pane.id)
    const was = await remembered(world)
    await pressBack(world)
    await shows(before)
    // The operator's own client, around it, notes the move last.
    await waitFor(() => remembered(world), {
      what: 'the move to be remembered',
      until: (places) => places.join() !== was.join(),
    })
    expect(await here(world)).toEqual(host)
    await pressBack(world)
    await shows(far.pane.id)
  })

  test('what is remembered of a client goes with the client, or with uninstall', async ({
    world,
  }) => {
    const { a } = await twoWaiting(world)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    expect(await remembered(world)).toHaveLength(2)
    for (const kind of ['back', 'at']) {
      await world.tmux.run('set-option', '-g', `@trailboss_${kind}_999999999`, '$0:@0.%0')
    }
    expect(await world.trailboss('restart')).toMatchObject({ code: 0 })
    await waitFor(() => remembered(world), {
      what: 'only the attached client to be remembered',
      until: (lines) => lines.length === 2 && !lines.join().includes('999999999'),
    })
    expect(await world.trailboss('uninstall', 'tmux', '--yes')).toMatchObject({ code: 0 })
    expect(await remembered(world)).toEqual([])
  })
})
