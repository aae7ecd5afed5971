import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { MonitorView } from '../../src/contract/responses.ts'
import type { World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

/** A window in which an installer asks. */
async function ask(world: World, window: string): Promise<string> {
  const file = join(world.dir, 'installer')
  writeFileSync(file, 'printf "Remove the old version? [y/N] "; read -r line; exec sleep 1000\n')
  const where = ['-d', '-t', 'work:', '-n', window, '-P', '-F', '#{pane_id}']
  const pane = await world.tmux.run('new-window', ...where, `sh ${file}`)
  await waitFor(() => world.tmux.run('capture-pane', '-p', '-t', pane), {
    what: 'it to ask',
    until: (screen) => screen.includes('Remove the old version?'),
  })
  return pane
}

describe('trailboss watch', () => {
  test('has a pane watched: what it asks is in the queue, and Next goes there', async ({
    world,
  }) => {
    const pane = await ask(world, 'installer')
    const { code, stdout } = await world.trailboss('watch', pane, '--once')
    expect(code).toBe(0)
    const [header, row] = stdout.split('\n')
    expect(header).toMatch(/^PANE +PROGRAM +VERDICT +SIGNAL +LOOKED +NEXT +ALIKE +SEES$/)
    expect(row).toMatch(new RegExp(`^${pane} +sh +stuck +question .*a question to be answered`))
    const [item] = await world.queue()
    expect(item).toMatchObject({ harness: 'program', pane: { id: pane }, reason: 'permission' })
    expect(item?.ask.text).toContain('Remove the old version? [y/N]')
    for (const command of ['list', 'sessions']) {
      expect((await world.trailboss(command)).stdout).toMatch(/ sh /)
    }

    await world.waitForQueue('it to be there still', (queue) => queue.length === 1)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn({ socket: world.tmux.socket, id: pane })
    await world.operator.press('y', 'Enter')
    await world.waitForQueue('the answered one to go', (queue) => queue.length === 0)
  })

  test('takes windows and tmux sessions, and shows the herd as JSON', async ({ world }) => {
    const one = await ask(world, 'one')
    const two = await ask(world, 'two')
    const panes = async (...args: string[]) =>
      (await world.json<MonitorView>('watch', ...args)).panes.map(({ pane }) => pane.id)
    expect(await panes('work:one')).toEqual([one])
    await world.trailboss('watch', 'work', '--once')
    await waitFor(() => panes(), {
      what: 'both to be watched',
      until: (seen) => seen.includes(one) && seen.includes(two),
    })
    const [off, offAgain] = [
      await world.trailboss('watch', two, '--off'),
      await world.trailboss('watch', two, '--off'),
    ]
    expect(off.stderr).toContain(`The pane ${two} is no longer watched.`)
    expect(offAgain.stderr).toContain(`The pane ${two} was not watched: nothing has changed.`)
    await world.waitForQueue('the other to be listed alone', ([first, ...rest]) => {
      return first?.pane?.id === one && rest.length === 0
    })
  })

  test('a program that asks nothing is no session, and explain says that it is watched', async ({
    world,
  }) => {
    const quiet = ['-d', '-t', 'work:', '-P', '-F', '#{pane_id}', 'exec cat']
    const pane = await world.tmux.run('new-window', ...quiet)
    const running = ['display-message', '-p', '-t', pane, '#{pane_current_command}']
    await waitFor(() => world.tmux.run(...running), {
      what: 'cat to run',
      until: (program) => program === 'cat',
    })
    await world.trailboss('watch', pane, '--once')
    const explained = await world.trailboss('explain', pane)
    expect(explained).toMatchObject({ code: 4, stdout: '' })
    expect(explained.stderr).toContain(`Pane ${pane} is watched: cat runs there`)
  })

  test('shows it live until q', async ({ world }) => {
    const pane = await ask(world, 'installer')
    const run = `${join(process.cwd(), 'bin', 'trailboss')} watch ${pane}`
    const where = ['-d', '-t', 'work:', '-P', '-F', '#{pane_id}', '-x', '160']
    const live = await world.tmux.run('new-window', ...where.slice(0, -2), `${run}; exec sleep 9`)
    const shown = () => world.tmux.run('capture-pane', '-p', '-t', live)
    await waitFor(shown, {
      what: 'the live view',
      until: (screen) => /sh +stuck +question/.test(screen) && screen.includes('q leaves'),
    })
    await world.tmux.run('send-keys', '-t', live, 'q')
    await waitFor(shown, { what: 'it to leave', until: (screen) => !screen.includes('q leaves') })
  })

  test('without a daemon says that it is noted for when there is one', async ({ world }) => {
    await world.trailboss('down')
    const noted = await world.trailboss('watch', '%0')
    expect(noted).toMatchObject({ code: 3, stdout: '' })
    expect(noted.stderr).toContain('The pane %0 is noted: once the daemon runs, it is watched.')
  })

  test('says what it does not know', async ({ world }) => {
    for (const target of ['nowhere', 'work:99', 'work:0.99', 'work:nowhere', ':99', '%999']) {
      const unknown = await world.trailboss('watch', target)
      expect(unknown).toMatchObject({ code: 4 })
      expect(unknown.stderr).toContain(`There is no pane, window or tmux session "${target}"`)
    }
    expect(await world.trailboss('watch', '--off')).toMatchObject({ code: 2 })
    const unnamed = await world.trailboss('watch', '')
    expect(unnamed).toMatchObject({ code: 2, stdout: '' })
    expect(await world.tmux.run('show-options', '-qv', '-t', 'work:', '@trailboss_watch')).toBe('')
    const shell = await world.trailboss('watch', '%0', '--once')
    expect(shell).toMatchObject({ code: 0, stdout: '' })
    expect(shell.stderr).toContain('Nothing but a shell, or Trail Boss itself, runs there now')
  })
})
