import { describe, expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import type { RealAgent } from './support/agents/claude-agent.ts'
import { bash, createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

const ENDINGS: Record<string, (agent: RealAgent) => Promise<unknown>> = {
  '/exit': (agent) => agent.exit(),
  'Ctrl-C twice': async (agent) => {
    await agent.pressUntil('C-c', (shown) => /again to exit/.test(shown) || !agent.isAlive())
    // The question stands for less than a second: a key that comes later only asks it again.
    const press = () => agent.press('C-c').then(() => !agent.isAlive())
    await waitFor(press, { what: `${agent.name} to end by Ctrl-C` })
  },
  SIGTERM: (agent) => agent.kill('SIGTERM'),
  'SIGHUP, when its pane is killed': ({ server, pane }) => server.run('kill-pane', '-t', pane.id),
  SIGKILL: (agent) => agent.kill('SIGKILL'),
}

describe('a session that waits leaves the queue with its process', () => {
  test.for(Object.entries(ENDINGS))('%s', async ([, end], { agent, real }) => {
    await agent.prompt(`Work as ${agent.name}`, say('It is done.'))
    await real.listed(agent)
    await end(agent)
    await waitFor(() => !agent.isAlive(), { what: 'the process to be gone' })
    await real.gone(agent, 3_000)
    await real.session(agent, ({ state }) => state === 'ended')
  })

  test('SIGKILL while it is blocked', async ({ agent, real }) => {
    await agent.prompt('Ask and die', bash('touch never'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.waitForStatus('waiting')
    await agent.kill('SIGKILL')
    await real.gone(agent, 3_000)
    expect(agent.statusFile()).toMatchObject({ status: 'waiting' })
    await real.session(agent, ({ state }) => state === 'ended')
  })

  test('a tmux session that is killed takes its agent along', async ({ real }) => {
    await real.world.tmux.run('new-session', '-d', '-s', 'brief', 'exec sh')
    const id = await real.world.tmux.run('display-message', '-p', '-t', '=brief:', '#{pane_id}')
    const agent = await real.start('brief', { inPane: { socket: real.world.tmux.socket, id } })
    await agent.prompt('Be brief', bash('touch brief'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await real.world.tmux.run('kill-session', '-t', '=brief')
    await waitFor(() => !agent.isAlive(), { what: 'the process to be gone' })
    await real.gone(agent, 3_000)
    await real.session(agent, ({ state }) => state === 'ended')
  })
})

test('a session that works and is killed has ended, and is never listed', async ({
  agent,
  real,
}) => {
  const gate = createGate()
  await agent.prompt('Work and die', say('Never said.', { before: gate }))
  await agent.waitForStatus('busy')
  await real.session(agent, ({ state }) => state === 'working')
  await agent.kill('SIGKILL')
  await real.staysGone(agent, async () => (await real.stateOf(agent.session)) === 'ended')
  expect(agent.statusFile()).toMatchObject({ status: 'busy' })
})

describe('Ctrl-Z', () => {
  test('makes a session that works wait for fg', async ({ agent, real }) => {
    const gate = createGate()
    await agent.prompt('Work slowly', say('At last.', { before: gate }))
    await real.staysGone(agent, () => agent.statusFile()?.status === 'busy')
    await agent.suspend()
    const item = await real.listed(agent)
    expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
    expect(item.ask.text).toContain('fg')

    await agent.foreground()
    await real.gone(agent)
    gate.open()
    await real.listed(agent, ({ ask }) => ask.text === 'At last.')
  })

  test('comes before what a stopped session asked', async ({ agent, real }) => {
    await agent.prompt('Work quickly', say('Quick.'))
    await real.listed(agent, ({ ask }) => ask.text === 'Quick.')
    await agent.suspend()
    await real.listed(agent, ({ ask }) => ask.text.includes('fg'))
    await agent.foreground()
    await real.listed(agent, ({ ask }) => ask.text === 'Quick.')
  })
})
