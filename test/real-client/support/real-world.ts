import type { ExplainView, QueueItem, SessionView } from '../../../src/contract/responses.ts'
import { createWorld, type World, type WorldOptions } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type RealAgent, type RealAgentOptions, startRealAgent } from './agents/claude-agent.ts'
import { type Greetings, writeClaudeHome } from './agents/claude-home.ts'
import { cachedClient } from './client.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'

export type RealWorldOptions = WorldOptions & {
  /** False: Claude Code knows nothing of Trail Boss. */
  hooks?: boolean
  greetings?: Greetings
}

/** A world in which the real Claude Code is installed, with a model that does as it is told. */
export type RealWorld = AsyncDisposable & {
  world: World
  model: ModelServer
  agents: RealAgent[]
  start(name?: string, options?: RealAgentOptions): Promise<RealAgent>
  itemOf(agent: RealAgent): Promise<QueueItem | undefined>
  /** Waits until the agent's current session is known, and so that it `fits`. */
  session(agent: RealAgent, fits?: (session: SessionView) => boolean): Promise<SessionView>
  stateOf(session: string): Promise<string | undefined>
  /** Waits until the agent is listed, and so that it `fits`. */
  listed(agent: RealAgent, fits?: (item: QueueItem) => boolean): Promise<QueueItem>
  /**
   * Waits until the agent is not listed; no longer than `withinMs`, where the promise says so. It counts from
   * when the agent itself says that it waits no longer, and by looks: while the machine stands still there is none.
   */
  gone(agent: RealAgent, withinMs?: number): Promise<void>
  /** What `trailboss explain` says of it. */
  explain(agent: RealAgent): Promise<ExplainView>
  /** Looks at the queue all the time until `happened`; the agent must never be listed meanwhile. */
  staysGone(agent: RealAgent, happened: () => unknown): Promise<void>
  /** The same for anything else that must not change meanwhile. */
  always(what: string, holds: () => Promise<boolean>, until: () => unknown): Promise<void>
}

/** On a busy machine a turn takes its time. */
const PATIENT_MS = 60_000
/** From one look of `waitFor` to the next. */
const LOOK_MS = 30

export async function createRealWorld(options: RealWorldOptions = {}): Promise<RealWorld> {
  const { hooks = true, greetings, ...worldOptions } = options
  const { binary } = cachedClient()
  const model = await startModelServer()
  const world = await createWorld(worldOptions)
  writeClaudeHome(world.home, `${world.dir}/projects`, greetings)
  if (hooks) await installHooks(world, binary)
  const agents: RealAgent[] = []
  let started = 0

  const real: RealWorld = {
    world,
    model,
    agents,
    start: async (name, agentOptions) => {
      started += 1
      const places = { dir: world.dir, home: world.home, env: world.env, server: world.tmux }
      const agent = await startRealAgent(
        name ?? `agent-${started}`,
        { places, model, binary },
        agentOptions,
      )
      agents.push(agent)
      return agent
    },
    itemOf: async ({ session }) => (await world.queue()).find((item) => item.session === session),
    session: async (agent, fits = () => true) => {
      const sessions = () => world.sessions()
      const found = await waitFor(sessions, {
        what: `the session of ${agent.name} to be known as expected`,
        until: (all) => all.some((one) => one.session === agent.session && fits(one)),
      })
      return found.find((one) => one.session === agent.session)!
    },
    stateOf: async (session) =>
      (await world.sessions()).find((one) => one.session === session)?.state,
    listed: async (agent, fits = () => true) => {
      const item = await waitFor(() => real.itemOf(agent), {
        what: `${agent.name} to be listed as expected`,
        until: (seen) => seen !== undefined && fits(seen),
        timeoutMs: PATIENT_MS,
      })
      return item!
    },
    gone: async (agent, withinMs = 15_000) => {
      let left = Math.ceil(withinMs / LOOK_MS)
      const look = async () => {
        const isWaiting = agent.isAlive() && agent.statusFile()?.status === 'waiting'
        const item = await real.itemOf(agent)
        if (!isWaiting) left -= 1
        return { item, isLate: left < 0 }
      }
      const { item } = await waitFor(look, {
        what: `${agent.name} to be off the queue`,
        until: (seen) => seen.item === undefined || seen.isLate,
        timeoutMs: 90_000,
      })
      if (item) throw new Error(`${agent.name} is still listed: ${JSON.stringify(item)}`)
    },
    explain: ({ session }) => world.json<ExplainView>('explain', session),
    staysGone: async (agent, happened) => {
      const look = async () => ({ item: await real.itemOf(agent), over: Boolean(await happened()) })
      const { item, over } = await waitFor(look, {
        what: `what ends the work of ${agent.name}`,
        until: (seen) => seen.over || seen.item !== undefined,
        timeoutMs: 90_000,
      })
      if (item && !over)
        throw new Error(`${agent.name} is listed while it works: ${JSON.stringify(item)}`)
    },
    always: async (what, holds, until) => {
      const look = async () => ({ holds: await holds(), over: Boolean(await until()) })
      const { holds: held, over } = await waitFor(look, {
        what: `the end of: ${what}`,
        until: (seen) => seen.over || !seen.holds,
        timeoutMs: 90_000,
      })
      if (!held && !over) throw new Error(`it was not so all the time that ${what}`)
    },
    [Symbol.asyncDispose]: async () => {
      for (const agent of agents) await agent[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
  return real
}

async function installHooks(world: World, binary: string): Promise<void> {
  const { code, stderr } = await world.trailboss(
    'install',
    'claude-code',
    '--claude',
    binary,
    '--yes',
  )
  if (code !== 0) throw new Error(`trailboss install claude-code exited ${code}: ${stderr}`)
}
