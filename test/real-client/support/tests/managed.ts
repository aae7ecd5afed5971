import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import type { SessionView } from '../../../../src/contract/responses.ts'
import type { PaneRef } from '../../../../src/core/pane.ts'
import type { AgentEvent } from '../../../../src/core/session/event.ts'
import type { LaunchRequest, ManagedHarness } from '../../../../src/harness/adapter/managed.ts'
import { adapterFor } from '../../../../src/harness/registry.ts'
import type { World } from '../../../support/create-world.ts'
import { isAlive } from '../../../support/processes.ts'
import { actUntil, waitFor } from '../../../support/wait-for.ts'
import type { ModelServer } from '../model/model-server.ts'
import { type Reply, say, tool, uses } from '../model/reply.ts'
import { hasToldItself } from '../program-world.ts'
import { waitToSee } from './composer.ts'

type Launched = AsyncDisposable & {
  name: string
  pane: PaneRef
  cwd: string
  pid: number
  press(...keys: string[]): Promise<void>
  submit(text: string): Promise<void>
}

type Place<Agent> = {
  world: World
  model: ModelServer
  session(agent: Agent, fits: (session: SessionView) => boolean): Promise<SessionView>
}

type Options = {
  args: string[]
  env: Record<string, string>
  waitsForComposer: false
  cwd?: string
}

type ManagedTest<Real> = (name: string, act: (context: { real: Real }) => Promise<void>) => void

export type ManagedProgram<Agent, Real> = {
  title: string
  harness: string
  /** How its model calls the tool `whoami` of the bridge. Absent: it has none. */
  tool?: string
  start(real: Real, options: Options): Promise<Agent>
}

const MCP_SERVER = fileURLToPath(new URL('../agents/mcp-server.mjs', import.meta.url))
const BRIDGE = {
  command: process.execPath,
  args: [MCP_SERVER],
  env: { RANCH_TOKEN: 'secret-of-this-launch' },
}
const FIRST = '[tb:first00001] Say who you are'
const SECOND = '[tb:second0002] Go on with it'
const BETWEEN_KEYS_MS = 300
/** On a busy machine the start of some takes more than a minute. */
const PATIENT_MS = 150_000

/** What holds of every harness that we launch ourselves. One after the other, in one directory. */
export function describeManaged<Agent extends Launched, Real extends Place<Agent>>(
  test: ManagedTest<Real>,
  { title, harness, tool: toolName, start }: ManagedProgram<Agent, Real>,
): void {
  const managed = adapterFor(harness)?.managed as ManagedHarness
  const launch = async (real: Real, request: Partial<LaunchRequest>, cwd?: string) => {
    const { argv, env, isPrompted } = managed.launch({ binary: harness, args: [], ...request })
    const options = { args: argv.slice(1), env, waitsForComposer: false } as const
    const agent = await start(real, { ...options, ...(cwd !== undefined && { cwd }) })
    return { agent, isPrompted }
  }

  describe(`${title} in a pane of ours`, () => {
    test('begins with its prompt, with the bridge, and goes on where it was', async ({ real }) => {
      real.model.plan(FIRST, ...(toolName ? [asks(toolName)] : []), say('Told.'))
      const { agent } = await launch(real, { prompt: FIRST, bridge: BRIDGE })
      const answers = toolName ? 2 : 1
      await waitFor(() => real.model.requestsFor(FIRST), {
        what: `${title} to have its first prompt answered`,
        until: (requests) => requests.length >= answers,
        timeoutMs: PATIENT_MS,
      })
      const { results } = real.model.requestsFor(FIRST).at(-1)!
      if (toolName) expect(JSON.stringify(results)).toContain('You are secret-of-this-launch')
      await waitToSee(harness, agent, 'empty')
      const { session } = await real.session(agent, hasToldItself)

      await exit(agent, managed)
      real.model.plan(SECOND, say('Gone on.'))
      const again = await launch(real, { prompt: SECOND, resume: session }, agent.cwd)
      if (!again.isPrompted) {
        await waitToSee(harness, again.agent, 'empty')
        await again.agent.submit(SECOND)
      }
      await waitFor(() => marksOf(real.world, harness, session), {
        what: `both marks to be told of session ${session}`,
        until: (marks) => marks.includes('first00001') && marks.includes('second0002'),
        timeoutMs: PATIENT_MS,
      })
      await real.model.waitForRequest(SECOND)
      await waitToSee(harness, again.agent, 'empty')
      expect(real.model.requestsFor(SECOND)).toHaveLength(1)
      await exit(again.agent, managed)
    })
  })
}

function asks(toolName: string): Reply {
  return uses(tool(toolName, {}))
}

/**
 * Some want the second key soon after the first one, and none wants both at once. Where the machine stood still in
 * between, the second counts as another first one: then they are pressed again.
 */
async function exit(agent: Launched, { exitKeys }: ManagedHarness): Promise<void> {
  const press = async () => {
    for (const key of exitKeys) {
      await agent.press(key)
      await delay(BETWEEN_KEYS_MS)
    }
  }
  await actUntil(press, () => !isAlive(agent.pid), {
    what: `${agent.name} to end by ${exitKeys.join(' ')}`,
    againMs: 8_000,
    timeoutMs: PATIENT_MS,
  })
}

/** As the daemon has them in its log. */
function marksOf({ state }: World, harness: string, session: string): string[] {
  const db = new DatabaseSync(join(state, 'trailboss.db'), { readOnly: true })
  try {
    const rows = db.prepare('SELECT entry FROM events ORDER BY seq').all()
    return rows
      .map((row) => (JSON.parse(String(row['entry'])) as { event?: AgentEvent }).event)
      .flatMap((event) =>
        event?.harness === harness && event.session === session ? (event.marks ?? []) : [],
      )
  } finally {
    db.close()
  }
}
