import type { QueueItem, SessionView } from '../../../src/contract/responses.ts'
import { createWorld, type World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { PaneProgramOptions, ProgramPlaces, PromptedProgram } from './agents/pane-program.ts'
import { cachedClient, type RealProgram } from './client.ts'
import type { ModelDialect } from './model/model-dialect.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'

/** A world in which a real program is installed, with a model that does as it is told. */
export type ProgramWorld<Agent> = AsyncDisposable & {
  world: World
  model: ModelServer
  places: ProgramPlaces
  start(options?: PaneProgramOptions): Promise<Agent>
  /** Waits until the agent's pane is listed, and so that it `fits`. */
  listed(agent: Agent, fits?: (item: QueueItem) => boolean): Promise<QueueItem>
  /** Waits for exactly this: the screen may tell of a permission before the hook that names it. */
  asks(agent: Agent, text: string): Promise<QueueItem>
  gone(agent: Agent): Promise<void>
  /** Waits until there is a session in the agent's pane, and so that it `fits`. */
  session(agent: Agent, fits?: (session: SessionView) => boolean): Promise<SessionView>
}

export type ProgramUnderTest<Agent> = {
  program: RealProgram
  dialect: ModelDialect
  /** False: it knows nothing of Trail Boss. */
  hooks: boolean
  prepare(places: ProgramPlaces): void
  start(name: string, places: ProgramPlaces, options?: PaneProgramOptions): Promise<Agent>
  /** Ends what outlives its agents. */
  finish?(world: World): void
}

/** It has told of itself: until its hook is there, which may take a second, a program is listed under its pid. */
export function hasToldItself({ session }: { session: string }): boolean {
  return !session.startsWith('pid-')
}

/** Screens that nobody tells of are looked at seldom, and on a busy machine a turn takes its time. */
const PATIENT_MS = 60_000

export async function createProgramWorld<Agent extends PromptedProgram>({
  program,
  dialect,
  hooks,
  prepare,
  start,
  finish,
}: ProgramUnderTest<Agent>): Promise<ProgramWorld<Agent>> {
  const { binary } = cachedClient(program)
  const model = await startModelServer(dialect)
  const world = await createWorld()
  const places = { ...world, server: world.tmux, model, binary }
  prepare(places)
  if (hooks) {
    const { code, stderr } = await world.trailboss('install', program.harness, '--yes')
    if (code !== 0)
      throw new Error(`trailboss install ${program.harness} exited ${code}: ${stderr}`)
  }
  const agents: Agent[] = []
  const itemOf = async ({ pane }: Agent) =>
    (await world.queue()).find((item) => item.pane?.id === pane.id)
  const sessionOf = async ({ pane }: Agent) =>
    (await world.sessions()).find((one) => one.pane?.id === pane.id && one.state !== 'ended')

  const listed: ProgramWorld<Agent>['listed'] = async (agent, fits = () => true) => {
    const item = await waitFor(() => itemOf(agent), {
      what: `${agent.name} to be listed as expected`,
      until: (seen) => seen !== undefined && fits(seen),
      timeoutMs: PATIENT_MS,
    })
    return item!
  }

  return {
    world,
    model,
    places,
    start: async (options) => {
      const agent = await start(`agent-${agents.length + 1}`, places, options)
      agents.push(agent)
      return agent
    },
    listed,
    asks: (agent, text) =>
      listed(agent, ({ reason, ask }) => reason === 'permission' && ask.text === text),
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
      finish?.(world)
      await model[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

export async function ended(
  world: { sessions(): Promise<{ session: string; state: string }[]> },
  session: string,
): Promise<void> {
  await waitFor(() => world.sessions(), {
    what: `session ${session} to have ended`,
    until: (all) => all.every((one) => one.session !== session || one.state === 'ended'),
  })
}
