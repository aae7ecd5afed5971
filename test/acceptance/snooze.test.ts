import { describe, expect } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import type { World } from '../support/create-world.ts'
import { test } from '../support/world.ts'

type SnoozeView = { snoozed: QueueItem | null; head: QueueItem | null }

async function twoListed(world: World) {
  const [a, b] = [await world.agent('a'), await world.agent('b')]
  await a.stop('A is done.')
  await world.listed(a)
  await b.stop('B is done.')
  await world.waitForQueue('both to be queued', (items) => items.length === 2)
  return { a, b }
}

const isAtTail = ([first, last]: QueueItem[]) => first?.project === 'b' && last?.ready === false

describe('Snooze: at the tail, back on time', () => {
  test('with z in the popup: a choice, or a typed time', async ({ world }) => {
    await twoListed(world)
    await world.operator.openPopup()
    await world.operator.press('z')
    await world.operator.waitToSee(/Snooze a +5m +30m +2h +tomorrow/)
    await world.operator.press('z', 'Enter')
    await world.operator.waitToSee(/Snoozed a, back in (30|29)m\./)
    const [, last] = await world.waitForQueue('a to be at the tail', isAtTail)
    expect(last!.readyAt! - Date.now()).toBeGreaterThan(29 * 60_000)

    await world.operator.press('u')
    await world.waitForQueue('a to be back', ([first]) => first?.project === 'a')
    await world.operator.press('k', 'z')
    await world.operator.type('soonish')
    await world.operator.press('Enter')
    await world.operator.waitToSee(/"soonish" cannot be read as a time\./)
    await world.operator.press('C-u')
    await world.operator.type('tomorrow 8:15')
    await world.operator.press('Enter')
    await world.operator.waitToSee(/Snoozed a, back (at|\w{3}) 08:15\./)
    const [, tomorrow] = await world.waitForQueue('a to be at the tail again', isAtTail)
    const back = new Date(tomorrow!.readyAt!)
    expect([back.getHours(), back.getMinutes()]).toEqual([8, 15])
    await world.operator.closePopup()
  })

  test('from the command line, for this pane or a named one; list shows when it returns', async ({
    world,
  }) => {
    const { a, b } = await twoListed(world)
    const { stdout } = await world.trailboss('snooze', '2h', a.session)
    expect(stdout).toMatch(/^snoozed a, back (at \d\d:\d\d|\w{3} \d\d:\d\d)\n$/)
    await world.waitForQueue('a to be at the tail', isAtTail)
    const view = await world.json<SnoozeView>('snooze', '45m', '--pane', b.pane.id)
    expect(view).toMatchObject({ snoozed: { session: b.session, ready: false }, head: null })
    expect((await world.trailboss('list')).stdout).toMatch(/ b .*finished, back in 4[45]m/)
    await world.trailboss('snooze', '--undo', a.session)
    await world.waitForQueue('a to be ready', ([first]) => first?.project === 'a' && first.ready)
  })

  test('it is back when the time is over', async ({ world }) => {
    const { a } = await twoListed(world)
    await world.trailboss('snooze', '2s', a.session)
    await world.waitForQueue('a to be at the tail', isAtTail)
    await world.waitForQueue('a to be back', (items) => items.every(({ ready }) => ready))
  })

  test('a new ask wakes it', async ({ world }) => {
    const { a } = await twoListed(world)
    await world.trailboss('snooze', 'tomorrow', a.session)
    await world.waitForQueue('a to be at the tail', isAtTail)
    await a.askPermission({ command: 'make' })
    await world.waitForQueue('a to be ready', (items) => items.every(({ ready }) => ready))
  })

  test('kill -9 keeps it, with its time', async ({ world }) => {
    const { a } = await twoListed(world)
    const { snoozed } = await world.json<SnoozeView>('snooze', '3h', a.session)
    await world.killDaemon9()
    await world.up()
    const [, last] = await world.waitForQueue('a to be at the tail', isAtTail)
    expect(Math.abs(last!.readyAt! - snoozed!.readyAt!)).toBeLessThan(1_000)
  })

  test.for([
    [['snooze'], 2, 'Say for how long.'],
    [['snooze', 'soon'], 2, '"soon" cannot be read as a time.'],
    [['snooze', '0m'], 2, '"0m" is over at once.'],
    [['snooze', '99d'], 2, '"99d" is more than 31 days away.'],
    [['snooze', '999999d'], 2, '"999999d" is more than 31 days away.'],
    [['snooze', '30m', 'docs', "it's"], 2, "trailboss snooze 30m 'docs it'\\''s'"],
    [['snooze', 'docs', 'extra', 'tomorrow', '8:15'], 2, "snooze 'tomorrow 8:15' 'docs extra'"],
    [['snooze', '99d', 'docs', 'extra'], 2, '"99d" is more than 31 days away.'],
    [['snooze', 'today', '0:00'], 2, '"today 0:00" is over.'],
    [['snooze', '5m', 'nobody'], 4, 'No session or pane "nobody" is known.'],
    [['snooze', '5m'], 4, 'You are in no tmux pane.'],
    [['snooze', '--undo', '5m', 'a'], 2, '--undo takes no time'],
  ] as const)('%j is refused', async ([args, code, text], { world }) => {
    const result = await world.trailboss(...args)
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(text)
  })
})
