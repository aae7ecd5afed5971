import { waitFor } from '../../support/wait-for.ts'
import type { RealAgent } from '../support/agents/claude-agent.ts'
import { endCommand, hasBegun, LONG_COMMAND } from '../support/long-command.ts'
import type { ModelServer } from '../support/model/model-server.ts'
import {
  apiError,
  askUser,
  bash,
  createGate,
  edit,
  exitPlanMode,
  mcp,
  read,
  say,
  startSubagent,
  write,
  writePlan,
} from '../support/model/reply.ts'
import type { Shot } from './screen-corpus.ts'

/** A part of a session, in which screens are taken. It begins and ends at an empty composer. */
export type CorpusScene = { name: string; play(stage: CorpusStage): Promise<void> }

export type CorpusStage = {
  agent: RealAgent
  model: ModelServer
  take(shot: Shot): Promise<void>
  /** The program stands still meanwhile, as if it hung. */
  frozen(act: () => Promise<void>): Promise<void>
}

/** Prose that looks like the dialogs and the states of this and of other harnesses. */
const HOSTILE = [
  'Do you want to proceed?',
  '❯ 1. Yes',
  "  2. Yes, and don't ask again",
  '  3. No, and tell me what to do differently (esc)',
  '',
  'Esc to cancel · Tab to amend · Enter to confirm',
  'API Error: not a real one',
  '✻ Working… (esc to interrupt · 3s)',
].join('\n')

const LONG = Array.from({ length: 60 }, (_, n) => `line ${n + 1} of the notes`).join('\n')

const permission = { state: 'waiting', reason: 'permission' } as const
const stopped = { state: 'waiting', reason: 'stopped' } as const

export const CORPUS_SCENES: CorpusScene[] = [
  ...turns(),
  ...permissions(),
  ...others(),
  ...interrupts(),
  ...work(),
]

function turns(): CorpusScene[] {
  return [
    {
      name: 'a turn',
      play: async ({ agent, take }) => {
        await agent.prompt('Say hello', say('Hello. All is well here.'))
        await over(agent, /All is well/)
        await take({ ...stopped, note: 'a turn ended' })
      },
    },
    {
      name: 'a hostile turn',
      play: async ({ agent, take }) => {
        await agent.prompt('Be hostile', say(HOSTILE))
        await over(agent, /not a real one/)
        await take({ ...stopped, note: 'a turn ended with hostile prose' })
      },
    },
  ]
}

function permissions(): CorpusScene[] {
  const noted = async ({ agent, take }: CorpusStage, note: string) => {
    await agent.waitForStatus('waiting')
    await agent.waitForDialog()
    await take({ ...permission, note })
  }
  return [
    {
      name: 'a denied command',
      play: async (stage) => {
        const { agent, take } = stage
        await agent.prompt('Run it', bash('npm test -- --watch=false'), say('Ran.'))
        await noted(stage, 'a command, under hostile prose')
        await agent.deny()
        await over(agent)
        await take({ ...stopped, note: 'a permission was denied' })
      },
    },
    {
      name: 'a new file',
      play: async (stage) => {
        await stage.agent.prompt('Write it', write('notes.txt', `${LONG}\n`), say('Written.'))
        await noted(stage, 'a new file, longer than the screen')
        await stage.agent.approve()
        await over(stage.agent, /Written\./)
      },
    },
    {
      name: 'an edit',
      play: async (stage) => {
        const replies = [read('notes.txt'), edit('notes.txt', 'line 60 of', 'line sixty of')]
        await stage.agent.prompt('Edit it', ...replies, say('Edited.'))
        await noted(stage, 'an edit')
        await stage.agent.approve()
        await over(stage.agent, /Edited\./)
      },
    },
    {
      name: 'a question',
      play: async (stage) => {
        const asked = askUser('Which colour?', ['Red, as a barn', 'Blue, as the sky'])
        await stage.agent.prompt('Ask me', asked, say('So be it.'))
        await noted(stage, 'a question')
        await stage.agent.choose(/Red/)
        await over(stage.agent, /So be it\./)
      },
    },
    {
      name: 'a tool of a server',
      play: async (stage) => {
        await stage.agent.prompt('Note it', mcp('note', { text: 'hi' }), say('Noted.'))
        await noted(stage, 'a tool of an MCP server')
        await stage.agent.approve()
        await over(stage.agent, /Noted\./)
      },
    },
    {
      name: 'a subagent',
      play: async (stage) => {
        const { agent, model, take } = stage
        const gate = createGate()
        model.plan('Investigate', bash('touch beta'), say('Inner result.', { before: gate }))
        await agent.prompt('Send one', startSubagent('Investigate'), say('One is out.'))
        await noted(stage, "a subagent's command")
        await agent.approve()
        await gate.reached
        await agent.waitToSee(/Waiting for 1 background agent|esc to interrupt/)
        await take({ state: 'working', note: 'a subagent works' })
        gate.open()
        await over(agent)
      },
    },
  ]
}

