import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { test } from '../support/world.ts'

describe('AS-7 — pane reuse (regression)', () => {
  test('"a session ends and its pane is reused by a new session; the new session\'s first event re-asserts session_id → pane, and navigation targets the current pane, never the retired one"', async ({
    world,
  }) => {
    const old = await world.agent('old')
    await old.stop('Bye.')
    await world.waitForQueue('the old session to be queued', (q) => q.length === 1)
    await old.exit()
    await world.waitForQueue('the ended session to leave', (q) => q.length === 0)

    const fresh = await world.agent('fresh', { inPaneOf: old })
    expect(fresh.pane).toEqual(old.pane)
    await fresh.stop('Hello.')
    const items = await world.waitForQueue('the new session to be queued', (q) => q.length > 0)
    expect(items).toHaveLength(1)
    expect(items).toMatchObject([{ session: fresh.session, pane: old.pane }])
    expect(await stateOf(world, old.session)).toBe('ended')

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(fresh.pane)
  })

  test('a session that was killed without a word is retired by the one that takes its pane', async ({
    world,
  }) => {
    const old = await world.agent('old')
    await old.stop('About to die.')
    await world.waitForQueue('the old session to be queued', (q) => q.length === 1)
    await old.kill9()

    const fresh = await world.agent('fresh', { inPaneOf: old })
    await fresh.stop('Hello.')
    await world.waitForQueue(
      'the new session alone to be queued',
      (q) => q.length === 1 && q[0]?.session === fresh.session,
    )
    expect(await stateOf(world, old.session)).toBe('ended')
  })

  test('/clear begins a new session in the pane and retires the old one', async ({ world }) => {
    const agent = await world.agent('a')
    await agent.stop('Done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    const old = agent.session
    await agent.startNewSession()
    await world.waitForQueue('the old session to leave', (q) => q.length === 0)
    expect(await stateOf(world, old)).toBe('ended')

    await agent.prompt('start over')
    await agent.stop('Started over.')
    const [item] = await world.waitForQueue('the new one to be queued', (q) => q.length === 1)
    expect(item).toMatchObject({ session: agent.session, pane: agent.pane })
  })

  test('a session resumed in another pane is found there, not where it was', async ({ world }) => {
    const before = await world.agent('before')
    await before.stop('Done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    await before.exit()
    const after = await world.agent('after', { resumes: before, tmuxSession: 'elsewhere' })
    await after.stop('Resumed and done.')

    await world.waitForQueue(
      'the resumed session to be queued with its new pane',
      ([item]) => item?.session === before.session && item.pane?.id === after.pane.id,
    )
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(after.pane)
  })

  test('a pane that was closed is offered no more', async ({ world }) => {
    const closed = await world.agent('closed')
    const open = await world.agent('open')
    await closed.stop('Done.')
    await open.stop('Done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await closed.setHooks(false)
    await world.tmux.run('kill-pane', '-t', closed.pane.id)

    await world.waitForQueue('the closed one to leave', (q) => q.length === 1)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(open.pane)
  })
})

async function stateOf(world: World, session: string): Promise<string | undefined> {
  return (await world.sessions()).find((candidate) => candidate.session === session)?.state
}
