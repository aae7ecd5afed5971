import { describe, expect } from 'vitest'
import { test } from '../support/world.ts'

describe('two tmux servers, one queue', () => {
  test("the operator's key jumps from one server to the other and back", async ({ world }) => {
    const second = await world.secondServer()
    await world.bindKeys(second)
    const near = await world.agent('near')
    const far = await world.agent('far', { server: second, tmuxSession: 'far' })
    await far.stop('Far is done.')
    await world.listed(far)
    await near.stop('Near is done.')
    const items = await world.waitForQueue('both to be queued', (q) => q.length === 2)
    expect(items).toMatchObject([{ pane: far.pane }, { pane: near.pane }])

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(far.pane)
    await world.operator.type('go on')
    await world.operator.press('Enter')
    await world.waitForQueue('the far one to be answered', (q) => q.length === 1)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(near.pane)
    await world.operator.type('you too')
    await world.operator.press('Enter')
    await world.waitForQueue('the near one to be answered', (q) => q.length === 0)
    expect(far.keys()).toBe('go on\r')
    expect(near.keys()).toBe('you too\r')
  })

  test('the same pane id on both servers is two panes', async ({ world }) => {
    const second = await world.secondServer()
    const near = await world.agent('near')
    const before = Number(near.pane.id.slice(1)) - 1
    for (let n = 0; n < before; n++) await second.run('new-window', '-d', '-t', '=far:', 'exec sh')
    const far = await world.agent('far', { server: second, tmuxSession: 'far' })
    expect(far.pane.id).toBe(near.pane.id)
    await near.stop('Near is done.')
    await world.listed(near)
    await far.stop('Far is done.')
    const items = await world.waitForQueue('both to be queued', (q) => q.length === 2)
    expect(items).toMatchObject([
      { session: near.session, pane: near.pane },
      { session: far.session, pane: far.pane },
    ])
  })

  test('a server that went away takes its sessions along, and only its own', async ({ world }) => {
    const second = await world.secondServer()
    const near = await world.agent('near')
    const far = await world.agent('far', { server: second, tmuxSession: 'far' })
    await near.stop('Near is done.')
    await far.stop('Far is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await far.setHooks(false)
    await second.stop()
    const items = await world.waitForQueue('the far one to leave', (q) => q.length === 1)
    expect(items[0]?.session).toBe(near.session)
  })
})
