import { test as base } from 'vitest'
import type { QueueItem, SessionView } from '../../../src/contract/responses.ts'
import { createWorld, type World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { cachedClient, GEMINI } from './client.ts'
import {
  type GeminiAgent,
  type GeminiOptions,
  type GeminiPlaces,
  startGemini,
  writeGeminiHome,
} from './gemini-agent.ts'
import { GEMINI_API } from './gemini-dialect.ts'
import { type ModelServer, startModelServer } from './model-server.ts'

/** A world in which the real Gemini CLI is installed, with a model that does as it is told. */
export type GeminiWorld = AsyncDisposable & {
  world: World
  model: ModelServer
  places: GeminiPlaces
  start(options?: GeminiOptions): Promise<GeminiAgent>
  /** Waits until the agent's pane is listed, and so that it `fits`. */
  listed(agent: GeminiAgent, fits?: (item: QueueItem) => boolean): Promise<QueueItem>
  gone(agent: GeminiAgent): Promise<void>
  /** Waits until there is a session in the agent's pane, and so that it `fits`. */
  session(agent: GeminiAgent, fits?: (session: SessionView) => boolean): Promise<SessionView>
}

/** One world and one Gemini CLI per file: a start takes some seconds. Others come from `real.start`. */
export function geminiTest({ hooks = true, isTrusted = true } = {}) {
  return base.extend<{
    $file: { real: GeminiWorld; agent: GeminiAgent }
    $test: { cleanUp: undefined }
  }>({
    real: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using real = await createGeminiWorld(hooks, isTrusted)
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
    agent: [
      async ({ real }, use) => {
        await using agent = await real.start()
        await use(agent)
      },
      { scope: 'file' },
    ],
  })
}

/** As long as screens that nobody tells of are looked at seldom. */
const PATIENT_MS = 30_000

async function createGeminiWorld(hooks: boolean, isTrusted: boolean): Promise<GeminiWorld> {
  const { binary } = cachedClient(GEMINI)
  const model = await startModelServer(GEMINI_API)
  const world = await createWorld()
  const places = { ...world, server: world.tmux, model, binary }
  writeGeminiHome(world.home, isTrusted)
  if (hooks) {
    const { code, stderr } = await world.trailboss('install', 'gemini', '--yes')
    if (code !== 0) throw new Error(`trailboss install gemini exited ${code}: ${stderr}`)
  }
  const agents: GeminiAgent[] = []
  const itemOf = async ({ pane }: GeminiAgent) =>
    (await world.queue()).find((item) => item.pane?.id === pane.id)
  const sessionOf = async ({ pane }: GeminiAgent) =>
    (await world.sessions()).find((one) => one.pane?.id === pane.id && one.state !== 'ended')

  return {
    world,
    model,
    places,
    start: async (options) => {
      const agent = await startGemini(`agent-${agents.length + 1}`, places, options)
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
      await model[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

async function describeWorld({ world }: GeminiWorld): Promise<string> {
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
