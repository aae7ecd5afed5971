import { hostname } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../../support/wait-for.ts'
import type { RealAgent, RealAgentOptions } from '../support/agents/claude-agent.ts'
import { say } from '../support/model/reply.ts'
import { createRealWorld, type RealWorld } from '../support/real-world.ts'
import { CORPUS_SCENES, type CorpusScene, type CorpusStage, PLAN_SCENE } from './corpus-scenes.ts'
import { type Corpus, createCorpus, type Shot, SIZES } from './screen-corpus.ts'
import { scrubText } from './scrub.ts'

type Size = (typeof SIZES)[number]

/** The screens of Claude Code in every state and size, with what a daemon was told by then. */
export async function recordCorpus(version: string): Promise<void> {
  let dir = ''
  const corpus = createCorpus('claude-code', version, (text) => scrubbed(text, dir))
  for (const size of SIZES) {
    await using real = await createRealWorld({ greetings: { keyApproved: false, trusted: false } })
    dir = real.world.dir
    await recordSize(real, corpus, size)
  }
  console.log(`Claude Code ${version}: ${corpus.counts()}`)
}

async function recordSize(real: RealWorld, corpus: Corpus, size: Size): Promise<void> {
  const cwd = join(real.world.dir, 'projects', 'proj')
  const common = { cwd, mcp: true, isWrapped: true, waitsForComposer: false }
  const start = async (options: RealAgentOptions = {}) => {
    const agent = await real.start('proj', { ...common, ...options })
    await resize(agent, size)
    return agent
  }
  const stageOf = (agent: RealAgent): CorpusStage => ({
    agent,
    model: real.model,
    take: async (shot) => {
      await settled(agent)
      await corpus.take({ server: agent.server, env: real.world.env }, agent.pane.id, shot)
    },
    frozen: (act) => frozen(agent, act),
  })

  const agent = await start()
  const stage = stageOf(agent)
  await greetings(stage)
  for (const scene of CORPUS_SCENES) await attempt(scene, stage, size)
  await agent.exit()
  await stage.take({ state: 'finished', note: '/exit' })
  await endings(stage, (inPane) => start({ inPane }), stageOf)
  const planner = await start({ permissionMode: 'plan' })
  await planner.waitForComposer()
  await attempt(PLAN_SCENE, stageOf(planner), size)
}

async function greetings({ agent, take }: CorpusStage): Promise<void> {
  const permission: Omit<Shot, 'note'> = { state: 'waiting', reason: 'permission' }
  await agent.waitToSee(/Accessing workspace/)
  await take({ ...permission, note: 'trust in a folder' })
  await agent.choose(/^Yes/)
  await agent.waitToSee(/Detected a custom API key/)
  await take({ ...permission, note: 'an API key' })
  await agent.choose(/^Yes/)
  await agent.waitForComposer()
}

async function endings(
  { agent }: CorpusStage,
  start: (pane: RealAgent['pane']) => Promise<RealAgent>,
  stageOf: (agent: RealAgent) => CorpusStage,
): Promise<void> {
  const second = await start(agent.pane)
  await second.waitForComposer()
  await second.prompt('Say bye', say('Bye.'))
  await second.waitToSee(/Bye\./)
  await second.waitForStatus('idle')
  await second.press('C-c', 'C-c')
  await waitFor(() => !second.isAlive(), { what: 'Claude Code to end' })
  await stageOf(second).take({ state: 'finished', note: 'Ctrl-C twice' })
  const third = await start(agent.pane)
  await third.waitForComposer()
  await third.prompt('Stay', say('I stay.'))
  await third.waitToSee(/I stay\./)
  await third.kill('SIGKILL')
  await stageOf(third).take({ state: 'finished', note: 'killed' })
}

/** What cannot be recorded is said, and the next one begins at an empty composer again. */
async function attempt(scene: CorpusScene, stage: CorpusStage, { width }: Size): Promise<void> {
  try {
    await scene.play(stage)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : error
    console.error(`could not record ${scene.name} (${width} columns): ${why}`)
    process.exitCode = 1
    await stage.agent.press('Escape')
    await stage.agent.waitForStatus('idle')
    await stage.agent.press('C-u')
  }
}

async function resize({ server, pane }: RealAgent, { width, height }: Size): Promise<void> {
  await server.run('resize-window', '-t', pane.id, '-x', String(width), '-y', String(height))
}

/** Until it is drawn: two looks alike, or nothing but the spinner moves. */
async function settled(agent: RealAgent): Promise<void> {
  const nowhere = { dir: '\0', home: '\0', cwd: '\0' }
  let before: string | undefined
  await waitFor(async () => scrubText(await agent.screen(), nowhere), {
    what: 'a screen that stays',
    until: (now) => {
      const isSame = now === before
      before = now
      return isSame
    },
  })
}

async function frozen({ pid }: RealAgent, act: () => Promise<void>): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    await act()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** As long as it was, so that what is drawn around it stays in place. */
function scrubbed(text: string, dir: string): string {
  const slug = (path: string) => path.replaceAll(/[^a-zA-Z0-9]/g, '-')
  const instead = '/home/op/range/here'.slice(0, dir.length).padEnd(dir.length, '_')
  const host = new RegExp(`\\b${hostname()}\\b`, 'g')
  return (
    text
      .replaceAll(dir, instead)
      .replaceAll(slug(dir), slug(instead))
      // One that is wrapped in the middle.
      .replaceAll(/\/tmp\/tb-?$/gm, (part) => '/home/op'.slice(0, part.length))
      .replaceAll(host, 'ox'.repeat(hostname().length).slice(0, hostname().length))
  )
}
