import { join } from 'node:path'
import { expect } from 'vitest'
import { makeRepositories, resizeTerminal, rowsOf } from '../support/ten-agents.ts'
import { trustRepositories } from './support/agents/claude-home.ts'
import { say } from './support/model/reply.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({ config: { reconcileMs: 500 } })
const PLACES = [
  ...['api', 'api', 'api', 'api-2', 'api-2', 'api-3'],
  ...['web', 'web-dark', 'infra', 'infra'],
]

test('ten sessions in three repositories are told apart, and one has the title that it was given', async ({
  real,
}) => {
  const { world } = real
  const root = join(world.dir, 'projects')
  makeRepositories(root)
  const roots = [...new Set(PLACES)].map((place) => join(root, place))
  trustRepositories(world.home, roots)
  const agents = await Promise.all(
    PLACES.map((place, index) => real.start(`agent-${index}`, { cwd: join(root, place) })),
  )
  await Promise.all(
    agents.map(async (agent, index) => {
      await agent.prompt(`Begin task ${index}`, say('Done. What is next?'))
      await real.listed(agent, ({ window }) => window === `work:${agent.name}`)
    }),
  )
  const login = agents[3]!
  expect(await real.itemOf(login)).not.toHaveProperty('title')
  await login.submit('/rename Fix the login')
  const item = await real.listed(login, ({ title }) => title !== undefined)
  expect(item).toMatchObject({
    ...{ project: 'api', branch: 'fix-login', worktree: 'api-2', title: 'Fix the login' },
  })

  resizeTerminal(world, 80, 50)
  await world.operator.openPopup()
  const rows = rowsOf(await world.operator.waitToSee(/10 stuck[\s\S]*q close/))
  expect(rows).toHaveLength(10)
  expect(new Set(rows).size).toBe(10)
  await world.operator.closePopup()
}, 120_000)
