import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOOK_EVENTS } from '../../../src/harness/gemini/hook-events.ts'
import { createWorld } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type Corpus, createCorpus, type Shot, SIZES } from '../record/screen-corpus.ts'
import { settled } from '../record/settled.ts'
import { wire } from '../record/wired.ts'
import { type GeminiAgent, startGemini, writeGeminiHome } from '../support/agents/gemini-agent.ts'
import type { ProgramPlaces } from '../support/agents/pane-program.ts'
import { cachedClient, GEMINI } from '../support/client.ts'
import { GEMINI_API } from '../support/model/gemini-dialect.ts'
import { askUser, replace, shell, writeFile } from '../support/model/gemini-replies.ts'
import { startModelServer } from '../support/model/model-server.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'

/** What moves on its screen all the time. */
const MOVING = /[⠁-⣿]|\d+s\b/g

/** Prose that looks like the dialogs and the states of this and of other harnesses. */
const HOSTILE = [
  'Do you want to proceed?',
  '❯ 1. Yes',
  '  2. No, and tell me what to do differently (esc)',
  '',
  '● 1. Allow once',
  '  2. Allow for this session',
  '  3. No, suggest changes (esc)',
  '',
  'Allow execution of [Shell]? Action Required: press enter to confirm or esc to cancel.',
  '✕ [API Error: not a real one]',
  '⠋ Thinking... (esc to cancel, 3s)',
].join('\n')

const HOOK = fileURLToPath(new URL('../record/hook-recorder.sh', import.meta.url))

/** The fixtures of Gemini CLI: its `screens` in every state, its `hooks` and what it writes down. */
export async function record(version: string, names: string[]): Promise<void> {
  const isWanted = (name: string) => names.length === 0 || names.includes(name)
  await using world = await createWorld()
  const { dir, home, env, tmux: server } = world
  const stand = { dir, home, hooks: join(dir, 'hooks') }
  mkdirSync(stand.hooks)
  await using model = await startModelServer(GEMINI_API)
  const scrub = scrubber(dir)
  const places = { dir, home, env, server, model, binary: cachedClient(GEMINI).binary }
  if (isWanted('screens')) {
    const corpus = createCorpus('gemini', version, scrub)
    for (const size of SIZES) {
      writeGeminiHome(home, false)
      await wire(world, 'gemini')
      await recordSize(places, corpus, size)
    }
    console.log(`Gemini CLI ${version}: ${corpus.counts()}`)
  }
  if (isWanted('hooks')) {
    wireHooks(stand)
    await recordHooks(places, stand, version, scrub)
  }
}

type Size = (typeof SIZES)[number]

