import { describe, expect } from 'vitest'
import { createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

describe('a turn of text', () => {
  test('a session that was just started has asked for nothing yet', async ({ agent, real }) => {
    await agent.waitForStatus('idle')
    await real.staysGone(agent, () => agent.screen())
  })

  test('is not listed while the model works, and listed with its last message when it ends', async ({
    agent,
    real,
  }) => {
    const gate = createGate()
    await agent.prompt('Count the herd', say('There are 42 cows.', { before: gate }))
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    gate.open()

    const item = await real.listed(agent, ({ ask }) => ask.text === 'There are 42 cows.')
    expect(item).toMatchObject({
      harness: 'claude-code',
      reason: 'stopped',
      ready: true,
      pane: agent.pane,
      cwd: agent.cwd,
    })

    const again = createGate()
    await agent.prompt('Count them again', say('Still 42.', { before: again }))
    await real.gone(agent)
    again.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Still 42.')
  })
})
