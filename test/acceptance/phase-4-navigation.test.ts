import { describe, expect } from 'vitest'
import { test } from '../support/world.ts'

describe('phase 4: navigation', () => {
  test('"trailboss jump-next lands the operator\'s tmux client on the pane id returned by /next"', async ({
    world,
  }) => {
    const agent = await world.agent('a', { tmuxSession: 'elsewhere' })
    await agent.stop('Done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    const next = (await world.http('/next')).text.trim()

    const client = await world.operator.clientName()
    const jump = await world.trailboss('jump-next', '--client', client)
    expect(jump).toMatchObject({ code: 0 })
    const shown = await world.tmux.run('display-message', '-p', '-c', client, '#{pane_id}')
    expect(shown).toBe(next)
    expect(next).toBe(agent.pane.id)
  })

  test('jump-next needs no client named when there is one, and finds a pane behind others', async ({
    world,
  }) => {
    const agent = await world.agent('a')
    const split = ['split-window', '-t', agent.pane.id, '-P', '-F', '#{pane_id}', 'exec sh']
    const beside = await world.tmux.run(...split)
    await world.tmux.run('select-pane', '-t', beside)
    await agent.stop('Done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)

    expect(await world.trailboss('jump-next')).toMatchObject({ code: 0 })
    await world.operator.waitToBeOn(agent.pane)
  })

  test('with nothing stuck jump-next says so and moves nobody', async ({ world }) => {
    const before = await world.operator.pane()
    const jump = await world.trailboss('jump-next')
    expect(`${jump.stdout}${jump.stderr}`).toMatch(/nothing|empty|no session/i)
    expect(await world.operator.pane()).toEqual(before)
  })

  test('skip from the shell names what it skipped; with --jump it lands on the next', async ({
    world,
  }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)

    const skipped = await world.json(
      'skip',
      '--jump',
      '--client',
      await world.operator.clientName(),
    )
    expect(skipped).toMatchObject({ skipped: { session: a.session }, head: { session: b.session } })
    await world.operator.waitToBeOn(b.pane)
  })

  test('without a daemon jump-next says what is wrong and what to do', async ({ world }) => {
    await world.trailboss('down')
    const { code, stderr } = await world.trailboss('jump-next')
    expect(code).toBe(3)
    expect(stderr).toMatch(/trailboss up/)
  })
})
