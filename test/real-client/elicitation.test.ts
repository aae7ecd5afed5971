import { describe, expect } from 'vitest'
import { createGate, mcp, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({}, { mcp: true })

describe('a form of an MCP server', () => {
  test('is listed after its permission, and gone when it is filled in', async ({ agent, real }) => {
    const answer = createGate()
    await agent.prompt('Choose a horse', mcp('choose'), say('Saddled.', { before: answer }))
    await real.listed(agent, ({ ask }) => ask.tool === 'mcp__ranch__choose')
    await agent.approve()
    const item = await real.listed(agent, ({ ask }) => ask.text.includes('Which horse'))
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })

    await agent.pressUntil('Right', (shown) => shown.includes('Dolly'))
    await agent.pressUntil('Enter', (shown) => /Horse: .*Buck[^❯]*❯ Accept/.test(shown))
    await agent.pressUntil('Enter', (shown) => !shown.includes('requests your input'))
    await real.gone(agent)
    await real.model.waitForRequest('Choose a horse', 2)
    expect(real.model.requestsFor('Choose a horse').at(-1)?.results.join()).toContain('Buck')
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Saddled.')
  })

  test('left with Escape, is gone, because the tool goes on', async ({ agent, real }) => {
    const answer = createGate()
    await agent.prompt('Choose no horse', mcp('choose'), say('On foot.', { before: answer }))
    await real.listed(agent, ({ ask }) => ask.tool === 'mcp__ranch__choose')
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text.includes('Which horse'))
    await agent.waitToSee(/❯ \* Horse/)
    await agent.pressUntil('Escape', (shown) => !/❯ \* Horse/.test(shown))
    await real.gone(agent)
    await real.model.waitForRequest('Choose no horse', 2)
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'On foot.')
  })
})
