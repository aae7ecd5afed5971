import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base } from 'vitest'
import type { QueueItem, SessionView } from '../../../src/contract/responses.ts'
import { createWorld, type World } from '../../support/create-world.ts'
import { isAlive } from '../../support/processes.ts'
import { waitFor } from '../../support/wait-for.ts'
import { CODEX, cachedClient } from './client.ts'
import {
  type CodexAgent,
  type CodexHome,
  type CodexOptions,
  type CodexPlaces,
  startCodex,
  writeCodexHome,
} from './codex-agent.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { RESPONSES } from './responses-dialect.ts'

/** A world in which the real Codex is installed, with a model that does as it is told. */
export type CodexWorld = AsyncDisposable & {
  world: World
  model: ModelServer
  places: CodexPlaces
  start(options?: CodexOptions): Promise<CodexAgent>
  /** Waits until the agent's pane is listed, and so that it `fits`. */
  listed(agent: CodexAgent, fits?: (item: QueueItem) => boolean): Promise<QueueItem>
  gone(agent: CodexAgent): Promise<void>
  /** Waits until there is a session in the agent's pane, and so that it `fits`. */
  session(agent: CodexAgent, fits?: (session: SessionView) => boolean): Promise<SessionView>
}

/** One world per file; a fresh Codex for every test that asks for `agent`: a start takes half a second. */
export function codexTest(options: CodexHome & { hooks?: boolean } = {}) {
  return base.extend<{
    $file: { real: CodexWorld }
    $test: { cleanUp: undefined; agent: CodexAgent }
  }>({
    real: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using real = await createCodexWorld(options)
        await use(real)
      },
      { scope: 'file' },
    ],
    cleanUp: [
      async ({ real, task }, use) => {
        await use(undefined)
        if (task.result?.state === 'fail') console.error(await describeWorld(real))
      },
      { auto: true },
    ],
    agent: async ({ real }, use) => {
      await using agent = await real.start()
      await use(agent)
    },
  })
}

/** As long as screens that nobody tells of are looked at seldom. */
const PATIENT_MS = 30_000
/** Each has a project of its own, that Codex trusts. */
const MOST_AGENTS = 20

async function createCodexWorld({
  hooks = true,
  ...codexHome
}: CodexHome & { hooks?: boolean }): Promise<CodexWorld> {
  const { binary } = cachedClient(CODEX)
  const model = await startModelServer(RESPONSES)
  const world = await createWorld()
  const places = { ...world, server: world.tmux, model, binary }
  for (let n = 1; n <= MOST_AGENTS; n++) mkdirSync(join(world.dir, 'projects', `agent-${n}`))
  writeCodexHome(places, codexHome)
  if (hooks) {
    const { code, stderr } = await world.trailboss('install', 'codex', '--yes')
    if (code !== 0) throw new Error(`trailboss install codex exited ${code}: ${stderr}`)
  }
  const agents: CodexAgent[] = []
  const itemOf = async ({ pane }: CodexAgent) =>
    (await world.queue()).find((item) => item.pane?.id === pane.id)
  const sessionOf = async ({ pane }: CodexAgent) =>
    (await world.sessions()).find((one) => one.pane?.id === pane.id && one.state !== 'ended')

  return {
    world,
    model,
    places,
    start: async (options) => {
      const agent = await startCodex(`agent-${agents.length + 1}`, places, options)
      agents.push(agent)
      return agent
    },
    listed: async (agent, fits = () => true) => {
      const item = await waitFor(() => itemOf(agent), {
        what: `${agent.name} to be listed as expected`,
        until: (seen) => seen !== undefined && fits(seen),
        timeoutMs: PATIENT_MS,
      })
      return item!
    },
    gone: async (agent) => {
      await waitFor(() => itemOf(agent), {
        what: `${agent.name} to be off the queue`,
        until: (seen) => seen === undefined,
        timeoutMs: PATIENT_MS,
      })
    },
    session: async (agent, fits = () => true) => {
      const session = await waitFor(() => sessionOf(agent), {
        what: `the session of ${agent.name} to be known as expected`,
        until: (seen) => seen !== undefined && fits(seen),
        timeoutMs: PATIENT_MS,
      })
      return session!
    },
    [Symbol.asyncDispose]: async () => {
      for (const agent of agents) await agent[Symbol.asyncDispose]()
      if (codexHome.sharedDaemon) endSharedDaemon(world)
      await model[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

/** It would outlive the world. */
function endSharedDaemon({ home }: World): void {
  const dir = join(home, '.codex', 'app-server-daemon')
  for (const name of ['daemon-updater.pid', 'daemon.pid']) {
    const { pid } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as { pid: number }
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  }
}

async function describeWorld({ world }: CodexWorld): Promise<string> {
  const panes = await world.tmux.run('list-panes', '-a', '-F', '#{pane_id} #{pane_title}')
  const screens = await Promise.all(
    panes.split('\n').map(async (line) => {
      const [id = ''] = line.split(' ')
      const { stdout } = await world.tmux.try('capture-pane', '-p', '-t', id)
      return `--- ${line}\n${stdout.replace(/\n{3,}/g, '\n…\n')}`
    }),
  )
  const explained = await world.trailboss('explain', '--all')
  return [...screens, '--- explain', explained.stdout, explained.stderr].join('\n')
}
