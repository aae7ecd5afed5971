import { describe } from 'vitest'
import { test } from '../support/world.ts'

describe('when all that wait were skipped', () => {
  test('the status line says how many there are', async ({ world }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.stop('A is done.')
    await b.stop('B is done.')
    await world.waitForQueue('both to be queued', (q) => q.length === 2)
    await world.operator.waitToSee(/⚠ 2 stuck\s*$/)
    for (const { session } of [a, b]) await world.trailboss('skip', '--session', session)
    await world.waitForQueue('both to cool down', (q) => q.every(({ ready }) => !ready))
    await world.operator.waitToSee(/ 2 skipped\s*$/)
    await a.askPermission({ command: 'make' })
    await world.operator.waitToSee(/⚠ 1 stuck\s*$/)
  })
})

describe('the popup with nothing to show', () => {
  test('says how many are working, and keeps that true', async ({ world }) => {
    const agents = [await world.agent('a'), await world.agent('b')]
    await world.operator.openPopup()
    await world.operator.waitToSee(/Nothing is stuck\.[\s\S]*2 are working\./)
    await agents[0]!.exit()
    await world.operator.waitToSee(/Nothing is stuck\.[\s\S]*1 is working\./)
    await world.operator.closePopup()
  })
})
