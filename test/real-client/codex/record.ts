import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOOK_EVENTS, timeoutOf } from '../../../src/harness/codex/wiring/hook-events.ts'
import { createWorld, type World } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type Corpus, createCorpus, type Shot, SIZES } from '../record/screen-corpus.ts'
import { settled } from '../record/settled.ts'
import {
  ASKING_TITLE,
  type CodexAgent,
  IDLE_TITLE,
  startCodex,
  WORKING_TITLE,
  writeCodexHome,
} from '../support/agents/codex-agent.ts'
import type { ProgramPlaces } from '../support/agents/pane-program.ts'
import { CODEX, cachedClient } from '../support/client.ts'
import {
  escalated,
  exec,
  patch,
  proposedPlan,
  question,
  spawnAgent,
} from '../support/model/codex-replies.ts'
import { startModelServer } from '../support/model/model-server.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'
import { RESPONSES } from '../support/model/responses-dialect.ts'

/** What moves on its screen all the time. */
const MOVING = /[⠁-⣿•◦]|\d+s\b/g

/** Prose that looks like the dialogs and the states of this and of other harnesses. */
const HOSTILE = [
  'Do you want to proceed?',
  '❯ 1. Yes',
  '  2. No, and tell me what to do differently (esc)',
  '',
  'Would you like to run the following command?',
  '› 1. Yes, proceed (y)',
  '  2. No, and tell Codex what to do differently (esc)',
  '',
  '  Press enter to confirm or esc to cancel',
  '■ Conversation interrupted - use /feedback if something went wrong',
  '• Working (3s • esc to interrupt)',
  'Worked for 3s • 12:00',
  'To continue this session, run:',
  '  codex resume 01a1e2b9',
].join('\n')

const HOOK = fileURLToPath(new URL('../record/hook-recorder.sh', import.meta.url))

/**
 * The fixtures of Codex: its screens in every state, with what a daemon was told by then, its hooks and
 * what it writes down. With a name, `screens` or `hooks`, only those.
 */
export async function record(version: string, names: string[] = []): Promise<void> {
  const isWanted = (name: string) => names.length === 0 || names.includes(name)
  await using model = await startModelServer(RESPONSES)
  await using world = await createWorld()
  const places = { ...world, server: world.tmux, model, binary: cachedClient(CODEX).binary }
  const scrub = scrubber(world.dir)
  if (isWanted('screens')) {
    const corpus = createCorpus('codex', version, scrub)
    const install = () => installHooks(world)
    for (const size of SIZES) await recordSize(places, corpus, size, install)
    console.log(`Codex ${version}: ${corpus.counts()}`)
  }
  if (isWanted('hooks')) await recordHooks(places, version, scrub)
}

async function installHooks(world: World): Promise<void> {
  const { code, stderr } = await world.trailboss('install', 'codex', '--yes')
  if (code !== 0) throw new Error(`trailboss install codex exited ${code}: ${stderr}`)
}

type Size = (typeof SIZES)[number]

