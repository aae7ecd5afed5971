import { describe, expect } from 'vitest'
import { askUser, createGate, exitPlanMode, say, writePlan } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()
const INTERRUPTED = 'Interrupted by you.'

describe('a question of the model', () => {
  test('is listed with its options, and gone when it is answered', async ({ agent, real }) => {
    const answer = createGate()
    await agent.prompt(
      'Ask me the way',
      askUser('Which way to the river?', ['North', 'South']),
      say('South it is.', { before: answer }),
    )
    const item = await real.listed(agent, ({ ask }) => ask.tool === 'AskUserQuestion')
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })
    expect(item.ask.text).toMatch(/Which way to the river\?.*North.*South/s)

    await agent.choose(/^South/)
    await real.gone(agent, 1_000)
    await real.model.waitForRequest('Ask me the way', 2)
    expect(real.model.requestsFor('Ask me the way').at(-1)?.results.join()).toContain('South')
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'South it is.')
  })

  test('left with Escape, becomes a stop', async ({ agent, real }) => {
    await agent.prompt('Ask me in vain', askUser('Whose horse is this?', ['Mine', 'Yours']))
    await real.listed(agent, ({ ask }) => ask.text.includes('Whose horse is this?'))
    await agent.waitForDialog()
    await agent.escape()
    const item = await real.listed(agent, ({ ask }) => ask.text === INTERRUPTED)
    expect(item.reason).toBe('stopped')
  })
})

describe('a plan', () => {
  const PLAN = '# Drive the herd\n\n1. Saddle up\n2. Cross the river\n'

  test('is listed as it is written, and gone when it is approved', async ({ real }) => {
    const agent = await real.start(undefined, { permissionMode: 'plan' })
    const answer = createGate()
    await agent.prompt(
      'Plan the drive',
      writePlan(PLAN),
      exitPlanMode(),
      say('On our way.', { before: answer }),
    )
    const item = await real.listed(agent, ({ ask }) => ask.tool === 'ExitPlanMode')
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })
    expect(item.ask.text).toContain('2. Cross the river')

    await agent.choose(/manually approve edits/)
    await real.gone(agent, 1_000)
    await real.staysGone(agent, () => real.model.requestsFor('Plan the drive').length >= 3)
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'On our way.')
  })

  test('rejected with Escape, becomes a stop', async ({ real }) => {
    const agent = await real.start(undefined, { permissionMode: 'plan' })
    await agent.prompt('Plan a robbery', writePlan('1. Rob the bank\n'), exitPlanMode())
    await real.listed(agent, ({ ask }) => ask.text.includes('Rob the bank'))
    await agent.waitForDialog()
    await agent.escape()
    const item = await real.listed(agent, ({ ask }) => ask.text === INTERRUPTED)
    expect(item.reason).toBe('stopped')
  })

  test('sent back with a wish, is gone, because the model thinks again', async ({ real }) => {
    const agent = await real.start(undefined, { permissionMode: 'plan' })
    const answer = createGate()
    await agent.prompt(
      'Plan the return',
      writePlan(PLAN),
      exitPlanMode(),
      say('By the bridge, then.', { before: answer }),
    )
    await real.listed(agent, ({ ask }) => ask.tool === 'ExitPlanMode')
    await agent.select(/^Tell Claude what to change/)
    await agent.type('take the bridge')
    await agent.pressUntil('Enter', (shown) => !shown.includes('Would you like to proceed'))
    await real.gone(agent)
    await real.model.waitForRequest('Plan the return', 3)
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'By the bridge, then.')
  })
})
