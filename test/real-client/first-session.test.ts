import { expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { createGate, say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const NEVER_MS = 600_000

const test = realTest({ config: { sweepMs: NEVER_MS, reconcileMs: NEVER_MS } })

test('what the first session of all publishes is read from its first prompt on, without a sweep', async ({
  agent,
  real,
}) => {
  const gate = createGate()
  await agent.prompt('Be the first', say('The first.', { before: gate }))
  await agent.waitForStatus('busy')
  await waitFor(() => real.explain(agent), {
    what: 'its own status to decide',
    until: ({ because }) => because.some(({ source, decided }) => source === 'status' && decided),
  })
  gate.open()
  const item = await real.listed(agent, ({ ask }) => ask.text === 'The first.')
  expect(item).toMatchObject({ reason: 'stopped', pane: agent.pane })
})
