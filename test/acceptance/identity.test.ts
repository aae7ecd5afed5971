import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type {
  ExplainView,
  QueueView,
  SessionsView,
  StatusView,
} from '../../src/contract/responses.ts'
import type { Agent } from '../support/agent.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { makeRepositories, resizeTerminal, rowsOf, startTenAgents } from '../support/ten-agents.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { config: { reconcileMs: 500 } } })
const ASK = 'Done. What is next?'

describe('ten agents in three repositories', () => {
  test('are told apart in every place, although all of them say the same', async ({ world }) => {
    resizeTerminal(world, 80, 50)
    const agents = await startTenAgents(world, ASK)
    await world.waitForQueue('the names to be seen', (items) =>
      items.every(({ window }) => window && !window.includes('agent')),
    )

    await world.operator.openPopup()
    const popup = rowsOf(await world.operator.waitToSee(/10 stuck[\s\S]*q close/))
    expect(popup).toHaveLength(10)
    expect(new Set(popup).size).toBe(10)
    await world.operator.closePopup()

    await world.operator.type(`clear; ${TRAILBOSS} list`)
    await world.operator.press('Enter')
    const list = rowsOf(
      await waitFor(world.operator.screen, {
        what: 'ten rows of the list',
        until: (screen) => rowsOf(screen).length === 10,
      }),
    )
    expect(new Set(list).size).toBe(10)

    await seesAllInJson(world, agents)
  })
})

test('the branch is the one that is checked out now, in a directory that may go away', async ({
  world,
}) => {
  const root = join(world.home, 'src')
  makeRepositories(root)
  const agent = await world.agent('one', { cwd: join(root, 'api') })
  await agent.stop(ASK)
  await world.listed(agent)
  const branch = async () => (await world.queue())[0]?.branch
  expect(await branch()).toBe('main')
  execFileSync('git', ['checkout', '-q', '-b', 'other'], { cwd: agent.cwd })
  await waitFor(branch, { what: 'the new branch', until: (name) => name === 'other' })
  rmSync(agent.cwd, { recursive: true })
  await waitFor(branch, { what: 'no branch', until: (name) => name === undefined })
  expect(await world.queue()).toMatchObject([{ session: agent.session, project: 'api' }])
})

test('an item is named in a command as lists show it, and one of several is never guessed', async ({
  world,
}) => {
  const root = join(world.home, 'src')
  makeRepositories(root)
  const agents: Agent[] = []
  for (const cwd of ['api', 'api-2', 'web']) {
    const agent = await world.agent(`in-${cwd}`, { cwd: join(root, cwd) })
    await agent.stop(ASK)
    await world.listed(agent)
    agents.push(agent)
  }
  const [main, login, web] = agents.map(({ session }) => session)

  const several = await world.trailboss('dismiss', 'api')
  expect(several.code).toBe(4)
  expect(several.stderr).toMatch(
    /"api" may be any of 2 sessions: api main \(\S+\), api fix-login \(/,
  )
  expect(await world.queue()).toHaveLength(3)

  expect(await world.trailboss('dismiss', 'api fix-login')).toMatchObject({ code: 0 })
  await world.waitForQueue('two to be left', (items) => items.length === 2)
  const waited = await world.trailboss('wait', 'api fix-login', '--timeout', '1s')
  expect(waited.code).toBe(7)
  expect(waited.stderr).toContain("trailboss dismiss --undo 'api fix-login'\n")
  expect((await world.json<ExplainView>('explain', 'api/fix-login')).session).toBe(login)
  expect((await world.json<ExplainView>('explain', 'api')).session).toBe(main)
  expect(await world.trailboss('snooze', '5m', 'web · main')).toMatchObject({ code: 0 })
  const { items } = await world.json<QueueView>('list')
  expect(items).toMatchObject([
    { session: main, ready: true },
    { session: web, ready: false },
  ])
  expect((await world.trailboss('dismiss', 'api nothing')).code).toBe(4)
  expect(await world.json('skip', '--session', 'api main')).toMatchObject({
    skipped: { session: main },
  })
})

async function seesAllInJson(world: World, agents: Agent[]): Promise<void> {
  const { items } = await world.json<QueueView>('list')
  const login = items.find(({ session }) => session === agents[3]?.session)
  expect(login).toMatchObject({
    ...{ project: 'api', branch: 'fix-login', worktree: 'api-2' },
    ...{ window: 'work:login', title: 'Fix the login' },
  })
  const generic = items.find(({ session }) => session === agents[6]?.session)
  expect(generic).toMatchObject({
    project: 'web',
    branch: 'main',
    window: expect.stringMatching(/^work:\d+$/),
  })
  expect(generic).not.toHaveProperty('title')
  expect(generic).not.toHaveProperty('worktree')

  const { sessions } = await world.json<SessionsView>('sessions')
  const { branch, window, title } = sessions.find(({ session }) => session === login?.session) ?? {}
  expect({ branch, window, title }).toEqual({
    branch: 'fix-login',
    window: 'work:login',
    title: 'Fix the login',
  })

  const explained = await world.json<ExplainView>('explain', login?.session ?? '')
  expect(explained).toMatchObject({ branch: 'fix-login', sessionTitle: 'Fix the login' })
  const { stdout } = await world.trailboss('explain', login?.session ?? '')
  expect(stdout).toMatch(/ in \S+\/api-2 on fix-login, pane %\d+ of work:login, is stuck/)
  expect(stdout).toMatch(/\("Fix the login", worktree api-2 of api, session /)

  const status = await world.json<StatusView>('status')
  expect(status.head).toMatchObject({ session: agents[0]?.session, project: 'api', branch: 'main' })
  expect((await world.trailboss('status')).stdout).toMatch(/^ +next +api · main · work:\d+ \(/m)
}
