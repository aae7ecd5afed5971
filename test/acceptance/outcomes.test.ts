import { expect } from 'vitest'
import type { StatsView } from '../../src/contract/stats.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

test('stats count agents that were killed while stuck apart from those that were answered', async ({
  world,
}) => {
  const answered = await world.agent('answered', {})
  const killed = await Promise.all(['k1', 'k2', 'k3'].map((name) => world.agent(name, {})))
  for (const agent of [answered, ...killed]) await agent.stop('What next?')
  await world.waitForQueue('all to be queued', (queue) => queue.length === 4)

  await world.operator.lookAt(answered.pane)
  await world.operator.type('go on')
  await world.operator.press('Enter')
  for (const agent of killed) await agent.kill9()
  await world.waitForQueue('all to be gone', (queue) => queue.length === 0)

  const { outcomes, answers } = await waitFor(() => world.json<StatsView>('stats'), {
    what: 'every episode to be counted',
    until: (stats) => stats.outcomes.ended.week === 3,
  })
  expect(outcomes).toMatchObject({
    answered: { week: 1 },
    settled: { week: 0 },
    ended: { week: 3 },
  })
  expect(answers).toMatchObject({ week: 1, harnesses: [{ week: 1 }] })
  expect((await world.trailboss('stats')).stdout).toMatch(
    /answered +1 today, 1 in seven days\n +ended +3 today, 3 in seven days \(gone while stuck\)/,
  )
  expect((await world.trailboss('metrics')).stdout).toContain(
    'trailboss_episodes_total{harness="claude-code",reason="stopped",outcome="ended"} 3',
  )
})
