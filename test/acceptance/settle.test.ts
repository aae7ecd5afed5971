import { describe, expect } from 'vitest'
import type { DismissView, QueueItem, StatusView } from '../../src/contract/responses.ts'
import type { StatsView } from '../../src/contract/stats.ts'
import type { World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

const listed = (world: World, count: number) =>
  world.waitForQueue(`${count} to be queued`, (items) => items.length === count)
const projects = (items: QueueItem[]) => items.map(({ project }) => project)

describe('Settle: a finished session that needs nothing leaves the queue', () => {
  test('with d in the popup, until it gets stuck again', async ({ world }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await listed(world, 2)

    await world.operator.openPopup()
    await world.operator.press('d')
    await world.operator.waitToSee(/Dismissed a\. u brings it back\./)
    expect(projects(await listed(world, 1))).toEqual(['b'])
    await world.operator.closePopup()
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(b.pane)

    await a.prompt('Once more.')
    await a.stop('A is done again.')
    expect(projects(await listed(world, 2))).toEqual(['b', 'a'])
    expect(a.keys() + b.keys()).toBe('')
  })

  test('with a key, if one was chosen: this one is settled, on to the next', async ({ world }) => {
    const [a, b] = [await world.agent('a'), await world.agent('b')]
    await a.stop('A is done.')
    await world.listed(a)
    await b.askPermission({ command: 'make' })
    await listed(world, 2)
    await world.trailboss('install', 'tmux', '--yes', '--key-dismiss', 'E')
    await world.tmux.run('source-file', `${world.home}/.tmux.conf`)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    await world.operator.press('C-b', 'E')
    await world.operator.waitToBeOn(b.pane)
    expect(projects(await listed(world, 1))).toEqual(['b'])
    await world.operator.pressToBeTold(/waits for an answer/, 'C-b', 'E')
    expect(await world.queue()).toHaveLength(1)
    expect(a.keys() + b.keys()).toBe('')
  })

  test.for([
    ['dq', ['b', 'c']],
    ['dujdq', ['a', 'c']],
    ['djduq', ['b', 'c']],
    ['ddq', ['b', 'c']],
    ['jsudq', ['a', 'b']],
  ] as const)('%s, all at once: each key has its effect', async ([keys, left], { world }) => {
    for (const name of ['a', 'b', 'c']) {
      const agent = await world.agent(name)
      await agent.stop(`${name} is done.`)
      await world.listed(agent)
    }
    await world.operator.openPopup()
    await world.operator.type(keys)
    await world.operator.popupGone()
    expect(projects(await world.queue())).toEqual(left)
  })

  test.for(['q', '\r'])(
    'djd and %j, while the daemon hangs: both are settled when it goes on',
    async (leave, { world }) => {
      const agents = [await world.agent('a'), await world.agent('b')]
      for (const agent of agents) {
        await agent.stop('Done.')
        await world.listed(agent)
      }
      await world.operator.openPopup()
      const daemon = await world.daemonPid()
      process.kill(daemon, 'SIGSTOP')
      await world.operator.type(`djd${leave}`)
      await world.operator.popupGone()
      process.kill(daemon, 'SIGCONT')
      await listed(world, 0)
    },
  )

  test('and comes back in its place with u, or with --undo', async ({ world }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await listed(world, 2)
    await world.operator.openPopup()
    await world.operator.press('d')
    await listed(world, 1)
    await world.operator.press('u')
    expect(projects(await listed(world, 2))).toEqual(['a', 'b'])
    await world.operator.closePopup()

    expect(await world.trailboss('dismiss', a.session)).toMatchObject({
      code: 0,
      stdout: 'dismissed: a\n',
    })
    await listed(world, 1)
    const undone = await world.json<DismissView>('dismiss', '--undo')
    expect(undone.dismissed).toMatchObject({ session: a.session })
    expect(projects(await listed(world, 2))).toEqual(['a', 'b'])
    for (const which of [[], [a.session]]) {
      const nothing = { code: 0, stderr: 'nothing is dismissed\n' }
      expect(await world.trailboss('dismiss', '--undo', ...which)).toMatchObject(nothing)
    }
  })

  test('a permission only with D, or with --even-blocked', async ({ world }) => {
    const a = await world.agent('a')
    await a.askPermission({ command: 'make' })
    await listed(world, 1)
    const refused = await world.trailboss('dismiss', a.pane.id)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('waits for an answer')
    expect(refused.stderr).toContain('--even-blocked')

    await world.operator.openPopup()
    await world.operator.press('d')
    await world.operator.waitToSee(/It waits for an answer\. D dismisses it all the same\./)
    expect(await world.queue()).toHaveLength(1)
    await world.operator.press('D')
    await listed(world, 0)
    await world.operator.press('u')
    await listed(world, 1)
    await world.operator.closePopup()
    await world.trailboss('dismiss', a.pane.id, '--even-blocked')
    await listed(world, 0)
    await a.askPermission({ command: 'make install' })
    await listed(world, 1)
  })

  test('list --all, status and stats show it; it is settled, not answered', async ({ world }) => {
    const a = await world.agent('a')
    await a.stop('A is done.')
    await listed(world, 1)
    await world.trailboss('dismiss', a.session)
    expect(await world.json<{ items: QueueItem[] }>('list')).toEqual({ items: [] })
    const all = await world.json<{ items: QueueItem[] }>('list', '--all')
    expect(all.items).toMatchObject([{ session: a.session, dismissedAt: expect.any(Number) }])
    expect((await world.trailboss('list', '--all')).stdout).toMatch(/- .*finished, dismissed/)
    expect((await world.json<StatusView>('status')).dismissed).toBe(1)
    expect((await world.json<StatsView>('stats')).queue).toMatchObject({ ready: 0, dismissed: 1 })

    await a.prompt('Something else.')
    const { outcomes } = await waitFor(() => world.json<StatsView>('stats'), {
      what: 'the episode to be over',
      until: ({ queue }) => queue.dismissed === 0,
    })
    expect(outcomes).toMatchObject({ dismissed: { today: 1 }, answered: { today: 0 } })
  })

  test('survives kill -9', async ({ world }) => {
    const [a, b] = [await world.agent('a'), await world.agent('b')]
    await a.stop('A is done.')
    await b.stop('B is done.')
    await listed(world, 2)
    await world.trailboss('dismiss', a.session)
    await world.killDaemon9()
    await world.up()
    expect(projects(await listed(world, 1))).toEqual(['b'])
    await world.trailboss('dismiss', '--undo')
    expect(projects(await listed(world, 2))).toEqual(['a', 'b'])
  })

  test('two windows press at once: once dismissed, nothing else goes', async ({ world }) => {
    const [a, b] = [await world.agent('a'), await world.agent('b')]
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await listed(world, 2)
    const both = await Promise.all([
      world.trailboss('dismiss', '--pane', a.pane.id),
      world.trailboss('dismiss', '--pane', a.pane.id),
    ])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(projects(await listed(world, 1))).toEqual(['b'])
  })

  test.for([
    [['dismiss', 'nobody-here'], 4, 'No session or pane "nobody-here" is known.'],
    [['dismiss'], 4, 'You are in no tmux pane.'],
    [['dismiss', '--pane', '%999'], 4, 'This pane is not waiting.'],
    [['dismiss', 'a', 'b'], 2, 'too many arguments'],
  ] as const)('%j is refused', async ([args, code, text], { world }) => {
    const result = await world.trailboss(...args)
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(text)
  })
})
