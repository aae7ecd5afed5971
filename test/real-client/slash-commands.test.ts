import { describe, expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

test('/clear ends the session, and the new one has asked for nothing yet', async ({
  agent,
  real,
}) => {
  await agent.prompt('Begin', say('Begun.'))
  await real.listed(agent)
  const before = agent.session
  await agent.submit('/clear')
  await real.world.waitForQueue('the cleared session to leave', (q) => q.length === 0)
  await real.session(agent, ({ session, state }) => session !== before && state === 'unknown')
  await waitFor(() => real.stateOf(before), {
    what: 'the cleared session to have ended',
    until: (state) => state === 'ended',
  })

  const gate = createGate()
  await agent.prompt('Begin anew', say('Begun anew.', { before: gate }))
  await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
  gate.open()
  const item = await real.listed(agent, ({ ask }) => ask.text === 'Begun anew.')
  expect(item).toMatchObject({ pane: agent.pane, reason: 'stopped' })
  expect((await real.world.queue()).map(({ session }) => session)).toEqual([agent.session])
})

test('/compact is work, and then it waits again', async ({ agent, real }) => {
  await agent.prompt('Remember this', say('Remembered.'))
  const { since } = await real.listed(agent)
  const gate = createGate()
  real.model.plan('Respond with TEXT ONLY', say('A summary.', { before: gate }))
  await agent.submit('/compact')
  await gate.reached
  await real.gone(agent)
  await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
  gate.open()
  const item = await real.listed(agent)
  expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
  expect(item.since).toBeGreaterThan(since)
})

describe('the dialog of /model', () => {
  test('waits for the operator, and what it shows is the ask', async ({ agent, real }) => {
    await agent.submit('/model')
    const item = await real.listed(agent, ({ ask }) => ask.text.startsWith('Select model'))
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })
    await agent.dismiss()
    await real.gone(agent)
    await real.session(agent, ({ state }) => state === 'unknown')
  })

  test('is gone when a model is chosen, and the last message is the ask again', async ({
    agent,
    real,
  }) => {
    await agent.prompt('Say hello', say('Hello.'))
    await real.listed(agent, ({ ask }) => ask.text === 'Hello.')
    await agent.submit('/model')
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.choose(/Default/)
    await real.listed(agent, ({ reason, ask }) => reason === 'stopped' && ask.text === 'Hello.')
  })
})
