import { setTimeout as delay } from 'node:timers/promises'
import type { PaneRef } from '../../../src/core/pane.ts'
import type { Screen } from '../../../src/core/screen/screen.ts'
import type { TmuxServer } from '../../support/tmux-server.ts'
import { actUntil, waitFor } from '../../support/wait-for.ts'
import type { ModelServer } from '../support/model/model-server.ts'
import { apiError, createGate, type Reply, say } from '../support/model/reply.ts'
import { createCorpus, type Shot, screenIn } from './screen-corpus.ts'

type Size = { width: number; height: number }
/** As programs tell by their environment what a terminal can do. */
type Terminal = { name: string; size: Size; env: Record<string, string> }

/** What all programs have in common, whatever they look like. */
type TerminalProgram = {
  pane: PaneRef
  type(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
}

export type TerminalStage = {
  server: TmuxServer
  model: ModelServer
  start(name: string, terminal: Terminal): Promise<TerminalProgram>
  /** The model asks for a permission. */
  asking(command: string): Reply
}

const COLOURS: Record<string, Record<string, string>> = {
  'no colours': { TERM: 'screen', NO_COLOR: '1' },
  '16 colours': { TERM: 'screen', FORCE_COLOR: '1' },
  '256 colours': { TERM: 'screen-256color', FORCE_COLOR: '2' },
  'true colours': { TERM: 'tmux-256color', COLORTERM: 'truecolor' },
}
const USUAL = { width: 80, height: 24 }
const ODD = [
  { width: 61, height: 17 },
  { width: 203, height: 51 },
  { width: 40, height: 12 },
]
/** Where a pane may be moved to, half a window among them. */
const MOVED = [
  { width: 61, height: 17 },
  { width: 80, height: 12 },
]

const TERMINALS: Terminal[] = [
  ...Object.entries(COLOURS).map(([name, env]) => ({ name, env, size: USUAL })),
  ...ODD.map((size) => ({
    name: `256 colours, ${size.width}x${size.height}`,
    env: COLOURS['256 colours'] ?? {},
    size,
  })),
]
const AT_ONCE = 3
const STILL_MS = 600
const MOST_LOOKS = 20
const PATIENT_MS = 90_000

/** The screens of one program in terminals of all kinds, and in panes that get another size. */
export async function playInTerminals(
  harness: string,
  version: string,
  scrub: (text: string) => string,
  stage: TerminalStage,
): Promise<void> {
  const corpus = createCorpus(harness, version, scrub, { ofTerminals: true })
  const waiting = [...TERMINALS.entries()]
  while (waiting.length > 0) {
    const group: Promise<Taken[]>[] = []
    for (const [n, terminal] of waiting.splice(0, AT_ONCE)) {
      const name = `agent-${n + 1}`
      const program = await stage.start(name, terminal)
      // Some are not ready for a second one before the first has made its files.
      await still(() => screenIn(stage.server, program.pane.id))
      group.push(play(name, stage, terminal, program))
    }
    for (const [screen, shot] of (await Promise.all(group)).flat()) corpus.add(screen, shot)
  }
  console.log(`${harness} ${version} in terminals of all kinds: ${corpus.counts()}`)
}

type Taken = [Screen, Shot]

async function play(
  name: string,
  { server, model, asking }: TerminalStage,
  terminal: Terminal,
  program: TerminalProgram,
): Promise<Taken[]> {
  const taken: Taken[] = []
  const permission = { state: 'waiting', reason: 'permission' } as const
  const stopped = { state: 'waiting', reason: 'stopped' } as const
  const id = program.pane.id
  const look = () => screenIn(server, id)
  const take = async (shot: Shot, where = terminal.name) => {
    await still(look)
    taken.push([await look(), { ...shot, terminal: where }])
  }
  const resized = async ({ width, height }: Size) => {
    await server.run('resize-window', '-t', id, '-x', String(width), '-y', String(height))
  }
  const drawnAnew = async (shot: Shot) => {
    for (const size of MOVED) {
      await resized(size)
      await take(shot, `${terminal.name}, drawn anew in ${size.width}x${size.height}`)
    }
    await resized(terminal.size)
    await still(look)
  }
  const isMoved = terminal.name === 'true colours'
  const prompt = async (text: string, ...replies: Reply[]) => {
    const words = `${text} ${name}`
    model.plan(words, ...replies)
    await program.type(words)
    await still(look)
    await actUntil(
      () => program.press('Enter'),
      () => model.requestsFor(words).length > 0,
      { what: `${terminal.name}: the model to receive "${words}"`, timeoutMs: PATIENT_MS },
    )
  }
  // On a small screen not a word of it may be seen.
  const answered = async (text: string) => {
    await waitFor(() => model.requestsFor(`${text} ${name}`).at(-1)?.endedAt ?? 0, {
      what: `${terminal.name}: the answer to "${text}"`,
      timeoutMs: PATIENT_MS,
    })
    await still(look, 3)
  }

  await still(look, 3)
  const gate = createGate()
  await prompt('Think', say('All is well here.', { before: gate }))
  await gate.reached
  await take({ state: 'working', note: 'before the first token' })
  gate.open()
  await answered('Think')
  await take({ ...stopped, note: 'a turn ended' })
  if (isMoved) await drawnAnew({ ...stopped, note: 'a turn ended' })

  await prompt('Run it', asking('touch fed'), say('Never said.'))
  await answered('Run it')
  await take({ ...permission, note: 'a command' })
  if (isMoved) await drawnAnew({ ...permission, note: 'a command' })
  await program.press('Escape')
  await delay(STILL_MS)
  await take({ ...stopped, note: 'a permission was denied' })

  await prompt('Fail', apiError(400, { message: 'no such model' }))
  await answered('Fail')
  await take({ ...stopped, note: 'a request failed' })
  await program.type('a draft')
  await take({ ...stopped, note: 'idle with a draft' })
  return taken
}

/** Until it is drawn: nothing but spinners and times changes any more. Of one at work more may change all the time. */
async function still(look: () => Promise<Screen>, looks = 2): Promise<void> {
  let before = ''
  for (let alike = 0, seen = 0; alike < looks && seen < MOST_LOOKS; seen++) {
    const now = (await look()).lines.join('\n').replaceAll(/[^\x20-\x7e\n│─]|\d+/g, '')
    alike = now === before && now.trim() !== '' ? alike + 1 : 0
    before = now
    await delay(STILL_MS)
  }
}
