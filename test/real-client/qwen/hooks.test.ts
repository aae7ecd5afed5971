import { describe, expect } from 'vitest'
import { askUser, shell, slowly, writeFile } from '../support/model/qwen-replies.ts'
import { apiError, createGate, say, tool, uses } from '../support/model/reply.ts'
import { ended } from '../support/program-world.ts'
import { qwenTest } from '../support/tests/qwen-test.ts'

const test = qwenTest()

test('a session that was given nothing yet is not listed', async ({ agent, real }) => {
  await real.session(agent, ({ state }) => state === 'unknown')
  expect((await real.world.queue()).filter(({ pane }) => pane?.id === agent.pane.id)).toEqual([])
})

test('a turn that ended is listed with what it said', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Say hello', say('Hello, operator.', { before: gate }))
  await real.session(agent, ({ state }) => state === 'working')
  gate.open()
  const item = await real.listed(agent)
  expect(item).toMatchObject({ harness: 'qwen', reason: 'stopped', pane: agent.pane })
  expect(item.ask.text).toBe('Hello, operator.')
  expect(item.session).toMatch(/^[0-9a-f-]{36}$/)
})

describe('a permission', () => {
  test('is listed with the command, and gone while the approved command runs', async ({
    agent,
    real,
  }) => {
    await agent.prompt('Run it slowly', slowly('sleep 6; echo ran'), say('It ran.'))
    await real.asks(agent, 'echo begun; sleep 6; echo ran\nAs asked')
    await agent.approve()
    await real.gone(agent)
    await agent.waitForTitle(/^◐/)
    await real.gone(agent)
    await real.listed(agent, ({ ask }) => ask.text === 'It ran.')
  })

  test('for a file shows the change, and ends the turn when it is denied', async ({
    agent,
    real,
  }) => {
    const path = `${agent.cwd}/notes.txt`
    await agent.prompt('Write notes', writeFile(path, 'one\ntwo\n'), say('Written.'))
    await real.asks(agent, `Write ${path}\n+ one\n+ two`)
    await agent.deny()
    await real.listed(agent, ({ reason }) => reason === 'stopped')
  })

  test('of two is asked for when its dialog is up', async ({ agent, real }) => {
    const run = (command: string) => tool('run_shell_command', { command, is_background: false })
    await agent.prompt('Run both', uses(run('touch first'), run('touch second')), say('Both ran.'))
    await real.asks(agent, 'touch first')
    const isNext = (shown: string) => /^ {2}\? .*touch second ←$/m.test(shown)
    // A second Enter would answer the second one.
    await agent.pressUntil('Enter', isNext, 8_000)
    await real.asks(agent, 'touch second')
    await agent.approve()
    await real.listed(agent, ({ ask }) => ask.text === 'Both ran.')
  })
})

test('a question is listed with its choices', async ({ agent, real }) => {
  await agent.prompt('Ask me', askUser('Which colour?', ['Red', 'Blue']), say('Red it is.'))
  await real.asks(agent, 'Which colour?\n  1. Red: Choose Red\n  2. Blue: Choose Blue')
  await agent.approve()
  await real.listed(agent, ({ ask }) => ask.text === 'Red it is.')
})

test('an interrupted turn is listed, though only its being idle is told', async ({
  agent,
  real,
}) => {
  const gate = createGate()
  await agent.prompt('Think long', say('Never said.', { before: gate }))
  await real.gone(agent)
  await agent.press('Escape')
  expect(await real.listed(agent)).toMatchObject({ reason: 'stopped' })
  gate.open()
})

test('a request that failed is listed with the error', async ({ agent, real }) => {
  await agent.prompt('Fail', apiError(400, { message: 'no such thing' }))
  const item = await real.listed(agent, ({ ask }) => ask.text.startsWith('API error'))
  expect(item.ask.text).toBe('API error (invalid_request): 400 no such thing')
})

describe('a session ends', () => {
  test('with /quit, and is the same one when it is resumed', async ({ agent, real }) => {
    await agent.prompt('Say bye', say('Bye.'))
    const { session } = await real.listed(agent, ({ ask }) => ask.text === 'Bye.')
    await agent.exit()
    await ended(real.world, session)
    await using again = await real.start({
      args: ['--resume', session],
      inPane: agent.pane,
      cwd: agent.cwd,
    })
    await again.prompt('Say more', say('More.'))
    expect(await real.listed(again)).toMatchObject({ session, ask: { text: 'More.' } })
  })

  test('when it is killed', async ({ real }) => {
    await using agent = await real.start()
    await agent.prompt('Run and die', shell('touch never'))
    const { session } = await real.listed(agent, ({ reason }) => reason === 'permission')
    await agent.kill('SIGKILL')
    await ended(real.world, session)
  })
})
