import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addPlugin } from '../../../src/harness/opencode/install.ts'
import { pluginText } from '../../../src/harness/opencode/plugin.ts'
import { createWorld } from '../../support/create-world.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type Corpus, createCorpus, type Shot, SIZES } from '../record/screen-corpus.ts'
import { settled } from '../record/settled.ts'
import { wire } from '../record/wired.ts'
import {
  type OpencodeAgent,
  startOpencode,
  writeOpencodeHome,
} from '../support/agents/opencode-agent.ts'
import type { ProgramPlaces } from '../support/agents/pane-program.ts'
import { cachedClient, OPENCODE } from '../support/client.ts'
import { CHAT } from '../support/model/chat-dialect.ts'
import { startModelServer } from '../support/model/model-server.ts'
import { askUser, bash, startSubagent, writeFile } from '../support/model/opencode-replies.ts'
import { apiError, createGate, say } from '../support/model/reply.ts'

/** What moves on its screen all the time. */
const MOVING = /[⠁-⣿■⬝⬥⬩▪·]|\d+(?:\.\d+)?m?s\b|\[retrying.*\]/g

/** Prose that looks like the dialogs and the states of this and of other harnesses. */
const HOSTILE = [
  'Do you want to proceed?',
  '❯ 1. Yes',
  '  2. No, and tell me what to do differently (esc)',
  '',
  '    ┃  △ Permission required',
  '    ┃    # Shell command',
  '    ┃   Allow once   Allow always   Reject    ⇆ select  enter confirm',
  '',
  '▣  Build · Herd · interrupted. Press esc interrupt, esc again to interrupt, retrying in 2s.',
].join('\n')

/** The fixtures of opencode: its screens in every state, and what our plugin passes on. */
export async function record(version: string, names: string[]): Promise<void> {
  const wants = (name: string) => names.length === 0 || names.includes(name)
  await using world = await createWorld()
  const { dir, home, env, tmux: server } = world
  await using model = await startModelServer(CHAT)
  const places = { dir, home, env, server, model, binary: cachedClient(OPENCODE).binary }
  const scrub = scrubber(dir)
  writeOpencodeHome(home, model)
  if (wants('screens')) {
    await wire(world, 'opencode')
    const corpus = createCorpus('opencode', version, scrub)
    const agent = await startOpencode('ranch', places)
    for (const size of SIZES) await recordSize(agent, places, corpus, size)
    await recordEnds(agent, places, corpus)
    console.log(`opencode ${version}: ${corpus.counts()}`)
  }
  if (wants('hooks')) await recordHooks(places, version, scrub)
}

type Size = (typeof SIZES)[number]

const taker =
  (places: ProgramPlaces, corpus: Corpus) =>
  async (agent: OpencodeAgent, shot: Shot): Promise<void> => {
    await settled(agent, MOVING)
    await corpus.take(places, agent.pane.id, shot)
  }

