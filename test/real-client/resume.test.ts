import { describe, expect } from 'vitest'
import type { QueueItem, SessionView } from '../../src/contract/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import type { RealAgent } from './support/agents/claude-agent.ts'
import { bash, say } from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

describe('a session that was left', () => {
  test('and is resumed in the same pane waits for nothing until it is prompted', async ({
    agent,
    real,
  }) => {
    const { session } = await finishTurn(agent, real, 'Start the log')
    await agent.exit()
    await real.world.waitForQueue('it to leave with its process', (q) => q.length === 0)

    const args = ['--resume', session]
    const again = await real.start('again', { args, inPane: agent.pane, cwd: agent.cwd })
    await again.waitForStatus('idle')
    await real.session(again, isFreshAs(again, session))
    expect(await real.world.queue()).toEqual([])

    const item = await finishTurn(again, real, 'Go on with the log')
    expect(item).toMatchObject({ session, pane: agent.pane })
  })

  test('and is continued in another pane is found there', async ({ agent, real }) => {
    const { session } = await finishTurn(agent, real, 'Start the list')
    await agent.exit()
    await real.world.waitForQueue('it to leave with its process', (q) => q.length === 0)

    const elsewhere = await real.start('elsewhere', { args: ['--continue'], cwd: agent.cwd })
    await elsewhere.waitForStatus('idle')
    await real.session(elsewhere, isFreshAs(elsewhere, session))
    expect(await real.world.queue()).toEqual([])

    const item = await finishTurn(elsewhere, real, 'Go on with the list')
    expect(item).toMatchObject({ session, pane: elsewhere.pane })
  })

  test('and is forked in the same pane is another session there', async ({ agent, real }) => {
    const { session } = await finishTurn(agent, real, 'Start the map')
    await agent.exit()
    await real.world.waitForQueue('it to leave with its process', (q) => q.length === 0)

    const args = ['--resume', session, '--fork-session']
    const fork = await real.start('fork', { args, inPane: agent.pane, cwd: agent.cwd })
    await fork.waitForStatus('idle')
    await real.session(fork, ({ state }) => state === 'unknown')
    expect(await real.world.queue()).toEqual([])

    const item = await finishTurn(fork, real, 'Go on with the map')
    expect(item).toMatchObject({ pane: agent.pane })
    expect(item.session).not.toBe(session)
    expect(await real.stateOf(session)).toBe('ended')
  })
})

test('a session that is forked in another pane while it waits stays where it is', async ({
  agent,
  real,
}) => {
  const original = await finishTurn(agent, real, 'Start the story')
  const args = ['--continue', '--fork-session']
  const fork = await real.start('fork', { args, cwd: agent.cwd })
  await fork.waitForStatus('idle')
  await real.session(fork, ({ state }) => state === 'unknown')
  expect((await real.world.queue()).map(essence)).toEqual([essence(original)])

  const item = await finishTurn(fork, real, 'Tell it otherwise')
  expect(item).toMatchObject({ pane: fork.pane })
  expect((await real.world.queue()).map(essence)).toEqual([original, item].map(essence))
})

test('a session that runs in two panes is two items, each in its own pane', async ({
  agent,
  real,
}) => {
  const { session } = await finishTurn(agent, real, 'Start the song')
  const second = await real.start('second', { args: ['--resume', session], cwd: agent.cwd })
  const itemIn = async ({ pane }: RealAgent) =>
    (await real.world.queue()).find((item) => item.pane?.id === pane.id)
  const listedIn = (one: RealAgent, text: RegExp) =>
    waitFor(() => itemIn(one), {
      what: `${one.name} to be listed with ${text}`,
      until: (item) => item !== undefined && text.test(item.ask.text),
      timeoutMs: 60_000,
    })
  await second.prompt('Sing it here', bash('touch sung'), say('Sung here.'))
  const here = await listedIn(second, /touch sung/)
  expect(here).toMatchObject({ session: `${session}#${second.pid}`, reason: 'permission' })
  expect(await itemIn(agent)).toMatchObject({ session, reason: 'stopped' })

  await agent.prompt('Sing it there', bash('touch there'), say('Sung there.'))
  expect(await listedIn(agent, /touch there/)).toMatchObject({ session, reason: 'permission' })
  expect(await itemIn(second)).toMatchObject({ reason: 'permission' })
  await agent.approve()
  await listedIn(agent, /Sung there/)
  expect((await itemIn(second))?.ask.text).toMatch(/touch sung/)

  await agent.exit()
  await waitFor(() => itemIn(agent), { what: 'the first to be gone', until: (item) => !item })
  await second.approve()
  await listedIn(second, /Sung here/)
  await second.exit()
  await waitFor(() => real.world.queue(), { what: 'both to be gone', until: (q) => q.length === 0 })
})

/** What a hook that comes late adds nothing to. */
function essence({ session, reason, since, pane, ask }: QueueItem) {
  return { session, reason, since, pane: pane?.id, ask: ask.text }
}

/** It goes on with that session, and was not prompted yet. */
function isFreshAs({ pid }: RealAgent, session: string) {
  return (one: SessionView) => one.session === session && one.state === 'unknown' && one.pid === pid
}

async function finishTurn(agent: RealAgent, real: RealWorld, prompt: string) {
  await agent.prompt(prompt, say(`${prompt}: done.`))
  return real.listed(agent, ({ ask }) => ask.text === `${prompt}: done.`)
}
