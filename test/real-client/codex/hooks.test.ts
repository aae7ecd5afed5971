import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { waitFor } from '../../support/wait-for.ts'
import { WORKING_TITLE } from '../support/agents/codex-agent.ts'
import {
  escalated,
  exec,
  patch,
  proposedPlan,
  question,
  spawnAgent,
} from '../support/model/codex-replies.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'
import { hasToldItself } from '../support/program-world.ts'
import { codexTest } from '../support/tests/codex-test.ts'

const test = codexTest()

test('a turn works, and is listed with its last message when it ends', async ({ agent, real }) => {
  const gate = createGate()
  await agent.prompt('Say hello', say('Hello there.', { before: gate }))
  await real.session(agent, ({ state }) => state === 'working')
  gate.open()
  const item = await real.listed(agent, ({ ask }) => ask.text === 'Hello there.')
  expect(item).toMatchObject({ harness: 'codex', reason: 'stopped', cwd: agent.cwd })
})

test('an approved command is gone from the queue while it runs', async ({ agent, real }) => {
  const done = join(agent.cwd, 'done')
  const wait = `until [ -e ${done} ]; do sleep 0.1; done`
  await agent.prompt('Deploy it', escalated(wait, 'It is time'), say('Deployed.'))
  await real.asks(agent, `${wait}\nIt is time`)
  await agent.approve()
  await real.gone(agent)
  await agent.waitForTitle(WORKING_TITLE)
  await agent.press('Escape')
  await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
})

test('a denied command ends the turn, and waits for what to do instead', async ({
  agent,
  real,
}) => {
  await agent.prompt('Delete it', escalated('rm -rf build'))
  await real.listed(agent, ({ reason }) => reason === 'permission')
  await agent.deny()
  await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
})

test('a patch is asked about with what it changes', async ({ agent, real }) => {
  const path = join(real.world.dir, 'outside.txt')
  await agent.prompt('Patch it', patch(path, 'one', 'two'), say('Patched.'))
  await real.asks(agent, `Add File: ${path}\n+one\n+two`)
  await agent.approve()
  await real.listed(agent, (item) => item.ask.text === 'Patched.')
  expect(existsSync(path)).toBe(true)
})

test('an interrupt before the first word is a stop', async ({ agent, real }) => {
  await agent.prompt('Think hard', say('Too late.', { before: createGate() }))
  await real.session(agent, ({ state }) => state === 'working')
  await agent.press('Escape')
  await real.listed(agent, ({ ask }) => ask.text === 'Interrupted by you.')
})

test('a turn that fails fires no hook, and is listed with its error', async ({ agent, real }) => {
  await agent.prompt('Fail for me', apiError(400, { message: 'no such model' }))
  await real.listed(agent, ({ ask }) => /^Error: .*no such model/s.test(ask.text))
})

test('a question of plan mode waits for its answer, a plan for its approval', async ({
  agent,
  real,
}) => {
  await agent.prompt('Be ready', say('I am ready.'))
  await real.listed(agent, (item) => item.ask.text === 'I am ready.')
  await agent.enterPlanMode()
  await agent.prompt('Ask me', question('Which way?', 'North', 'South'), say('Northwards.'))
  await real.listed(agent, ({ ask }) => /^Which way\?\n {2}1\. North/.test(ask.text))
  await agent.approve()
  await real.listed(agent, (item) => item.ask.text === 'Northwards.')
  await agent.prompt('Plan it', proposedPlan('# Ride\n\n1. Saddle up'))
  await real.listed(agent, (item) => item.ask.text.includes('1. Saddle up'))
})

test("a subagent's permission is listed after the main thread has stopped", async ({
  agent,
  real,
}) => {
  real.model.plan('Look into it', escalated('touch inner'), say('Inner done.'))
  await agent.prompt('Delegate', spawnAgent('Look into it'), say('Delegated.'))
  const { session } = await real.listed(agent, (item) => {
    return item.reason === 'permission' && hasToldItself(item)
  })
  await agent.approve()
  const item = await real.listed(agent, ({ ask }) => ask.text === 'Delegated.')
  expect(item.session).toBe(session)
})

test('one that was left by /quit has ended, and comes back when it is resumed', async ({
  agent,
  real,
}) => {
  await agent.prompt('Remember me', say('I will.'))
  const { session } = await real.listed(agent, hasToldItself)
  await agent.exit()
  await real.gone(agent)
  const again = await real.start({ inPane: agent.pane, args: ['resume', session], cwd: agent.cwd })
  await again.prompt('Do you remember', say('I do.'))
  const item = await real.listed(again, ({ ask }) => ask.text === 'I do.')
  expect(item.session).toBe(session)
})

test('one that was killed has ended', async ({ agent, real }) => {
  await agent.prompt('Stay here', exec('sleep 60'))
  await real.session(agent, ({ state }) => state === 'working')
  await agent.kill('SIGKILL')
  // Its hooks name the process of its own, the screen the script that started it: it depends on who was first.
  await waitFor(async () => (await real.world.sessions()).filter(({ cwd }) => cwd === agent.cwd), {
    what: 'all that was known of it to have ended',
    until: (known) => known.length > 0 && known.every(({ state }) => state === 'ended'),
  })
})
