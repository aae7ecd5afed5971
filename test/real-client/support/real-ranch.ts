import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExplainView } from '../../../src/contract/responses.ts'
import type { RuntimeView } from '../../../src/contract/supervisor.ts'
import { createWorld, describeWorld, type World } from '../../support/create-world.ts'
import { type Supervised, supervised } from '../../support/supervisor/supervised.ts'
import { waitFor } from '../../support/wait-for.ts'
import { FAKE_KEY, writeClaudeHome } from './agents/claude-home.ts'
import { writeCodexHome } from './agents/codex-agent.ts'
import { CLAUDE_CODE, CODEX, cachedClient } from './client.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'
import { RESPONSES } from './model/responses-dialect.ts'

/** The roles of the ranch: the real Claude Code and the real Codex. */
export const ROLES = ['claude', 'codex'] as const
export type Role = (typeof ROLES)[number]
export const HARNESS: Record<Role, string> = {
  claude: CLAUDE_CODE.harness,
  codex: CODEX.harness,
}

/** A world with one workspace, `ranch`, in which both are run as their users have installed them. */
export type RealRanch = AsyncDisposable &
  Supervised & {
    world: World
    models: Record<Role, ModelServer>
    /** How often these words stand among the prompts of that role's sessions, as its model got them. */
    timesSaid(role: Role, words: string): number
    screenOf(role: Role): Promise<string>
    /** Waits until its turn is over with these words, as it has told itself and as its screen shows. */
    hasSaid(role: Role, words: string): Promise<RuntimeView>
    /** What there is to see when something went wrong. */
    describe(): Promise<string>
  }

export type RealRanchOptions = {
  /** Settings of the supervisor; without any, those of the product, but for the limits of the rate. */
  supervisor?: Record<string, unknown>
  prompts?: Partial<Record<Role, string>>
  /** For the program of that role alone. */
  env?: Partial<Record<Role, Record<string, string>>>
  /** A script, given the path of the real program: what is called `codex` there. */
  wrapper?(program: string): string
  /** False: Codex's own channel is not used. */
  channel?: boolean
  /** False: nobody has installed our hooks. */
  hooks?: boolean
  /** How the user of both has set them up, besides. */
  prepare?(world: World): void
}

export async function createRealRanch(options: RealRanchOptions = {}): Promise<RealRanch> {
  const models = {
    claude: await startModelServer(),
    codex: await startModelServer(RESPONSES),
  }
  const world = await createWorld({ up: false })
  const directory = join(world.dir, 'projects', 'ranch')
  const tmp = join(world.dir, 'tmp')
  mkdirSync(directory)
  mkdirSync(tmp)
  writeClaudeHome(world.home, join(world.dir, 'projects'))
  writeCodexHome({ ...world, model: models.codex })
  const { prompts, env, supervisor, channel = true } = options
  const roles = {
    claude: {
      harness: CLAUDE_CODE.harness,
      command: [cachedClient(CLAUDE_CODE).binary, '--permission-mode', 'manual'],
      env: {
        TMPDIR: tmp,
        ANTHROPIC_BASE_URL: models.claude.url,
        ANTHROPIC_API_KEY: FAKE_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_AUTOUPDATER: '1',
        ...env?.claude,
      },
      ...(prompts?.claude && { prompt: prompts.claude }),
    },
    codex: {
      harness: CODEX.harness,
      command: [codexFor(world, options)],
      env: { STUB_KEY: 'fake-key-for-a-scripted-model', ...env?.codex },
      channel,
      ...(prompts?.codex && { prompt: prompts.codex }),
    },
  }
  writeFileSync(
    join(world.state, 'config.json'),
    JSON.stringify({
      workspaces: { ranch: { directories: [directory], roles } },
      supervisor: { rate: { perThread: 1_000, perAgent: 1_000 }, ...supervisor },
    }),
  )
  options.prepare?.(world)
  await world.up()
  for (const { harness } of options.hooks === false ? [] : [CLAUDE_CODE, CODEX]) {
    const { code, stderr } = await world.trailboss('install', harness, '--yes')
    if (code !== 0) throw new Error(`trailboss install ${harness} exited ${code}: ${stderr}`)
  }

  const operator = supervised(world, 'ranch', { patientMs: 90_000 })
  const screenOf = async (role: Role) => {
    const { pane } = await operator.runtime(role)
    return pane ? await world.tmux.run('capture-pane', '-p', '-t', pane.id) : '(no pane)'
  }
  return {
    ...operator,
    world,
    models,
    timesSaid: (role, words) => timesSaid(models[role], words),
    screenOf,
    hasSaid: async (role, words) => {
      const look = async () => {
        const runtime = await operator.runtime(role)
        const { ask, because } = await operator.get<ExplainView>(
          `/explain?target=${runtime.session}`,
        )
        const source = because.find(({ decided }) => decided)?.source
        return { runtime, said: ask?.text, source, screen: await screenOf(role) }
      }
      const { runtime } = await waitFor(look, {
        what: `${role} to have said "${words}"`,
        until: ({ said, source, screen }) =>
          said === words && source !== undefined && source !== 'screen' && screen.includes(words),
        timeoutMs: 90_000,
      })
      return runtime
    },
    describe: async () => {
      const screens = ROLES.map(async (role) => {
        const seen = await Promise.all([operator.runtime(role), screenOf(role)]).catch(String)
        return [`--- ${role}`, ...[seen].flat().map(shown)]
      })
      return [
        ...(await Promise.all(screens)).flat(),
        '--- triggers',
        (await world.http('/triggers')).text,
        await describeWorld(world),
      ].join('\n')
    },
    [Symbol.asyncDispose]: async () => {
      for (const role of ROLES) {
        await operator.post('/runtimes/stop', { agent: `ranch/${role}` }).catch(() => {})
      }
      await world[Symbol.asyncDispose]()
      for (const model of Object.values(models)) await model[Symbol.asyncDispose]()
    },
  }
}

function codexFor({ dir }: World, { wrapper }: RealRanchOptions): string {
  const { binary } = cachedClient(CODEX)
  if (!wrapper) return binary
  const path = join(dir, 'codex')
  writeFileSync(path, wrapper(binary), { mode: 0o755 })
  return path
}

/**
 * A request holds the whole conversation, so that the longest one of each session tells of all of it: a prompt
 * that went in twice stands there twice, also where it made no turn of its own.
 */
function timesSaid({ log }: ModelServer, words: string): number {
  const sessions = Map.groupBy(log, ({ session }) => session)
  const counts = [...sessions.values()].map((requests) =>
    Math.max(...requests.map(({ said = [] }) => occurrences(said.join('\n'), words))),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

function occurrences(text: string, words: string): number {
  return text.split(words).length - 1
}

function shown(seen: unknown): string {
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen)
  return text.replace(/\n{3,}/g, '\n…\n')
}
