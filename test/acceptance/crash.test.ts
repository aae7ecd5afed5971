import { describe, expect } from 'vitest'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { config: { skipCooldownMs: 3_600_000 } } })

describe('a daemon killed with -9', () => {
  test('five stuck, one of them cooling down; two more stops fired while it is down, one of them by a session it had never heard of; after `up`: seven items in the right order, the cooldown intact', async ({
    world,
  }) => {
    const five = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => world.agent(name)))
    const known = await world.agent('known')
    for (const agent of five) {
      await agent.stop(`${agent.name} is done.`)
      await world.listed(agent)
    }
    await world.waitForQueue('five to be queued', (q) => q.length === 5)
    const cooling = five[1]!
    expect(await world.trailboss('skip', '--session', cooling.session)).toMatchObject({ code: 0 })
    const before = await world.queue()
    expect(before.at(-1)).toMatchObject({ session: cooling.session, ready: false })

    await world.killDaemon9()
    await known.stop('known is done.')
    const stranger = await world.agent('stranger')
    await stranger.stop('stranger is done.')

    await world.up()
    const after = await world.waitForQueue('seven to be queued', (q) => q.length === 7)
    const [a, b, c, d, e] = five.map(({ session }) => session)
    expect(after.map(({ session }) => session)).toEqual(
      [a, c, d, e, known.session, stranger.session].concat(b),
    )
    expect(after.map(({ ready }) => ready)).toEqual([true, true, true, true, true, true, false])
    const firstFive = new Set([a, b, c, d, e])
    expect(after.filter(({ session }) => firstFive.has(session))).toEqual(before)

    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(five[0]!.pane)
  })

  test('`up` after a crash, and `up` while it runs, leave exactly one daemon', async ({
    world,
  }) => {
    const first = await world.daemonPid()
    await world.killDaemon9()
    await world.up()
    const second = await world.daemonPid()
    expect(second).not.toBe(first)
    const again = await world.trailboss('up')
    expect(again.code).toBe(0)
    expect(`${again.stdout}${again.stderr}`).toMatch(/already/i)
    expect(await world.daemonPid()).toBe(second)
  })
})