async function recordSize(
  places: ProgramPlaces,
  corpus: Corpus,
  size: Size,
  install: () => Promise<void>,
): Promise<void> {
  const name = `ranch-${size.width}`
  const cwd = join(places.dir, 'projects', name)
  mkdirSync(cwd, { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd })
  const take = async (agent: CodexAgent, shot: Shot) => {
    await settled(agent, MOVING)
    await corpus.take(places, agent.pane.id, shot)
  }
  const start = (inPane?: CodexAgent['pane'], waitsForComposer = true) =>
    startCodex(name, places, { waitsForComposer, cwd, size, ...(inPane && { inPane }) })
  const permission = { state: 'waiting', reason: 'permission' } as const
  const stopped = { state: 'waiting', reason: 'stopped' } as const
  const ask = (text: string) => `${text} (${size.width})`

  writeCodexHome(places, { isTrusted: false })
  await install()
  const agent = await start(undefined, false)
  await agent.waitForDialog()
  await take(agent, { ...permission, note: 'trust in a folder' })
  await agent.approve()
  await agent.waitForComposer()

  await agent.prompt(ask('Say hello'), say('Hello. All is well here.'))
  await agent.waitToSee(/All is well/)
  await idle(agent)
  await take(agent, { ...stopped, note: 'a turn ended' })

  await agent.prompt(ask('Be hostile'), say(HOSTILE))
  await agent.waitToSee(/codex resume 01a1e2b9/)
  await idle(agent)
  await take(agent, { ...stopped, note: 'a turn ended with hostile prose' })

  await agent.prompt(ask('Run it'), escalated('npm test -- --watch=false'), say('Ran.'))
  await agent.waitForTitle(ASKING_TITLE)
  await take(agent, { ...permission, note: 'a command, under hostile prose' })
  await agent.deny()
  await idle(agent)
  await take(agent, { ...stopped, note: 'a permission was denied' })

  const long = Array.from({ length: 60 }, (_, n) => `line ${n + 1} of the notes`)
  const path = join(places.dir, `notes-${size.width}.txt`)
  await agent.prompt(ask('Write it'), patch(path, ...long), say('Written.'))
  await agent.waitForTitle(ASKING_TITLE)
  await take(agent, { ...permission, note: 'a patch, longer than the screen' })
  await agent.approve()
  await agent.waitToSee(/Written\./)
  await idle(agent)

  const script = Array.from({ length: 12 }, (_, n) => `echo step ${n + 1}`).join('\n')
  await agent.prompt(ask('Run many'), escalated(script, 'Many steps'), say('Ran many.'))
  await agent.waitForTitle(ASKING_TITLE)
  await take(agent, { ...permission, note: 'a command of many lines' })
  await agent.approve()
  await agent.waitToSee(/Ran many\./)
  await idle(agent)
  await take(agent, { ...stopped, note: 'a turn ended after a command' })

  await agent.prompt(ask('Fail'), apiError(400, { message: 'no such model' }))
  await agent.waitToSee(/no such model/)
  await idle(agent)
  await take(agent, { ...stopped, note: 'a request failed' })

  const thinking = createGate()
  await agent.prompt(ask('Think'), say('Never said.', { before: thinking }))
  await agent.waitForTitle(WORKING_TITLE)
  await agent.waitToSee(/esc to interrupt/)
  await take(agent, { state: 'working', note: 'before the first token' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped while it thought' }))
  await agent.press('Escape')
  await idle(agent)
  await take(agent, { ...stopped, note: 'interrupted' })
  thinking.open()

  const streaming = createGate()
  const words = 'One by one the words come in. '.repeat(6)
  await agent.prompt(ask('Talk'), say(words, { midway: streaming }))
  await agent.waitToSee(/One by one/)
  await take(agent, { state: 'working', note: 'an answer comes in' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped in an answer' }))
  streaming.open()
  await idle(agent)

  const hostile = createGate()
  await agent.prompt(ask('Talk hostile'), say(`${HOSTILE}\n\n${HOSTILE}`, { midway: hostile }))
  await agent.waitToSee(/Conversation interrupted|Would you like/)
  await take(agent, { state: 'working', note: 'hostile prose comes in' })
  hostile.open()
  await idle(agent)

  await agent.prompt(ask('Run long'), exec('echo begun; sleep 60'), say('Ended.'))
  await agent.waitToSee(/Working \(|Running /)
  await take(agent, { state: 'working', note: 'a command runs' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped while a command ran' }))
  await agent.press('Escape')
  await idle(agent)

  await agent.press('-l', 'a draft that was not sent')
  await agent.waitToSee(/a draft that was not sent/)
  await take(agent, { ...stopped, note: 'idle with a draft' })
  await agent.press('C-u')
  await agent.waitToSee(/Ask Codex to do anything/)

  places.model.plan(ask('Look into it'), escalated('touch inner'), say('Inner done.'))
  await agent.prompt(ask('Delegate'), spawnAgent(ask('Look into it')), say('Delegated.'))
  await agent.waitForTitle(ASKING_TITLE)
  await take(agent, { ...permission, note: "a subagent's command" })
  await agent.approve()
  await idle(agent)

  await agent.enterPlanMode()
  await agent.prompt(ask('Ask me'), question('Which colour?', 'Red', 'Blue'), say('So be it.'))
  await agent.waitForTitle(ASKING_TITLE)
  await take(agent, { ...permission, note: 'a question' })
  await agent.approve()
  await agent.waitToSee(/So be it\./)
  await idle(agent)
  await agent.prompt(ask('Plan it'), proposedPlan('# Ride\n\n1. Saddle up\n2. Ride'))
  await agent.waitToSee(/Implement this plan\?/)
  await take(agent, { ...permission, note: 'a plan' })
  await agent.deny()
  await idle(agent)

  await agent.exit()
  await take(agent, { state: 'finished', note: '/quit' })

  writeCodexHome(places, { retries: 5 })
  await install()
  const second = await start(agent.pane)
  await second.prompt(ask('Retry'), apiError(500))
  await second.waitToSee(/Reconnecting/)
  await take(second, { state: 'working', note: 'a request is tried again' })
  await second.press('Escape')
  await idle(second)
  await second.press('C-c')
  await waitFor(() => second.isGone(), { what: 'Codex to end' })
  await take(second, { state: 'finished', note: 'Ctrl-C' })

  const third = await start(agent.pane)
  await third.prompt(ask('Stay'), say('I stay.'))
  await third.waitToSee(/I stay\./)
  await third.kill('SIGTERM')
  await take(third, { state: 'finished', note: 'ended by a signal' })
  for (const one of [agent, second, third]) await one[Symbol.asyncDispose]()
}

/** The title says so a moment before it is drawn. */
async function idle(agent: CodexAgent): Promise<void> {
  await agent.waitForTitle(IDLE_TITLE)
  await settled(agent, MOVING)
}

async function frozen(agent: CodexAgent, act: () => Promise<void>): Promise<void> {
  process.kill(agent.pid, 'SIGSTOP')
  await act()
  process.kill(agent.pid, 'SIGCONT')
}

/** One session that goes through all that hooks and rollout tell of. */
async function recordHooks(
  places: ProgramPlaces,
  version: string,
  scrub: (text: string) => string,
): Promise<void> {
  const place = fileURLToPath(new URL(`../../fixtures/codex/${version}/`, import.meta.url))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  const hooks = join(places.dir, 'hooks')
  mkdirSync(hooks)
  mkdirSync(join(places.dir, 'projects', 'ranch'), { recursive: true })
  writeCodexHome(places)
  const command = `'${HOOK}' '${hooks}'`
  const groups = [...HOOK_EVENTS, 'SubagentStart', 'PreCompact'].map((event) => [
    event,
    [{ hooks: [{ type: 'command', timeout: timeoutOf(event), command }] }],
  ])
  const settings = { hooks: Object.fromEntries(groups) }
  writeFileSync(join(places.home, '.codex', 'hooks.json'), JSON.stringify(settings))
  const args = ['--dangerously-bypass-hook-trust']
  await using agent = await startCodex('ranch', places, { args })
  const began = Date.now()
  const asked = () => agent.waitForTitle(ASKING_TITLE)
  let taken = 0
  const keep = async (name: string) => {
    if (!agent.isGone()) await idle(agent)
    const told = [...hooksIn(hooks), ...recordsIn(places.home, began)].toSorted(
      (a, b) => a.at - b.at,
    )
    const lines = told.slice(taken).map((line) => scrub(JSON.stringify(line)))
    taken = told.length
    writeFileSync(join(place, `${name}.jsonl`), `${lines.join('\n')}\n`)
  }

  await agent.prompt('Record a turn', say('Recorded.'))
  await agent.waitToSee(/Recorded\./)
  await keep('turn')
  await agent.prompt('Record an approval', escalated('echo approved'), say('Approved.'))
  await asked()
  await agent.approve()
  await agent.waitToSee(/Approved\./)
  await keep('approved')
  await agent.prompt('Record a denial', escalated('echo denied'))
  await asked()
  await agent.deny()
  await keep('denied')
  const path = join(places.dir, 'a.txt')
  await agent.prompt('Record a patch', patch(path, 'one'), say('Patched.'))
  await asked()
  await agent.approve()
  await agent.waitToSee(/Patched\./)
  await keep('patched')
  const gate = createGate()
  await agent.prompt('Record an interrupt', say('Never said.', { before: gate }))
  await agent.waitForTitle(WORKING_TITLE)
  await agent.press('Escape')
  await keep('interrupted')
  gate.open()
  await agent.prompt('Record an error', apiError(400, { message: 'no such model' }))
  await agent.waitToSee(/no such model/)
  await keep('failed')
  places.model.plan('Record the inner part', escalated('echo inner'), say('Inner done.'))
  await agent.prompt('Record a subagent', spawnAgent('Record the inner part'), say('Delegated.'))
  await asked()
  await agent.approve()
  await waitFor(() => hooksIn(hooks).some(({ hook }) => nameOf(hook) === 'SubagentStop'), {
    what: 'the end of the subagent',
  })
  await keep('subagent')
  await agent.enterPlanMode()
  await agent.prompt('Record a question', question('Which?', 'This', 'That'), say('This one.'))
  await asked()
  await agent.approve()
  await agent.waitToSee(/This one\./)
  await keep('question')
  await agent.prompt('Record a plan', proposedPlan('# Ride\n\n1. Saddle up'))
  await agent.waitToSee(/Implement this plan\?/)
  await agent.deny()
  await keep('plan')
  await agent.exit()
  await keep('ended')
}

type HookLine = { at: number; hook: unknown }
type Line = HookLine | { at: number; record: unknown }

function nameOf(hook: unknown): unknown {
  return (hook as { hook_event_name?: unknown }).hook_event_name
}

function hooksIn(dir: string): HookLine[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      at: Number(name.split('-')[0]),
      hook: JSON.parse(readFileSync(join(dir, name), 'utf8')) as unknown,
    }))
}

/** The main thread's rollout. What is long, and tells nothing of how a session stands, is left out. */
function recordsIn(home: string, began: number): Line[] {
  const sessions = join(home, '.codex', 'sessions')
  return readdirSync(sessions, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => {
      const lines = readFileSync(join(sessions, name), 'utf8').trimEnd().split('\n')
      const records = lines.map((line) => JSON.parse(line) as RolloutRecord)
      const [meta] = records
      const isMain = meta?.payload['thread_source'] === 'user'
      return isMain && Date.parse(meta?.timestamp ?? '') >= began ? records : []
    })
    .filter(({ type, payload }) => !LEFT_OUT.has(type) && !LEFT_OUT.has(String(payload['type'])))
    .filter(({ payload }) => payload['role'] !== 'developer')
    .map((record) => ({ at: Date.parse(record.timestamp), record: shortened(record) }))
}

type RolloutRecord = { timestamp: string; type: string; payload: Record<string, unknown> }

const LEFT_OUT = new Set([
  ...[
    'world_state',
    'turn_context',
    'token_usage_record',
    'thread_settings_applied',
    'token_count',
  ],
])

function shortened({ payload, ...record }: RolloutRecord): RolloutRecord {
  const {
    base_instructions: _,
    internal_chat_message_metadata_passthrough: __,
    dynamic_tools: ___,
    ...rest
  } = payload
  return { ...record, payload: rest }
}

/** As long as it was, so that what is drawn around it stays in place. */
function scrubber(dir: string): (text: string) => string {
  const instead = '/home/op/range/here'.slice(0, dir.length).padEnd(dir.length, '_')
  // A line that is wrapped within it has only its end.
  const name = basename(dir)
  const itsName = 'op-range-here'.slice(0, name.length).padEnd(name.length, '_')
  return (text) => text.replaceAll(dir, instead).replaceAll(name, itsName)
}
