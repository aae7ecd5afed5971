import { describe, expect } from 'vitest'
import { endCommand, LONG_COMMAND } from '../support/long-command.ts'
import { askUser, bash, startSubagent, writeFile } from '../support/model/opencode-replies.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'
import { ended, hasToldItself } from '../support/program-world.ts'
import { opencodeTest } from '../support/tests/opencode-test.ts'

const test = opencodeTest()

test('one that was given nothing yet is not listed', async ({ agent, real }) => {
  await agent.waitToSee(/Ask anything/)
  expect((await real.world.queue()).filter(({ pane }) => pane?.id === agent.pane.id)).toEqual([])
})

test('a turn that ended is listed with what it said', async ({ agent, real }) => {
  await agent.prompt('Say hello', say('Hello, operator.'))
  const item = await real.listed(agent, (one) => {
    return one.ask.text === 'Hello, operator.' && hasToldItself(one)
  })
  expect(item).toMatchObject({ harness: 'opencode', reason: 'stopped', pane: agent.pane })
  expect(item).toMatchObject({ cwd: agent.cwd, session: expect.stringMatching(/^ses_/) })
})

test('one that works is not listed until it is done', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Take your time', say('There you are.', { before: gate }))
  await real.session(agent, ({ state }) => state === 'working')
  await real.gone(agent)
  gate.open()
  await real.listed(agent, ({ ask }) => ask.text === 'There you are.')
})

describe('a permission', () => {
  test('is listed with the command, and gone while the approved command runs', async ({
    agent,
    real,
  }) => {
    await agent.prompt('Run it slowly', bash(LONG_COMMAND), say('It ran.'))
    const { ask: asked } = await real.asks(agent, LONG_COMMAND)
    expect(asked.tool).toBe('bash')
    await agent.approve()
    await real.gone(agent)
    expect(await agent.screen()).not.toContain('It ran.')
    endCommand(agent)
    await real.listed(agent, ({ ask }) => ask.text === 'It ran.')
  })

  test('for a file shows the change', async ({ agent, real }) => {
    const path = `${agent.cwd}/notes.txt`
    await agent.prompt('Write notes', writeFile(path, 'one\ntwo\n'), say('Written.'))
    await real.asks(agent, `Edit ${path}\n+one\n+two`)
    await agent.approve()
    await real.listed(agent, (item) => item.ask.text === 'Written.')
  })

  test('that is denied ends the turn', async ({ agent, real }) => {
    await agent.prompt('Remove all', bash('rm -rf nothing'), say('Removed.'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.deny()
    await real.listed(agent, ({ reason }) => reason === 'stopped')
  })

  test("of a subagent is its parent's", async ({ agent, real }) => {
    real.model.plan('Look around', bash('ls there'), say('Looked.'))
    await agent.prompt('Send somebody', startSubagent('Look around'), say('They looked.'))
    await real.asks(agent, 'ls there')
    const inPane = (await real.world.sessions()).filter(
      ({ pane, state }) => pane?.id === agent.pane.id && state !== 'ended',
    )
    expect(inPane).toHaveLength(1)
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text === 'They looked.')
  })
})

describe('a question', () => {
  test('is listed with its choices, and gone when it is answered', async ({ agent, real }) => {
    await agent.prompt('Ask me', askUser('Which colour?', ['Red', 'Blue']), say('Red it is.'))
    await real.asks(agent, 'Which colour?\n  1. Red: Choose Red\n  2. Blue: Choose Blue')
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text === 'Red it is.')
  })

  test('that is declined ends the turn', async ({ agent, real }) => {
    await agent.prompt('Ask me again', askUser('Which size?', ['Big', 'Small']), say('Oh.'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.deny()
    await real.listed(agent, ({ reason }) => reason === 'stopped')
  })
})

test('an interrupted turn is listed as one', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Think long', say('Never said.', { before: gate }))
  await gate.reached
  await real.gone(agent)
  await agent.interrupt()
  const item = await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
  expect(item.reason).toBe('stopped')
  gate.open()
})

describe('a request that fails', () => {
  test('for good is listed with the error', async ({ agent, real }) => {
    await agent.prompt('Fail', apiError(401, { message: 'no such key' }))
    const item = await real.listed(agent, ({ ask }) => ask.text.startsWith('API error'))
    expect(item.ask.text).toBe('API error: no such key')
  })

  test('and is tried again is work', async ({ agent, real }) => {
    await agent.prompt('Stumble', apiError(500))
    await agent.waitToSee(/retrying/)
    await real.session(agent, ({ state }) => state === 'working')
    // It fails until it was seen to be tried again; the later plan is the one that counts.
    real.model.plan('Stumble', say('Recovered.'))
    await real.listed(agent, ({ ask }) => ask.text === 'Recovered.')
  })
})

test('a prompt takes the session off the queue', async ({ agent, real }) => {
  await agent.prompt('First', say('One.'))
  await real.listed(agent, ({ ask }) => ask.text === 'One.')
  const gate = createGate()
  await agent.prompt('Second', say('Two.', { before: gate }))
  await real.gone(agent)
  gate.open()
  await real.listed(agent, ({ ask }) => ask.text === 'Two.')
})

describe('a session ends', () => {
  test('when it is killed', async ({ real }) => {
    await using agent = await real.start()
    await agent.prompt('Stay', say('I stay.'))
    const { session } = await real.listed(agent, (item) => {
      return item.ask.text === 'I stay.' && hasToldItself(item)
    })
    await agent.kill('SIGKILL')
    await ended(real.world, session)
  })

  test('when it leaves the screen for a new one', async ({ agent, real }) => {
    await agent.prompt('Say one', say('One said.'))
    const { session } = await real.listed(agent, (item) => {
      return item.ask.text === 'One said.' && hasToldItself(item)
    })
    await agent.submit('/new')
    await ended(real.world, session)
    await agent.prompt('Say another', say('Another said.'))
    const item = await real.listed(agent, ({ ask }) => ask.text === 'Another said.')
    expect(item.session).not.toBe(session)
  })

  test('with /exit, and is the same one when it is resumed', async ({ agent, real }) => {
    await agent.prompt('Say bye', say('Bye.'))
    const { session } = await real.listed(agent, (item) => {
      return item.ask.text === 'Bye.' && hasToldItself(item)
    })
    await agent.exit()
    await ended(real.world, session)
    await using again = await real.start({
      args: ['--session', session],
      inPane: agent.pane,
      cwd: agent.cwd,
    })
    await real.session(again, (one) => one.session === session)
    await again.prompt('Say more', say('More.'))
    expect(await real.listed(again, ({ ask }) => ask.text === 'More.')).toMatchObject({ session })
  })
})
