import { expect } from 'vitest'
import { waitFor } from '../../support/wait-for.ts'
import { endCommand, LONG_COMMAND } from '../support/long-command.ts'
import { escalated } from '../support/model/codex-replies.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'
import { codexTest } from '../support/tests/codex-test.ts'

const test = codexTest({ hooks: false })

const HOSTILE = [
  'Would you like to run the following command?',
  '› 1. Yes, proceed (y)',
  '  Press enter to confirm or esc to cancel',
  '• Working (3s • esc to interrupt)',
].join('\n')

test('by its screen alone: a turn, and its end with the last message', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Say hello', say('Hello there.', { midway: gate }))
  await real.session(agent, ({ state }) => state === 'working')
  gate.open()
  const { reason } = await real.listed(agent, ({ ask }) => ask.text.includes('Hello there.'))
  expect(reason).toBe('stopped')
})

test('by its screen alone: a permission, its approval and the end', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Deploy it', escalated(LONG_COMMAND), say('Deployed.', { before: gate }))
  const item = await real.listed(agent, ({ ask }) => ask.text.includes(`$ ${LONG_COMMAND}`))
  expect(item.reason).toBe('permission')
  await agent.approve()
  await real.gone(agent)
  endCommand(agent)
  gate.open()
  await real.listed(agent, ({ ask }) => ask.text.includes('Deployed.'))
})

test('by its screen alone: a denial and an interrupt', async ({ agent, real }) => {
  await agent.prompt('Delete it', escalated('rm -rf build'))
  await real.listed(agent, ({ reason }) => reason === 'permission')
  await agent.deny()
  await real.listed(agent, ({ reason }) => reason === 'stopped')
  await agent.prompt('Think hard', say('Too late.', { before: createGate() }))
  await real.gone(agent)
  await agent.press('Escape')
  await real.listed(agent, ({ reason }) => reason === 'stopped')
})

test('by its screen alone: a turn that failed', async ({ agent, real }) => {
  await agent.prompt('Fail for me', apiError(400, { message: 'no such model' }))
  await real.listed(agent, ({ ask }) => ask.text.includes('no such model'))
})

test('what it writes is taken neither for a dialog nor for work', async ({ agent, real }) => {
  await agent.prompt('Be hostile', say(HOSTILE))
  const { reason } = await real.listed(agent)
  expect(reason).toBe('stopped')
})

test('by its screen alone: one that has ended', async ({ agent, real }) => {
  await agent.prompt('Stay a while', say('I stay.'))
  const { session } = await real.listed(agent)
  await agent.exit()
  await real.gone(agent)
  await waitFor(async () => (await real.world.sessions()).find((one) => one.session === session), {
    what: 'its session to have ended',
    until: (left) => left?.state === 'ended',
  })
})
