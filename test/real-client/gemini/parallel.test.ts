import { expect } from 'vitest'
import { geminiTest } from '../support/gemini-test.ts'
import { say, tool, uses } from '../support/reply.ts'

const test = geminiTest()

test('of two commands in one answer, the one whose dialog is up is the ask', async ({
  agent,
  real,
}) => {
  const run = (command: string) => tool('run_shell_command', { command, description: 'As asked' })
  const both = uses(run('touch first; sleep 3'), run('touch second; sleep 3'))
  await agent.prompt('Run both', both, say('Both ran.'))
  await agent.waitToSee(/^│ \? .*touch first/m)
  await real.listed(agent, ({ ask }) => ask.text === 'touch first; sleep 3')
  await agent.press('Enter')
  await agent.waitToSee(/^│ \? .*touch second/m)
  await real.listed(agent, ({ ask }) => ask.text === 'touch second; sleep 3')
  await agent.press('Enter')
  await real.gone(agent)
  const item = await real.listed(agent)
  expect(item.ask.text).toContain('Both ran.')
})
