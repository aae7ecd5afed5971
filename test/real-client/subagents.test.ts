import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { endCommand, hasBegun, LONG_COMMAND } from './support/long-command.ts'
import {
  bash,
  createGate,
  holdBack,
  say,
  startSubagent,
  subagent,
  uses,
} from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest()

describe('a subagent', () => {
  test('that runs on after the main thread has stopped is work', async ({ agent, real }) => {
    const gate = createGate()
    real.model.plan('Inner count', say('Seven.', { before: gate }))
    await agent.prompt('Have it counted', startSubagent('Inner count'), say('Counting.'), say('7.'))
    await agent.waitToSee(/Waiting for 1 background agent/)
    await real.staysGone(agent, () => agent.waitToSee(/Counting\./))
    gate.open()
    await real.staysGone(agent, () => real.model.requestsFor('Have it counted').length === 3)
    const item = await real.listed(agent, ({ ask }) => ask.text === '7.')
    expect(item.reason).toBe('stopped')
  })

  test('that asks before the main thread stops blocks its session, and the stop does not lift it', async ({
    agent,
    real,
  }) => {
    const main = createGate()
    real.model.plan('Inner deploy', bash(LONG_COMMAND), say('Deployed.'))
    await agent.prompt(
      'Have it deployed',
      startSubagent('Inner deploy'),
      say('Deploying.', { before: main }),
      say('It is out.'),
    )
    await main.reached
    const asked = await real.listed(agent, ({ ask }) => ask.text.includes(LONG_COMMAND))
    expect(asked).toMatchObject({ reason: 'permission', pane: agent.pane, ask: { tool: 'Bash' } })

    main.open()
    const isBlocked = async () => (await real.itemOf(agent))?.reason === 'permission'
    await real.always('the session is blocked', isBlocked, () =>
      agent.screen().then((shown) => /Waiting for 1 background agent/.test(shown)),
    )

    await agent.approve()
    await real.gone(agent)
    await real.staysGone(agent, () => hasBegun(agent))
    endCommand(agent)
    await real.staysGone(agent, () => real.model.requestsFor('Inner deploy').length === 2)
    await real.listed(agent, ({ ask }) => ask.text === 'It is out.')
  })

  test.for([['No', 'refused', 'deny'] as const, ['Escape', 'escaped', 'dismiss'] as const])(
    'that asks after the main thread has stopped is answered with %s',
    async ([, outcome, answer], { agent, real }) => {
      const inner = createGate()
      const refused = createGate()
      const ask = holdBack(bash(`touch ${outcome}`), inner)
      real.model.plan(`Inner ${outcome}`, ask, say('They said no.', { before: refused }))
      await agent.prompt(
        `Have it ${outcome}`,
        startSubagent(`Inner ${outcome}`),
        say('Asking.'),
        say('Nothing done.'),
      )
      await agent.waitToSee(/Waiting for 1 background agent/)
      inner.open()
      const asked = await real.listed(agent, ({ ask }) => ask.text.includes(`touch ${outcome}`))
      expect(asked).toMatchObject({ reason: 'permission', pane: agent.pane })

      await agent[answer]()
      await real.gone(agent)
      await real.staysGone(agent, () => real.model.requestsFor(`Inner ${outcome}`).length === 2)
      refused.open()
      await real.staysGone(agent, () => real.model.requestsFor(`Have it ${outcome}`).length === 3)
      const item = await real.listed(agent, ({ ask }) => ask.text === 'Nothing done.')
      expect(item.reason).toBe('stopped')
    },
  )
})

test('two subagents that ask at once are one item until both are answered', async ({
  agent,
  real,
}) => {
  const command = (name: string) => `touch ${name}; until [ -e over ]; do sleep 0.1; done`
  real.model.plan('Inner left', bash(command('left')), say('Left done.'))
  real.model.plan('Inner right', bash(command('right')), say('Right done.'))
  await agent.prompt(
    'Have both done',
    uses(subagent('Inner left'), subagent('Inner right')),
    say('Both at it.'),
  )
  const asked = await agent.waitToSee(/(?=.*1 of 2).*touch (left|right);/s)
  const first = /touch (left|right);/.exec(asked)?.[1]
  const second = first === 'left' ? 'right' : 'left'
  await real.listed(agent, ({ ask }) => ask.text.startsWith(`touch ${first};`))
  await agent.approve()
  const item = await real.listed(agent, ({ ask }) => ask.text.startsWith(`touch ${second};`))
  expect(item).toMatchObject({ reason: 'permission', pane: agent.pane })

  await agent.approve()
  await real.gone(agent)
  await real.staysGone(agent, () => existsSync(join(agent.cwd, second)))
  endCommand(agent)
  await real.listed(agent, ({ reason }) => reason === 'stopped')
})
