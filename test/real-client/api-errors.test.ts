import { describe, expect } from 'vitest'
import { apiError, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

describe('an API error that ends the turn', () => {
  test.for([
    [400, /400 scripted 400/],
    [401, /API key|401/],
    [529, /529|overloaded/i],
  ] as const)('%i is a stop that names it', async ([status, text], { real }) => {
    const agent = await real.start(undefined, { env: { CLAUDE_CODE_MAX_RETRIES: '1' } })
    await agent.prompt(`Fail with ${status}`, apiError(status))
    const item = await real.listed(agent, ({ ask }) => text.test(ask.text))
    expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
    expect(real.model.requestsFor(`Fail with ${status}`).at(-1)?.status).toBe(status)
  })
})

describe('an API error that is tried again', () => {
  test('is work, until an answer comes', async ({ agent, real }) => {
    const tries = () => real.model.requestsFor('Fail for a while')
    await agent.prompt('Fail for a while', apiError(500))
    await agent.waitToSee(/Retrying in/)
    await real.staysGone(agent, () => tries().length > 3)
    // The later plan is the one that counts.
    real.model.plan('Fail for a while', say('At last.'))
    await real.staysGone(agent, () => tries().some(({ status }) => status === 200))
    await real.listed(agent, ({ ask }) => ask.text === 'At last.')
  })

  test('is work, until it is interrupted', async ({ agent, real }) => {
    await agent.prompt('Fail for ever', apiError(500))
    await real.staysGone(agent, async () => /attempt [3-9]\/10/.test(await agent.screen()))
    await agent.escape()
    const item = await real.listed(agent)
    expect(item.reason).toBe('stopped')
  })
})
