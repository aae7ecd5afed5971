import { test as base } from 'vitest'
import type { QueueItem, SessionView } from '../../../src/contract/responses.ts'
import { createWorld, type World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { CHAT } from './chat-dialect.ts'
import { cachedClient, OPENCODE } from './client.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import {
  type OpencodeAgent,
  type OpencodeOptions,
  type OpencodePlaces,
  startOpencode,
  writeOpencodeHome,
} from './opencode-agent.ts'

/** A world in which the real opencode is installed, with a model that does as it is told. */
export type OpencodeWorld = AsyncDisposable & {
  world: World
  model: ModelServer
  places: OpencodePlaces
  start(options?: OpencodeOptions): Promise<OpencodeAgent>
  /** Waits until the agent's pane is listed, and so that it `fits`. */
  listed(agent: OpencodeAgent, fits?: (item: QueueItem) => boolean): Promise<QueueItem>
  gone(agent: OpencodeAgent): Promise<void>
  /** Waits until there is a session in the agent's pane, and so that it `fits`. */
  session(agent: OpencodeAgent, fits?: (session: SessionView) => boolean): Promise<SessionView>
}

/** One world and one opencode per file: a start takes some seconds. Others come from `real.start`. */
export function opencodeTest({ hooks = true } = {}) {
  return base.extend<{
    $file: { real: OpencodeWorld; agent: OpencodeAgent }
    $test: { cleanUp: undefined }
  }>({
    real: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures off the pattern.
      async ({}, use) => {
        await using real = await createOpencodeWorld(hooks)
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

async function createOpencodeWorld(hooks: boolean): Promise<OpencodeWorld> {
  const { binary } = cachedClient(OPENCODE)
  const model = await startModelServer(CHAT)
  const world = await createWorld()
  const places = { ...world, server: world.tmux, model, binary }
  writeOpencodeHome(world.home, model)
  if (hooks) {
    const { code, stderr } = await world.trailboss('install', 'opencode', '--yes')
    if (code !== 0) throw new Error(`trailboss install opencode exited ${code}: ${stderr}`)
  }
  const agents: OpencodeAgent[] = []
  const itemOf = async ({ pane }: OpencodeAgent) =>
    (await world.queue()).find((item) => item.pane?.id === pane.id)
  const sessionOf = async ({ pane }: OpencodeAgent) =>
    (await world.sessions()).find((one) => one.pane?.id === pane.id && one.state !== 'ended')

  return {
    world,
    model,
    places,
    start: async (options) => {
      const agent = await startOpencode(`agent-${agents.length + 1}`, places, options)
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

async function describeWorld({ world }: OpencodeWorld): Promise<string> {
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