function others(): CorpusScene[] {
  return [
    {
      name: 'an error',
      play: async ({ agent, take }) => {
        await agent.prompt('Fail', apiError(400, { message: 'no such model' }))
        await over(agent, /no such model/)
        await take({ ...stopped, note: 'a request failed' })
      },
    },
    {
      name: 'a command in the background',
      play: async ({ agent, take }) => {
        const command = bash('sleep 20', { run_in_background: true })
        await agent.prompt('Start it', command, say('It runs.'))
        await agent.waitToSee(/It runs\./)
        await agent.waitForStatus('shell')
        await take({ ...stopped, note: 'a turn ended, a command runs in the background' })
        await over(agent)
      },
    },
    {
      name: 'a draft',
      play: async ({ agent, take }) => {
        await agent.type('a draft that was not sent')
        await take({ ...stopped, note: 'idle with a draft' })
        await agent.press('C-u')
        await agent.waitForComposer()
      },
    },
  ]
}

function interrupts(): CorpusScene[] {
  return [
    {
      name: 'thought',
      play: async ({ agent, take, frozen }) => {
        const gate = createGate()
        await agent.prompt('Think', say('Never said.', { before: gate }))
        await agent.waitForStatus('busy')
        await agent.waitToSee(/esc to interrupt/)
        await take({ state: 'working', note: 'before the first token' })
        await frozen(() => take({ state: 'stalled', note: 'stopped while it thought' }))
        await interrupt(agent)
        await take({ ...stopped, note: 'interrupted before it answered' })
        gate.open()
        await agent.press('C-u')
      },
    },
    {
      name: 'an answer',
      play: async ({ agent, take, frozen }) => {
        const words = 'One by one the words come in. And then another one. '.repeat(8)
        await agent.prompt('Talk', say(words, { wordMs: 250 }))
        await agent.waitToSee(/One by one/)
        await take({ state: 'working', note: 'an answer comes in' })
        await frozen(() => take({ state: 'stalled', note: 'stopped in an answer' }))
        await interrupt(agent)
        await take({ ...stopped, note: 'interrupted in an answer' })
      },
    },
  ]
}

function work(): CorpusScene[] {
  return [
    {
      name: 'a command',
      play: async ({ agent, take, frozen }) => {
        await agent.prompt('Run long', bash(LONG_COMMAND), say('Ended.'))
        await agent.waitForStatus('waiting')
        await agent.approve()
        await waitFor(() => hasBegun(agent), { what: 'the command to begin' })
        await agent.waitForStatus('busy')
        await take({ state: 'working', note: 'a command runs' })
        await frozen(() => take({ state: 'stalled', note: 'stopped while a command ran' }))
        endCommand(agent)
        await over(agent, /Ended\./)
      },
    },
    {
      name: 'another try',
      play: async ({ agent, take }) => {
        await agent.prompt('Retry', apiError(500, { message: 'slow down' }))
        await agent.waitToSee(/Retrying in/)
        await take({ state: 'working', note: 'a request is tried again' })
        await interrupt(agent)
        await agent.press('C-u')
      },
    },
    // The last one: what it says looks like a dialog to those that follow.
    {
      name: 'a hostile answer',
      play: async ({ agent, take }) => {
        const words = `${HOSTILE}\n\n${HOSTILE}\n\nThat was all.`
        await agent.prompt('Talk hostile', say(words, { wordMs: 150 }))
        await agent.waitToSee(/not a real one/)
        await take({ state: 'working', note: 'hostile prose comes in' })
        await over(agent)
      },
    },
  ]
}

/** What is left of a plan mode is a mode of its own, so this comes last. */
export const PLAN_SCENE: CorpusScene = {
  name: 'a plan',
  play: async ({ agent, take }) => {
    const plan = '# Plan\n\n1. Saddle up\n2. Ride\n'
    await agent.prompt('Plan it', writePlan(plan), exitPlanMode(), say('Planned.'))
    await agent.waitForStatus('waiting')
    await agent.waitForDialog()
    await take({ ...permission, note: 'a plan' })
  },
}

async function over(agent: RealAgent, shows?: RegExp): Promise<void> {
  if (shows) await agent.waitToSee(shows)
  await waitFor(() => agent.statusFile()?.status === 'idle', {
    what: 'the turn to be over',
    timeoutMs: 40_000,
  })
}

/** Without a look at the screen: what is said there may look like a dialog. */
async function interrupt(agent: RealAgent): Promise<void> {
  await agent.pressUntil('Escape', () => agent.statusFile()?.status === 'idle')
  await over(agent)
}
