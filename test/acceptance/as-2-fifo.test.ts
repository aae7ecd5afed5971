import { describe, expect } from 'vitest'
import type { QueueView } from '../../src/contract/responses.ts'
import { test } from '../support/world.ts'

describe('AS-2 — FIFO ordering', () => {
  test('"session A stops, then session B stops … → the queue head is A (oldest) → resolving A and pressing Next lands on B"', async ({
    world,
  }) => {
    const a = await world.agent('a')
    const b = await world.agent('b', { tmuxSession: 'elsewhere' })
    await a.stop('A is done.')
    await world.listed(a)
    await b.stop('B is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)

    const { items } = await world.json<QueueView>('list')
    expect(items.map(({ session }) => session)).toEqual([a.session, b.session])
    expect((await world.http('/next')).text.trim()).toBe(a.pane.id)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(a.pane)
    await world.operator.type('thanks, go on')
    await world.operator.press('Enter')
    await world.waitForQueue('A to be resolved', (q) => q.length === 1)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(b.pane)
    expect(a.keys()).toBe('thanks, go on\r')
    expect(b.keys()).toBe('')
  })

  test('the reason does not count for the order, and an item that stops again goes to the tail', async ({
    world,
  }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    const c = await world.agent('c')
    const order = async () => (await world.queue()).map(({ session }) => session)
    await a.stop('A is done.')
    await world.listed(a)
    await b.askPermission({ command: 'make' })
    await world.listed(b)
    await c.fail('server_error', 'API Error: 500')
    await world.waitForQueue('all three to be queued', (q) => q.length === 3)
    expect(await order()).toEqual([a.session, b.session, c.session])

    await a.prompt('go on')
    await world.waitForQueue('A to be resolved', (q) => q.length === 2)
    await a.stop('A is done again.')
    await world.waitForQueue('A to be back', (q) => q.length === 3)
    expect(await order()).toEqual([b.session, c.session, a.session])
  })
})
