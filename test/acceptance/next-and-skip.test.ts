import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { test as base } from '../support/world.ts'

/** The daemon does not look at tmux by itself meanwhile: what happens here is newer than its last look. */
const test = base.override({ worldOptions: { config: { reconcileMs: 60_000 } } })

const readiness = async (world: World) =>
  (await world.queue()).map(({ session, ready }) => [session, ready])

/** A session that reports itself and runs in no pane. */
async function reportWithoutPane(world: World, session: string): Promise<void> {
  const event = { v: 1, kind: 'stuck', harness: 'remote', session, at: Date.now(), source: 'api' }
  const body = { ...event, reason: 'stopped', cwd: `/srv/${session}`, ask: { text: 'What now?' } }
  await world.http('/v1/events', { method: 'POST', body: JSON.stringify(body) })
  await world.waitForQueue(`${session} to be queued`, (q) => q.some((i) => i.session === session))
}

describe('skip in a pane that is not waiting', () => {
  test('the key skips nobody, and says why', async ({ world }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await world.waitForQueue('a to be queued', (q) => q.length === 1)
    await world.operator.lookAt(b.pane)

    await world.operator.pressToBeTold(
      /This pane is not waiting\. The popup shows what is waiting\./,
      'C-b',
      'S',
    )
    expect(await readiness(world)).toEqual([[a.session, true]])
    expect(await world.operator.pane()).toEqual(b.pane)
  })

  test('the command refuses likewise, and --head says whom to skip instead', async ({ world }) => {
    const a = await world.agent('a')
    await a.stop('A is done.')
    await world.waitForQueue('a to be queued', (q) => q.length === 1)
    const elsewhere = (await world.operator.pane())!.id

    const refused = await world.trailboss('skip', '--pane', elsewhere)
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toMatch(
      /This pane is not waiting\. \(NOT_FOUND\)\n.*trailboss skip --head/,
    )
    expect(await readiness(world)).toEqual([[a.session, true]])

    const outside = await world.trailboss('skip')
    expect(outside).toMatchObject({ code: 4, stdout: '' })
    expect(outside.stderr).toMatch(/You are in no tmux pane\. \([A-Z_]+\)\n.*trailboss skip --head/)
    expect(await readiness(world)).toEqual([[a.session, true]])

    const skipped = await world.trailboss('skip', '--pane', elsewhere, '--head')
    expect(skipped).toMatchObject({ code: 0, stdout: 'skipped: a\n' })
    expect(await readiness(world)).toEqual([[a.session, false]])
  })
})

describe('skip, with nowhere to go after it', () => {
  test('names the next one when it has no pane', async ({ world }) => {
    const a = await world.agent('a')
    await a.stop('A is done.')
    await world.waitForQueue('a to be queued', (q) => q.length === 1)
    await reportWithoutPane(world, 'orders')
    await world.operator.lookAt(a.pane)
    await world.operator.pressToBeTold(
      /skipped a; next is orders, which has no pane: see the popup/,
      'C-b',
      'S',
    )
    expect(await readiness(world)).toEqual([
      ['orders', true],
      [a.session, false],
    ])
  })

  test('says so when nothing else is ready', async ({ world }) => {
    const a = await world.agent('a')
    await a.stop('A is done.')
    await world.waitForQueue('a to be queued', (q) => q.length === 1)
    await world.operator.lookAt(a.pane)
    await world.operator.pressToBeTold(/skipped a; nothing else is ready/, 'C-b', 'S')
  })
})

describe('a pane that was closed a moment ago', () => {
  /** Three that wait, oldest first. No hook and no look tells the daemon when a pane is closed. */
  async function threeThatWait(world: World) {
    const agents = []
    for (const name of ['a', 'b', 'c']) {
      const agent = await world.agent(name, { statusFile: false })
      await agent.stop(`${name} is done.`)
      await world.listed(agent)
      await agent.setHooks(false)
      agents.push(agent)
    }
    await world.waitForQueue('all to be queued', (q) => q.length === 3)
    return agents as [(typeof agents)[0], (typeof agents)[0], (typeof agents)[0]]
  }

  test('is passed over by the same press of Next', async ({ world }) => {
    const [a, b, c] = await threeThatWait(world)
    for (const { pane } of [a, b]) await world.tmux.run('kill-pane', '-t', pane.id)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(c.pane)
  })

  test('is passed over when its whole server is gone', async ({ world }) => {
    const second = await world.secondServer()
    const far = await world.agent('far', { server: second, statusFile: false })
    await far.stop('Far is done.')
    await world.listed(far)
    await far.setHooks(false)
    const near = await world.agent('near')
    await near.stop('Near is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await second.stop()
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(near.pane)
  })

  test('is passed over by Skip', async ({ world }) => {
    const [a, b, c] = await threeThatWait(world)
    await world.operator.lookAt(a.pane)
    await world.tmux.run('kill-pane', '-t', b.pane.id)
    await world.operator.press('C-b', 'S')
    await world.operator.waitToBeOn(c.pane)
  })
})

test('for a client that is not attached, the error says what was done and what was not', async ({
  world,
}) => {
  for (const agent of [await world.agent('a'), await world.agent('b')]) {
    await agent.stop('Done.')
    await world.listed(agent)
  }
  const nowhere = ['--client', 'nosuch']
  const unattached = /No tmux client "nosuch" is attached\. \(NO_CLIENT\)\n.*list-clients/
  for (const args of [['next'], ['back'], ['drain', 'on']]) {
    const { code, stderr } = await world.trailboss(...args, ...nowhere)
    expect(code).toBe(6)
    expect(stderr).toMatch(unattached)
    expect(stderr).toMatch(args[0] === 'drain' ? /Nothing was changed/ : /You stay where you are/)
  }
  const skipped = await world.trailboss('skip', '--head', '--jump', ...nowhere)
  expect(skipped.code).toBe(6)
  expect(skipped.stderr).toMatch(unattached)
  expect(skipped.stderr).toContain('skipped a, but then: No tmux client')
  expect((await world.trailboss('skip', '--undo', '--jump', ...nowhere)).stderr).toContain(
    'back in line: a, but then: No tmux client',
  )
})
