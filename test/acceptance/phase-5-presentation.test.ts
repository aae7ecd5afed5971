import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { isAlive, processesWith } from '../support/processes.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

describe('phase 5: presentation', () => {
  test('"the popup lists the queue with reason + last_assistant_message snippet", picks with arrows and Enter', async ({
    world,
  }) => {
    const [, b] = await twoStuck(world)
    await world.operator.openPopup()
    await world.operator.waitToSee(/1 .*finished.* Which database should I use\?/)
    await world.operator.waitToSee(/2 .*perm.* make deploy/)

    await world.operator.press('Down')
    await world.operator.waitToSee(/b · claude-code · permission/)
    await world.operator.press('Enter')
    await world.operator.waitToBeOn(b.pane)
    expect(b.keys()).toBe('')
  })

  test('the popup picks by number, skips with s and closes with q', async ({ world }) => {
    const [a, b] = await twoStuck(world)
    await world.operator.openPopup()
    await world.operator.waitToSee(/Which database/)
    await world.operator.press('s')
    await world.waitForQueue('the first to be skipped', (q) => q.at(-1)?.ready === false)
    await world.operator.closePopup()

    await world.operator.openPopup()
    await world.operator.waitToSee(/make deploy/)
    await world.operator.press('1')
    await world.operator.waitToBeOn(b.pane)
    expect(a.keys() + b.keys()).toBe('')
  })

  test('the popup closes with the jump, however long its program takes to end', async ({
    world,
  }) => {
    const [a] = await twoStuck(world)
    await world.operator.openPopup()
    await world.operator.waitToSee(/Which database/)
    const programs = processesWith('TRAILBOSS_HOME', world.state)
    const { pid } = programs.find(({ argv }) => argv.includes('.mjs popup '))!
    const tty = await world.operator.clientName()
    // Between the move, which tmux notes for Back, and the end of the program.
    const client = await world.tmux.run('display-message', '-p', '-c', tty, '#{client_pid}')
    const stop = `if-shell -F '#{@trailboss_back_${client}}' { run-shell 'kill -STOP ${pid}' }`
    await world.tmux.run('set-hook', '-g', 'after-set-option', stop)
    try {
      await world.operator.press('Enter')
      await world.operator.waitToBeOn(a.pane)
      await waitFor(world.operator.screen, {
        what: 'the popup to be off the screen',
        until: (screen) => !/[┌└]/.test(screen),
      })
      expect(a.keys()).toBe('')
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGCONT')
    }
  })

  test('the popup follows the queue while it is open', async ({ world }) => {
    const [a] = await twoStuck(world)
    await world.operator.openPopup()
    await world.operator.waitToSee(/Which database/)
    await a.prompt('answered elsewhere')
    await waitFor(world.operator.screen, {
      what: 'the answered item to leave the open popup',
      until: (screen) => /make deploy/.test(screen) && !/Which database/.test(screen),
    })
    await world.operator.closePopup()
  })

  test('"the status-line shows the correct stuck count"', async ({ world }) => {
    const segment = /⚠ (\d+) stuck/
    const count = (expected: number) =>
      waitFor(world.operator.screen, {
        what: `the status line to count ${expected}`,
        until: (screen) => Number(segment.exec(screen)?.[1] ?? 0) === expected,
      })
    expect(segment.test(await world.operator.screen())).toBe(false)
    const [a, b] = await twoStuck(world)
    await count(2)
    await a.prompt('go on')
    await count(1)
    await b.exit()
    await count(0)
  })

  test('"Next jumps to the head-of-queue pane"; on an empty queue it says so and does nothing else', async ({
    world,
  }) => {
    const home = await world.operator.pane()
    await world.operator.pressToBeTold(/nothing|no .*stuck|nobody/i, 'C-b', 'Tab')
    expect(await world.operator.pane()).toEqual(home)

    const [a] = await twoStuck(world)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
  })

  test('Next with the daemon dead falls back to the CLI, which says what is wrong', async ({
    world,
  }) => {
    const home = await world.operator.pane()
    await world.trailboss('down')
    await world.operator.pressToBeTold(/trailboss up/, 'C-b', 'Tab')
    expect(await world.operator.pane()).toEqual(home)
  })
})

async function twoStuck(world: World) {
  const a = await world.agent('a')
  const b = await world.agent('b', { tmuxSession: 'elsewhere' })
  await a.stop('Which database should I use?')
  await world.listed(a)
  await b.askPermission({ command: 'make deploy' })
  await world.waitForQueue('both to be queued', (q) => q.length === 2)
  return [a, b] as const
}
