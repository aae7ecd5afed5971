import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../../support/wait-for.ts'
import { createRealWorld } from '../support/real-world.ts'
import { recordCorpus } from './corpus.ts'
import { createRecorder } from './recorder.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'
import { SCREENS, type ScreenScenario } from './screens.ts'
import { scrub, scrubText } from './scrub.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures/claude-code/', import.meta.url))

/** Writes the fixtures of this version anew; with names, only those. `screens` are those of the bench. */
export async function record(version: string, names: string[]): Promise<void> {
  const isWanted = ({ name }: { name: string }) => names.length === 0 || names.includes(name)
  const directory = join(FIXTURES, version)
  mkdirSync(join(directory, 'screens'), { recursive: true })
  for (const scenario of SCENARIOS.filter(isWanted)) {
    await attempt(scenario.name, async () => {
      const lines = await recordScenario(scenario)
      const file = join(directory, `${scenario.name}.jsonl`)
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    })
  }
  for (const scenario of SCREENS.filter(isWanted)) {
    await attempt(`the screen ${scenario.name}`, async () => {
      const screen = await recordScreen(scenario)
      writeFileSync(join(directory, 'screens', `${scenario.name}.txt`), screen)
    })
  }
  if (isWanted({ name: 'screens' })) await attempt('screens', () => recordCorpus(version))
}

/** What cannot be recorded with this version keeps its old recording, and is said. */
async function attempt(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
    console.log(`recorded ${what}`)
  } catch (error) {
    console.error(`could not record ${what}: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

async function recordScenario({ options, files, play }: Scenario) {
  await using real = await createRealWorld({ up: false, hooks: false })
  const { dir, home } = real.world
  const cwd = join(dir, 'projects', 'proj')
  writeFiles(cwd, files?.project)
  writeFiles(home, files?.home)
  using recorder = createRecorder(dir, home)
  const started = (more: typeof options) => ({
    ...more,
    cwd,
    args: [...(more?.args ?? []), '--settings', recorder.settings],
  })
  const agent = await real.start('proj', started(options))
  recorder.follow(agent)
  // Idle since the last request of a turn, not still idle from before it.
  const isOver = (): boolean => {
    const { status, statusUpdatedAt = 0 } = agent.statusFile() ?? {}
    const asked = real.model.log.findLast(({ prompt }) => !/TEXT ONLY|suggest/i.test(prompt))
    return status === 'idle' && statusUpdatedAt > (asked?.at ?? 0)
  }
  await play({
    agent,
    model: real.model,
    recorder,
    over: async () => {
      if (!agent.isAlive()) return
      await waitFor(isOver, { what: 'the turn to be over', timeoutMs: 30_000 })
      await recorder.settled()
    },
    heard: async (event) => {
      const isIt = (line: object) =>
        'hook' in line && (line.hook as Record<string, unknown>)['hook_event_name'] === event
      await waitFor(() => recorder.lines().some(isIt), { what: `the hook ${event}` })
    },
    startAgain: async (more) => {
      const again = await real.start('proj', { ...started(more), inPane: agent.pane })
      recorder.follow(again)
      return again
    },
  })
  return scrub(recorder.lines(), { dir, home, cwd })
}

async function recordScreen(scenario: ScreenScenario): Promise<string> {
  const { greetings = {}, options, replies, subagent = [], files, settings } = scenario
  await using real = await createRealWorld({ up: false, hooks: false, greetings })
  const { dir, home } = real.world
  const cwd = join(dir, 'projects', 'proj')
  writeFiles(cwd, files)
  if (settings) writeFiles(home, { '.claude/settings.json': JSON.stringify(settings) })
  real.model.plan('Investigate', ...subagent)
  const agent = await real.start('proj', { ...options, cwd })
  if (replies) await agent.prompt('Go on', ...replies)
  await scenario.afterwards?.(agent)
  await agent.waitToSee(scenario.shows)
  const screen = await waitFor(
    async () => {
      const before = await agent.screen()
      await delay(300)
      return (await agent.screen()) === before ? before : undefined
    },
    { what: 'a screen that stands still', timeoutMs: 3_000 },
  ).catch(() => agent.screen())
  return `${scrubText(screen ?? '', { dir, home, cwd }).trimEnd()}\n`
}

function writeFiles(directory: string, files: Record<string, string> = {}): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
}