async function recordSize(places: ProgramPlaces, corpus: Corpus, size: Size): Promise<void> {
  const { model } = places
  const name = `ranch-${size.width}`
  const take = async (agent: GeminiAgent, shot: Shot) => {
    await settled(agent, MOVING)
    await corpus.take(places, agent.pane.id, shot)
  }
  const start = async (inPane?: GeminiAgent['pane'], waitsForComposer = true) =>
    startGemini(name, places, { waitsForComposer, ...(inPane && { inPane }), size })
  const permission = { state: 'waiting', reason: 'permission' } as const
  const stopped = { state: 'waiting', reason: 'stopped' } as const
  const say1 = (text: string) => `${text} (${size.width})`

  const agent = await start(undefined, false)
  await agent.waitToSee(/Do you trust/)
  await take(agent, { ...permission, note: 'trust in a folder' })
  await agent.approve()
  await agent.waitForSteadyComposer()

  await agent.prompt(say1('Say hello'), say('Hello. All is well here.'))
  await agent.waitToSee(/All is well/)
  await agent.waitForTitle(/^◇ /)
  await take(agent, { ...stopped, note: 'a turn ended' })

  await agent.prompt(say1('Be hostile'), say(HOSTILE))
  await agent.waitToSee(/not a real one/)
  await agent.waitForTitle(/^◇ /)
  await take(agent, { ...stopped, note: 'a turn ended with hostile prose' })

  await agent.prompt(say1('Run it'), shell('npm test -- --watch=false'), say('Ran.'))
  await agent.waitForTitle(/^✋ /)
  await take(agent, { ...permission, note: 'a command, under hostile prose' })
  await agent.deny()
  await agent.waitForTitle(/^◇ /)
  await take(agent, { ...stopped, note: 'a permission was denied' })

  const file = join(agent.cwd, 'notes.txt')
  const long = Array.from({ length: 60 }, (_, n) => `line ${n + 1} of the notes`).join('\n')
  await agent.prompt(say1('Write it'), writeFile(file, `${long}\n`), say('Written.'))
  await agent.waitForTitle(/^✋ /)
  await take(agent, { ...permission, note: 'a new file, longer than the screen' })
  await agent.approve()
  await agent.waitToSee(/Written\./)

  await agent.prompt(say1('Edit it'), replace(file, 'line 60 of', 'line sixty of'), say('Edited.'))
  await agent.waitForTitle(/^✋ /)
  await take(agent, { ...permission, note: 'an edit' })
  await agent.approve()
  await agent.waitToSee(/Edited\./)

  const colours = ['Red, as a barn', 'Blue, as the sky']
  await agent.prompt(say1('Ask me'), askUser('Which colour?', colours), say('So be it.'))
  await agent.waitForTitle(/^✋ /)
  await take(agent, { ...permission, note: 'a question' })
  await agent.approve()
  await agent.waitToSee(/So be it\./)

  await agent.prompt(say1('Fail'), apiError(400, { message: 'no such model' }))
  await agent.waitToSee(/This request failed/)
  await agent.waitForTitle(/^◇ /)
  await take(agent, { ...stopped, note: 'a request failed' })

  const thinking = createGate()
  await agent.prompt(say1('Think'), say('Never said.', { before: thinking }))
  await agent.waitForTitle(/^✦ /)
  await take(agent, { state: 'working', note: 'before the first token' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped while it thought' }))
  await agent.press('Escape')
  await agent.waitForTitle(/^◇ /)
  await take(agent, { ...stopped, note: 'interrupted' })
  thinking.open()

  const streaming = createGate()
  await agent.prompt(say1('Talk'), say('One by one the words come in.', { midway: streaming }))
  await agent.waitToSee(/One by one/)
  await take(agent, { state: 'working', note: 'an answer comes in' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped in an answer' }))
  streaming.open()
  await agent.waitForTitle(/^◇ /)

  const hostile = createGate()
  await agent.prompt(say1('Talk hostile'), say(`${HOSTILE}\n${HOSTILE}`, { midway: hostile }))
  await agent.waitToSee(/not a real one|Allow once/)
  await take(agent, { state: 'working', note: 'hostile prose comes in' })
  hostile.open()
  await agent.waitForTitle(/^◇ /)

  await agent.prompt(say1('Run long'), shell('echo begun; sleep 15'), say('Ended.'))
  await agent.waitForTitle(/^✋ /)
  await agent.approve()
  await agent.waitToSee(/begun/)
  await take(agent, { state: 'working', note: 'a command runs' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped while a command ran' }))
  await agent.press('Escape')
  await agent.waitForTitle(/^◇ /)

  await agent.prompt(say1('Retry'), apiError(429, { message: 'slow down' }))
  await model.waitForRequest(say1('Retry'), 2)
  await take(agent, { state: 'working', note: 'a request is tried again' })
  await agent.press('Escape')
  await agent.waitForTitle(/^◇ /)

  await agent.press('-l', 'a draft that was not sent')
  await agent.waitToSee(/a draft that was not sent/)
  await take(agent, { ...stopped, note: 'idle with a draft' })
  await agent.press('C-c')
  await agent.waitForComposer()

  await agent.exit()
  await take(agent, { state: 'finished', note: '/quit' })
  const second = await start(agent.pane)
  await second.prompt(say1('Say bye'), say('Bye.'))
  await second.waitToSee(/Bye\./)
  await second.press('C-c')
  await second.press('C-c')
  await waitFor(() => second.isGone(), { what: 'Gemini CLI to end' })
  await take(second, { state: 'finished', note: 'Ctrl-C twice' })
  const third = await start(agent.pane)
  await third.prompt(say1('Stay'), say('I stay.'))
  await third.waitToSee(/I stay\./)
  await third.kill('SIGKILL')
  await take(third, { state: 'finished', note: 'killed' })
  for (const one of [agent, second, third]) await one[Symbol.asyncDispose]()
}

async function frozen(agent: GeminiAgent, act: () => Promise<void>): Promise<void> {
  await agent.signal('SIGSTOP')
  await act()
  await agent.signal('SIGCONT')
}

type Stand = { dir: string; home: string; hooks: string }

function wireHooks({ home, hooks }: Stand): void {
  writeGeminiHome(home)
  const path = join(home, '.gemini', 'settings.json')
  const command = `'${HOOK}' '${hooks}'`
  const groups = HOOK_EVENTS.map((event) => [event, [{ hooks: [{ type: 'command', command }] }]])
  const settings = JSON.parse(readFileSync(path, 'utf8')) as object
  writeFileSync(path, JSON.stringify({ ...settings, hooks: Object.fromEntries(groups) }))
}

/** One session that goes through all that hooks and transcript tell of. */
async function recordHooks(
  places: ProgramPlaces,
  { home, hooks }: Stand,
  version: string,
  scrub: (text: string) => string,
): Promise<void> {
  const place = fileURLToPath(new URL(`../../fixtures/gemini/${version}/`, import.meta.url))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  await using agent = await startGemini('ranch', places)
  const ready = () => agent.waitForTitle(/^◇ /)
  const asked = () => agent.waitForTitle(/^✋ /)
  let taken = 0
  const keep = async (name: string) => {
    await settled(agent, MOVING)
    const told = [...hooksIn(hooks), ...recordsIn(home)].toSorted((a, b) => a.at - b.at)
    const lines = told.slice(taken).map((line) => scrub(JSON.stringify(line)))
    taken = told.length
    writeFileSync(join(place, `${name}.jsonl`), `${lines.join('\n')}\n`)
  }

  await waitFor(() => hooksIn(hooks).length > 0, { what: 'the first hook' })
  await keep('started')
  await agent.prompt('Record a turn', say('Recorded.'))
  await agent.waitToSee(/Recorded\./)
  await keep('turn')
  await agent.prompt('Record an approval', shell('touch approved'), say('Approved.'))
  await asked()
  await agent.approve()
  await agent.waitToSee(/Approved\./)
  await keep('approved')
  await agent.prompt('Record a denial', shell('touch denied'))
  await asked()
  await agent.deny()
  await ready()
  await keep('denied')
  await agent.prompt('Record a file', writeFile(join(agent.cwd, 'a.txt'), 'one\n'), say('Wrote.'))
  await asked()
  await agent.approve()
  await agent.waitToSee(/Wrote\./)
  await keep('file-written')
  await agent.prompt('Record a question', askUser('Which?', ['This', 'That']), say('This one.'))
  await asked()
  await agent.approve()
  await agent.waitToSee(/This one\./)
  await keep('question')
  const gate = createGate()
  await agent.prompt('Record an interrupt', say('Never said.', { before: gate }))
  await agent.waitForTitle(/^✦ /)
  await agent.press('Escape')
  await ready()
  await keep('interrupted')
  gate.open()
  await agent.prompt('Record an error', apiError(400, { message: 'no such model' }))
  await agent.waitToSee(/This request failed/)
  await ready()
  await keep('failed')
  await agent.exit()
  await keep('ended')
}

type Line = { at: number; hook: unknown } | { at: number; record: unknown }

function hooksIn(dir: string): Line[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      at: Number(name.split('-')[0]),
      hook: JSON.parse(readFileSync(join(dir, name), 'utf8')) as unknown,
    }))
}

/** By when it was written down, where that is told. */
function recordsIn(home: string): Line[] {
  const tmp = join(home, '.gemini', 'tmp', 'ranch', 'chats')
  if (!existsSync(tmp)) return []
  let at = 0
  return readdirSync(tmp)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(tmp, name), 'utf8').trimEnd().split('\n'))
    .map((line) => {
      const record = JSON.parse(line) as { timestamp?: string; startTime?: string }
      at = Math.max(at, Date.parse(record.timestamp ?? record.startTime ?? '') || at)
      return { at, record }
    })
}

/** As long as it was, so that what is drawn around it stays in place. */
function scrubber(dir: string): (text: string) => string {
  const instead = '/home/op/range/here'.slice(0, dir.length).padEnd(dir.length, '_')
  return (text) => text.replaceAll(dir, instead).replaceAll('vm', 'ox')
}
