import { describe, expect } from 'vitest'
import { bash, createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

describe('Escape fires no hook, and still the session is listed', () => {
  test('in the middle of an answer', async ({ agent, real }) => {
    const gate = createGate()
    const tale = 'Once upon a time.\n\nThere was a trail.\n'
    await agent.prompt('Tell me a tale', say(tale, { midway: gate }))
    await agent.waitToSee(/Once upon a time/)
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    await agent.escape()
    const item = await real.listed(agent)
    expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
    await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
  })

  test('in a running tool', async ({ agent, real }) => {
    await agent.prompt('Run for long', bash('touch running-marker && sleep 60'))
    await real.listed(agent, ({ ask }) => ask.tool === 'Bash')
    await agent.approve()
    await real.gone(agent)
    await agent.waitForStatus('busy')
    await agent.escape()
    const item = await real.listed(agent)
    expect(item.reason).toBe('stopped')
    await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
  })

  test('before the first token, which leaves no trace in the transcript either', async ({
    agent,
    real,
  }) => {
    const gate = createGate()
    await agent.prompt('Say nothing yet', say('Too late.', { before: gate }))
    await gate.reached
    await agent.waitForStatus('busy')
    await agent.escape()
    const why = 'Interrupted before it answered.'
    const item = await real.listed(agent, ({ ask }) => ask.text === why)
    expect(item.reason).toBe('stopped')
    expect(await real.explain(agent)).toMatchObject({ state: 'stuck', reason: 'stopped' })
  })

  test('and the next prompt takes it off the queue again', async ({ agent, real }) => {
    const [first, second] = [createGate(), createGate()]
    await agent.prompt(
      'Begin a song',
      say('Home on the range.\n\nWhere the deer play.', { midway: first }),
    )
    await agent.waitToSee(/Home on the range/)
    await agent.escape()
    await real.listed(agent)
    await agent.prompt('Another song', say('Red river valley.', { before: second }))
    await real.gone(agent)
    await agent.waitForStatus('busy')
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    second.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Red river valley.')
  })
})
