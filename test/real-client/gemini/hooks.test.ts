import { describe, expect } from 'vitest'
import { waitFor } from '../../support/wait-for.ts'
import { endCommand, LONG_COMMAND } from '../support/long-command.ts'
import { askUser, replace, shell, writeFile } from '../support/model/gemini-replies.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'
import { ended, hasToldItself } from '../support/program-world.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'

const test = geminiTest()

test('a session that was given nothing yet is not listed', async ({ agent, real }) => {
  await real.session(agent, ({ state }) => state === 'unknown')
  expect((await real.world.queue()).filter(({ pane }) => pane?.id === agent.pane.id)).toEqual([])
})

test('a turn that ended is listed with what it said', async ({ agent, real }) => {
  await agent.prompt('Say hello', say('Hello, operator.'))
  const item = await real.listed(agent, (one) => {
    return one.ask.text === 'Hello, operator.' && hasToldItself(one)
  })
  expect(item).toMatchObject({ harness: 'gemini', reason: 'stopped', pane: agent.pane })
  expect(item.session).toMatch(/^[0-9a-f-]{36}$/)
})

test('one that works is not listed until it is done', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Take your time', say('There you are.', { before: gate }))
  await real.session(agent, ({ state }) => state === 'working')
  gate.open()
  await real.listed(agent, ({ ask }) => ask.text === 'There you are.')
})

describe('a permission', () => {
  test('is listed with the command, and gone while the approved command runs', async ({
    agent,
    real,
  }) => {
    await agent.prompt('Run it slowly', shell(LONG_COMMAND), say('It ran.'))
    await real.asks(agent, LONG_COMMAND)
    await agent.approve()
    await real.gone(agent)
    await waitFor(() => agent.title(), {
      what: 'its title to tell of work',
      until: (title) => title.startsWith('✦ '),
    })
    endCommand(agent)
    await real.listed(agent, ({ ask }) => ask.text.includes('It ran.'))
  })

  test('for a file shows the change', async ({ agent, real }) => {
    const path = `${agent.cwd}/notes.txt`
    await agent.prompt('Write notes', writeFile(path, 'one\ntwo\n'), say('Written.'))
    await real.asks(agent, `Edit ${path}\n+one\n+two`)
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text.includes('Written.'))
    await agent.prompt('Change notes', replace(path, 'one', 'three'), say('Changed.'))
    await real.asks(agent, `Edit ${path}\n-one\n+three\n two`)
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text.includes('Changed.'))
  })

  test('that is denied ends the turn, though no hook tells of it', async ({ agent, real }) => {
    await agent.prompt('Remove all', shell('rm -rf nothing'), say('Removed.'))
    await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.deny()
    const item = await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
    expect(item.reason).toBe('stopped')
  })
})

test('a question is listed with its choices', async ({ agent, real }) => {
  await agent.prompt('Ask me', askUser('Which colour?', ['Red', 'Blue']), say('Red it is.'))
  await real.asks(agent, 'Which colour?\n  1. Red: Choose Red\n  2. Blue: Choose Blue')
  await agent.approve()
  await real.listed(agent, ({ ask }) => ask.text.includes('Red it is.'))
})

test('an interrupted turn is listed as one', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Think long', say('Never said.', { before: gate }))
  await gate.reached
  await agent.interrupt()
  const item = await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
  expect(item.reason).toBe('stopped')
  gate.open()
})

test('a request that failed is listed with the error', async ({ agent, real }) => {
  await agent.prompt('Fail', apiError(400, { message: 'no such thing' }))
  const item = await real.listed(agent, ({ ask }) => ask.text.startsWith('API error'))
  expect(item.ask.text).toBe('API error: 400 no such thing')
})

test('a prompt that is answered takes the session off the queue', async ({ agent, real }) => {
  await agent.prompt('First', say('One.'))
  await real.listed(agent, ({ ask }) => ask.text === 'One.')
  const gate = createGate()
  await agent.prompt('Second', say('Two.', { before: gate }))
  await real.gone(agent)
  gate.open()
  await real.listed(agent, ({ ask }) => ask.text === 'Two.')
})

test('one without a shell under it is one session, in its pane', async ({ real }) => {
  await using agent = await real.start({ isPaneItself: true })
  await agent.prompt('Say where', say('Here.'))
  const { session } = await real.listed(agent, (item) => {
    return item.ask.text === 'Here.' && hasToldItself(item)
  })
  const gate = createGate()
  await agent.prompt('Say more', say('More.', { before: gate }))
  await real.gone(agent)
  gate.open()
  await real.listed(agent, (item) => item.session === session)
  const here = (await real.world.sessions()).filter(({ cwd }) => cwd === agent.cwd)
  expect(here.map((one) => one.session)).toEqual([session])
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

  test('with /quit, and is the same one when it is resumed', async ({ agent, real }) => {
    await agent.prompt('Say bye', say('Bye.'))
    const { session } = await real.listed(agent, (item) => {
      return item.ask.text === 'Bye.' && hasToldItself(item)
    })
    await agent.exit()
    await ended(real.world, session)
    await using again = await real.start({
      args: ['--resume', session],
      inPane: agent.pane,
      cwd: agent.cwd,
    })
    await real.session(again, (one) => one.session === session)
    await again.prompt('Say more', say('More.'))
    expect(await real.listed(again, ({ ask }) => ask.text === 'More.')).toMatchObject({ session })
  })
})