/** One program for all sizes: its start takes longer than all of this. */
async function recordSize(
  agent: OpencodeAgent,
  places: ProgramPlaces,
  corpus: Corpus,
  { width, height }: Size,
): Promise<void> {
  const { server, model } = places
  const take = taker(places, corpus)
  await server.run('resize-window', '-t', agent.pane.id, '-x', `${width}`, '-y', `${height}`)
  const permission = { state: 'waiting', reason: 'permission' } as const
  const stopped = { state: 'waiting', reason: 'stopped' } as const
  const here = (text: string) => `${text} (${width})`

  await agent.prompt(here('Say hello'), say('Hello. All is well here.'))
  await agent.waitToSee(/All is well/)
  await agent.waitForIdle()
  await take(agent, { ...stopped, note: 'a turn ended' })

  await agent.prompt(here('Be hostile'), say(HOSTILE))
  await agent.waitToSee(/retrying in 2s/)
  await agent.waitForIdle()
  await take(agent, { ...stopped, note: 'a turn ended with hostile prose' })

  await agent.prompt(here('Run it'), bash('npm test -- --watch=false'), say('Ran.'))
  await agent.waitForDialog()
  await take(agent, { ...permission, note: 'a command, under hostile prose' })
  await agent.deny()
  await agent.waitForIdle()
  await take(agent, { ...stopped, note: 'a permission was denied' })

  const file = join(agent.cwd, `notes-${width}.txt`)
  const long = Array.from({ length: 60 }, (_, n) => `line ${n + 1} of the notes`).join('\n')
  await agent.prompt(here('Write it'), writeFile(file, `${long}\n`), say('Written.'))
  await agent.waitForDialog()
  await take(agent, { ...permission, note: 'a new file, longer than the screen' })
  await agent.approve()
  await agent.waitToSee(/Written\./)
  await agent.waitForIdle()

  const colours = ['Red, as a barn', 'Blue, as the sky']
  await agent.prompt(here('Ask me'), askUser('Which colour?', colours), say('So be it.'))
  await agent.waitForDialog()
  await take(agent, { ...permission, note: 'a question' })
  await agent.approve()
  await agent.waitToSee(/So be it\./)
  await agent.waitForIdle()

  model.plan(here('Look around'), bash('ls there'), say('Looked.'))
  await agent.prompt(here('Send one'), startSubagent(here('Look around')), say('They looked.'))
  await agent.waitForDialog()
  await take(agent, { ...permission, note: "a subagent's command" })
  await agent.approve()
  await agent.waitToSee(/They looked\./)
  await agent.waitForIdle()

  await agent.prompt(here('Fail'), apiError(401, { message: 'no such key' }))
  await agent.waitToSee(/no such key/)
  await agent.waitForIdle()
  await take(agent, { ...stopped, note: 'a request failed' })

  const thinking = createGate()
  await agent.prompt(here('Think'), say('Never said.', { before: thinking }))
  await agent.waitForWork()
  await take(agent, { state: 'working', note: 'before the first token' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped while it thought' }))
  await agent.interrupt()
  await take(agent, { ...stopped, note: 'interrupted' })
  thinking.open()

  const streaming = createGate()
  await agent.prompt(here('Talk'), say('One by one the words come in.', { midway: streaming }))
  await agent.waitToSee(/One by one/)
  await take(agent, { state: 'working', note: 'an answer comes in' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped in an answer' }))
  streaming.open()
  await agent.waitToSee(/words come in/)
  await agent.waitForIdle()

  const hostile = createGate()
  await agent.prompt(here('Talk hostile'), say(`${HOSTILE}\n${HOSTILE}`, { midway: hostile }))
  await agent.waitToSee(/△ Permission required/)
  await take(agent, { state: 'working', note: 'hostile prose comes in' })
  hostile.open()
  await agent.waitForIdle()

  await agent.prompt(here('Run long'), bash('echo begun; sleep 15'), say('Ended.'))
  await agent.approve()
  await agent.waitToSee(/^ +┃ {2}begun/m)
  await take(agent, { state: 'working', note: 'a command runs' })
  await frozen(agent, () => take(agent, { state: 'stalled', note: 'stopped while a command ran' }))
  await agent.interrupt()

  await agent.prompt(here('Retry'), apiError(500, { message: 'slow down' }))
  await agent.waitToSee(/retrying in|attempt #/)
  await take(agent, { state: 'working', note: 'a request is tried again' })
  await agent.interrupt()

  await agent.press('-l', 'a draft that was not sent')
  await agent.waitToSee(/a draft that was not sent/)
  await take(agent, { ...stopped, note: 'idle with a draft' })
  await agent.press('C-c')
  await agent.waitForIdle()

  await agent.prompt(here('Allow all'), bash(`make all-${width}`), say('Made.'))
  await agent.waitForDialog()
  await agent.press('Right')
  await agent.pressUntil('Enter', (shown) => /until OpenCode is restarted/.test(shown))
  await take(agent, { ...permission, note: 'whether to allow a command always' })
  await agent.pressUntil('Enter', (shown) => !/until OpenCode is restarted/.test(shown))
  await agent.waitToSee(/Made\./)
  await agent.waitForIdle()
}

async function recordEnds(
  agent: OpencodeAgent,
  places: ProgramPlaces,
  corpus: Corpus,
): Promise<void> {
  const take = taker(places, corpus)
  const start = () => startOpencode('ranch', places, { inPane: agent.pane })
  await agent.exit()
  await take(agent, { state: 'finished', note: '/exit' })
  const second = await start()
  await second.prompt('Say bye', say('Bye.'))
  await second.waitToSee(/Bye\./)
  await second.waitForIdle()
  await second.press('C-c')
  await waitFor(() => second.isGone(), { what: 'opencode to end' })
  await take(second, { state: 'finished', note: 'Ctrl-C' })
  const third = await start()
  await third.prompt('Stay', say('I stay.'))
  await third.waitToSee(/I stay\./)
  await third.waitForIdle()
  await third.kill('SIGKILL')
  await third.waitToSee(/^[#$] /m)
  await take(third, { state: 'finished', note: 'killed' })
  await third[Symbol.asyncDispose]()
}

async function frozen(agent: OpencodeAgent, act: () => Promise<void>): Promise<void> {
  process.kill(agent.pid, 'SIGSTOP')
  await act()
  process.kill(agent.pid, 'SIGCONT')
}

/** One session that goes through all that the plugin tells of. */
async function recordHooks(
  places: ProgramPlaces,
  version: string,
  scrub: (text: string) => string,
): Promise<void> {
  const place = fileURLToPath(new URL(`../../fixtures/opencode/${version}/`, import.meta.url))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  const log = join(places.dir, 'told')
  const emitter = join(places.dir, 'trailboss-emit')
  writeFileSync(log, '')
  writeFileSync(emitter, `#!/bin/sh\nbody=$(cat)\nprintf '%s\\n' "$body" >>'${log}'\n`)
  chmodSync(emitter, 0o755)
  const config = join(places.home, '.config', 'opencode')
  writeFileSync(join(config, 'trailboss.js'), pluginText({ program: emitter }))
  writeFileSync(join(config, 'tui.jsonc'), addPlugin(undefined))

  await using agent = await startOpencode('ranch', places)
  let taken = 0
  const told = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { hook_event_name: string; at: number })
      .toSorted((a, b) => a.at - b.at)
  const keep = async (name: string, last = 'session.idle') => {
    await waitFor(told, {
      what: `${last} of ${name}`,
      until: (events) => events.slice(taken).some((event) => event.hook_event_name === last),
    })
    await settled(agent, MOVING)
    const events = told()
    const lines = events.slice(taken).map((event) => scrub(JSON.stringify(event)))
    taken = events.length
    writeFileSync(join(place, `${name}.jsonl`), `${lines.join('\n')}\n`)
  }

  await agent.prompt('Record a turn', say('Recorded.'))
  await keep('turn')
  await agent.prompt('Record an approval', bash('echo approved'), say('Approved.'))
  await agent.approve()
  await keep('approved')
  await agent.prompt('Record a denial', bash('echo denied'))
  await agent.deny()
  await keep('denied')
  const file = join(agent.cwd, 'a.txt')
  await agent.prompt('Record a file', writeFile(file, 'one\n'), say('Wrote.'))
  await agent.approve()
  await keep('file-written')
  await agent.prompt('Record a question', askUser('Which?', ['This', 'That']), say('This one.'))
  await agent.approve()
  await keep('question')
  await agent.prompt('Record a refusal', askUser('Why?', ['So', 'Not']))
  await agent.deny()
  await keep('question-declined')
  places.model.plan('Record below', bash('ls below'), say('Seen.'))
  await agent.prompt('Record a subagent', startSubagent('Record below'), say('It saw.'))
  await agent.approve()
  await agent.waitToSee(/It saw\./)
  await keep('subagent')
  const gate = createGate()
  await agent.prompt('Record an interrupt', say('Never said.', { before: gate }))
  await agent.interrupt()
  await keep('interrupted')
  gate.open()
  await agent.prompt('Record an error', apiError(401, { message: 'no such key' }))
  await keep('failed')
  await agent.prompt('Record a retry', apiError(500, { times: 1 }), say('Recovered.'))
  await keep('retried')
}

/** As long as it was, so that what is drawn around it stays in place. */
function scrubber(dir: string): (text: string) => string {
  const instead = '/home/op/range/here'.slice(0, dir.length).padEnd(dir.length, '_')
  return (text) => text.replaceAll(dir, instead)
}
