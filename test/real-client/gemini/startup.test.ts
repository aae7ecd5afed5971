import { expect } from 'vitest'
import { actUntil } from '../../support/wait-for.ts'
import { say } from '../support/model/reply.ts'
import { geminiTest } from '../support/tests/gemini-test.ts'

const test = geminiTest({ isTrusted: false })

test('a folder that is not trusted yet is asked about before there is a session', async ({
  real,
}) => {
  await using agent = await real.start({ waitsForComposer: false })
  const question = 'Do you trust the files in this folder?'
  const item = await real.listed(agent, ({ ask }) => ask.text.includes(question))
  expect(item).toMatchObject({ harness: 'gemini', reason: 'permission' })
  await agent.waitToSee(/● 1\. /)
  await agent.approve()
  await real.gone(agent)
  await agent.waitForSteadyComposer()
  const isAsked = () => real.model.requestsFor('Say hello').length > 0
  real.model.plan('Say hello', say('Hello.'))
  // Gemini starts itself again once the folder is trusted, and what was typed before that is lost.
  const wait = { what: 'the model to receive the prompt', againMs: 20_000, timeoutMs: 150_000 }
  await actUntil(() => agent.submit('Say hello'), isAsked, wait)
  const stopped = await real.listed(agent, ({ ask }) => ask.text === 'Hello.')
  expect(stopped.reason).toBe('stopped')
  expect(stopped.session).not.toBe(item.session)
})
