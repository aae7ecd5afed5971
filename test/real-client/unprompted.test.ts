import { describe, expect } from 'vitest'
import { endCommand, hasBegun, LONG_COMMAND } from './support/long-command.ts'
import { bash, createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

describe('prompts that were typed while it worked', () => {
  test('are begun without a hook: it is not listed between the turns', async ({ agent, real }) => {
    const [first, second, third] = [createGate(), createGate(), createGate()]
    await agent.prompt('Count to one', say('One.', { before: first }))
    real.model.plan('Count to two', say('Two.', { before: second }))
    real.model.plan('Count to three', say('Three.', { before: third }))
    await agent.waitForStatus('busy')
    await agent.submit('Count to two')
    await agent.waitToSee(/queued messages/)
    first.open()
    await real.staysGone(agent, () => real.model.requestsFor('Count to two').length > 0)
    await agent.waitForStatus('busy')
    await agent.waitToSee(/^(?!.*queued messages)/s)
    await agent.submit('Count to three')
    await agent.waitToSee(/queued messages/)
    second.open()
    await real.staysGone(agent, () => real.model.requestsFor('Count to three').length > 0)
    third.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Three.')
  })
})

describe('a shell command of the operator (!)', () => {
  test('is work while it runs, and then a stop', async ({ agent, real }) => {
    await agent.prompt('Say one word', say('Howdy.'))
    await real.listed(agent, ({ ask }) => ask.text === 'Howdy.')
    await agent.press('!')
    await agent.waitToSee(/^!/m)
    await agent.submit(LONG_COMMAND)
    await real.gone(agent)
    await real.staysGone(agent, () => hasBegun(agent))
    endCommand(agent)
    await real.staysGone(agent, () => agent.statusFile()?.status === 'idle')
    const item = await real.listed(agent)
    expect(item.reason).toBe('stopped')
  })
})

describe('a background shell', () => {
  test('is named while it runs; its end starts a turn of its own', async ({ agent, real }) => {
    const answer = createGate()
    await agent.prompt(
      'Build in the background',
      bash(LONG_COMMAND, { run_in_background: true }),
      say('Building.'),
    )
    await agent.approve()
    const item = await real.listed(agent, ({ ask }) => ask.text.startsWith('Building.'))
    expect(item.ask.text).toMatch(/background/)
    real.model.plan('<task-notification>', say('Built.', { before: answer }))
    endCommand(agent)
    await agent.waitForStatus('busy')
    await real.gone(agent)
    await real.staysGone(agent, () => real.model.requestsFor('<task-notification>').length > 0)
    answer.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Built.')
  })
})
