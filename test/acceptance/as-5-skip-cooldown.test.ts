import { describe, expect } from 'vitest'
import { test as base } from '../support/world.ts'

/** Longer than all that is to be seen meanwhile takes on a busy machine. */
const test = base.override({ worldOptions: { config: { skipCooldownMs: 15_000 } } })

describe('AS-5 — skip + cooldown', () => {
  test('"queue = [A, B]; Skip on A lands on B and moves A to the tail with a cooldown; while the cooldown is active and B is resolved, the queue presents as empty (A is not eligible as head) until the cooldown expires, then A reappears"', async ({
    world,
  }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)

    await world.operator.press('C-b', 'S')
    await world.operator.waitToBeOn(b.pane)
    const items = await world.queue()
    expect(items.map(({ session, ready }) => [session, ready])).toEqual([
      [b.session, true],
      [a.session, false],
    ])

    await world.operator.type('go on')
    await world.operator.press('Enter')
    await world.waitForQueue('B to be resolved', (q) => q.length === 1)
    expect((await world.http('/next')).text.trim()).toBe('')
    expect((await world.queue())[0]).toMatchObject({ session: a.session, ready: false })
    await world.operator.pressToBeTold(/nothing else waits \(1 skipped\)/, 'C-b', 'Tab')
    expect(await world.operator.pane()).toEqual(b.pane)

    await world.waitForQueue('the cooldown to expire', ([item]) => item?.ready === true)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    expect(a.keys()).toBe('')
    expect(b.keys()).toBe('go on\r')
  })

  test('"In a one-item queue, skip lands you on empty; the item re-surfaces on its next event"', async ({
    world,
  }) => {
    const a = await world.agent('a')
    await a.stop('A is done.')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)

    await world.operator.press('C-b', 'S')
    await world.waitForQueue('it to cool down', ([item]) => item?.ready === false)
    expect(await world.operator.pane()).toEqual(a.pane)

    await a.askPermission({ command: 'make release' })
    await world.waitForQueue('the new ask to re-arm it', ([item]) => item?.ready === true)
  })
})
