import { describe, expect } from 'vitest'
import { endCommand, hasBegun, LONG_COMMAND } from './support/long-command.ts'
import { askUser, bash, createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({ hooks: false })

describe('without a single hook', () => {
  test('a turn is work, and then waits with its last message', async ({ agent, real }) => {
    await agent.waitForStatus('idle')
    await real.session(agent, ({ state }) => state === 'unknown')
    const gate = createGate()
    await agent.prompt('Count the hens', say('Twelve hens.', { before: gate }))
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    await real.session(agent, ({ state }) => state === 'working')
    gate.open()
    const item = await real.listed(agent, ({ ask }) => ask.text === 'Twelve hens.')
    expect(item).toMatchObject({
      harness: 'claude-code',
      reason: 'stopped',
      pane: agent.pane,
      cwd: agent.cwd,
    })
  })

  test('an approved command is gone from the queue while it runs', async ({ agent, real }) => {
    await agent.prompt('Deploy', bash(LONG_COMMAND), say('Deployed.'))
    const item = await real.listed(agent, ({ ask }) => ask.text.includes(LONG_COMMAND))
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane, ask: { tool: 'Bash' } })
    await agent.approve()
    await real.gone(agent, 1_000)
    await real.staysGone(agent, () => hasBegun(agent))
    endCommand(agent)
    await real.listed(agent, ({ ask }) => ask.text === 'Deployed.')
  })

  test('a denied command leaves it waiting for the next instruction', async ({ agent, real }) => {
    await agent.prompt('Drop it all', bash('touch dropped'))
    await real.listed(agent, ({ ask }) => ask.text.includes('touch dropped'))
    await agent.deny()
    const item = await real.listed(agent, ({ reason }) => reason === 'stopped')
    expect(item.ask.text).not.toContain('touch dropped')
    await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
  })

  test('a question is asked with its options, and answered', async ({ agent, real }) => {
    const gate = createGate()
    const answered = say('Red it is.', { before: gate })
    await agent.prompt('Ask for a colour', askUser('Red or blue?', ['Red', 'Blue']), answered)
    const item = await real.listed(agent, ({ ask }) => ask.text.startsWith('Red or blue?'))
    expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })
    expect(item.ask.text).toContain('Blue')
    await agent.choose(/Red/)
    await real.gone(agent, 1_000)
    await gate.reached
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    gate.open()
    await real.listed(agent, ({ ask }) => ask.text === 'Red it is.')
  })

  test('a turn that is interrupted in the middle waits', async ({ agent, real }) => {
    const gate = createGate()
    await agent.prompt('Tell it at length', say('Once upon a time there was', { midway: gate }))
    await agent.waitToSee(/^●/m)
    await agent.escape()
    const item = await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
    expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
  })

  test('a turn that is interrupted before its first word waits, too', async ({ agent, real }) => {
    const gate = createGate()
    await agent.prompt('Think it over', say('Never said.', { before: gate }))
    await agent.waitForStatus('busy')
    await agent.escape()
    const why = 'Interrupted before it answered.'
    const item = await real.listed(agent, ({ ask }) => ask.text === why)
    expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
  })
})
