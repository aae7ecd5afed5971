import { createGate, say, tool, uses } from '../support/model/reply.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'

const test = geminiTest()

test('of two commands in one answer, the one whose dialog is up is the ask', async ({
  agent,
  real,
}) => {
  const run = (command: string) => tool('run_shell_command', { command, description: 'As asked' })
  const both = uses(run('touch first; sleep 3'), run('touch second; sleep 3'))
  const gate = createGate()
  const answer = async (asked: RegExp) => {
    await agent.waitToSee(/^ ?│\s+● 1\. /m)
    await agent.pressUntil('Enter', (shown) => !asked.test(shown), 8_000)
  }
  await agent.prompt('Run both', both, say('Both ran.', { before: gate }))
  await agent.waitToSee(/^│ \? .*touch first/m)
  await real.listed(agent, ({ ask }) => ask.text === 'touch first; sleep 3')
  await answer(/^│ \? .*touch first/m)
  await agent.waitToSee(/^│ \? .*touch second/m)
  await real.listed(agent, ({ ask }) => ask.text === 'touch second; sleep 3')
  await answer(/^│ \? .*touch second/m)
  await real.gone(agent)
  gate.open()
  await real.listed(agent, ({ ask }) => ask.text.includes('Both ran.'))
})
