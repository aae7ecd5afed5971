import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PaneRef } from '../../../../src/core/pane.ts'
import { isAlive } from '../../../support/processes.ts'
import type { TmuxServer } from '../../../support/tmux-server.ts'
import { actUntil, waitFor } from '../../../support/wait-for.ts'
import type { ModelServer } from '../model/model-server.ts'
import type { Reply } from '../model/reply.ts'
import { type AgentPlaces, writeLauncher } from './launcher.ts'
import { openPane } from './pane-program.ts'
import { dialogIn, dialogText, isIdleComposer } from './screen.ts'
import { readStatusFile, type StatusFile } from './status-file.ts'

export type RealAgentOptions = {
  server?: TmuxServer
  /** Starts from the shell of this pane, after the program that ran there has ended. */
  inPane?: PaneRef
  /** `--resume <id>`, `--continue`, …: in place of a session id of its own. */
  args?: string[]
  /** The arguments are one of its commands, such as `attach <id>`, which takes no options. */
  isCommand?: boolean
  cwd?: string
  /** Adds the MCP server of `mcp-server.mjs`. */
  mcp?: boolean
  permissionMode?: 'manual' | 'plan' | 'acceptEdits'
  env?: Record<string, string>
  /** It is not the shell's own job: stopped by a signal it keeps the terminal, as if it hung. */
  isWrapped?: boolean
  /** False: comes back as soon as the program runs, before it shows a prompt or a dialog. */
  waitsForComposer?: boolean
}

/** The real Claude Code in a pane, with a shell under it. */
export type RealAgent = AsyncDisposable & {
  name: string
  pane: PaneRef
  server: TmuxServer
  cwd: string
  pid: number
  /** The current session's id, as its status file said last; the one it was started with before that. */
  readonly session: string
  readonly transcript: string
  /** Waits until its transcript holds these words: they are written a while after they are shown. */
  recorded(words: string): Promise<void>
  /** The model's replies to this prompt; comes back when the model has received it. */
  prompt(text: string, ...replies: Reply[]): Promise<void>
  /** Types a line and presses Enter: a command, an answer, a prompt that is to be queued. */
  submit(text: string): Promise<void>
  type(text: string): Promise<void>
  /** tmux key names: `Enter`, `Escape`, `C-c`, `Down`. */
  press(...keys: string[]): Promise<void>
  /** Presses it again as long as the screen does not show that it was taken. */
  pressUntil(key: string, isTaken: (screen: string) => boolean): Promise<void>
  /** Picks the first, affirmative choice of a dialog. */
  approve(): Promise<void>
  /** Picks the choice of a dialog that starts with "No". */
  deny(): Promise<void>
  approveWithFeedback(text: string): Promise<void>
  denyWithFeedback(text: string): Promise<void>
  /** Picks the choice of a dialog whose label matches. */
  choose(label: RegExp): Promise<void>
  /** Moves the mark to it, and leaves it at that. */
  select(label: RegExp): Promise<void>
  /** Leaves a dialog, or interrupts the turn. */
  escape(): Promise<void>
  /** Escape, and sees to it that the dialog is gone. */
  dismiss(): Promise<void>
  /** Ctrl-Z, and back. */
  suspend(): Promise<void>
  foreground(): Promise<void>
  screen(): Promise<string>
  waitToSee(pattern: RegExp): Promise<string>
  waitForDialog(): Promise<string>
  waitForComposer(): Promise<void>
  statusFile(): StatusFile | undefined
  waitForStatus(status: string, waitingFor?: string): Promise<StatusFile>
  /** `/exit`. */
  exit(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  isAlive(): boolean
}

/** For so long a screen does not change any more when it is drawn. */
const DRAWN_MS = 300
/** On a busy machine it takes half a minute to start. */
const PATIENT_MS = 60_000

export async function startRealAgent(
  name: string,
  { places, model, binary }: { places: AgentPlaces; model: ModelServer; binary: string },
  options: RealAgentOptions = {},
): Promise<RealAgent> {
  const { home } = places
  const server = options.server ?? places.server
  const started = randomUUID()
  const launch = writeLauncher(name, started, { places, model, binary }, options)
  const id = options.inPane?.id ?? (await openPane(server, name, launch.cwd))
  const command = `sh ${launch.script}`
  await typeInto(server, id, options.isWrapped ? `sh -c '${command}; :'` : command)
  await server.run('send-keys', '-t', id, 'Enter')
  const pid = await waitFor(() => Number(readFileSync(launch.pidFile, 'utf8')), {
    what: `Claude Code to start in pane ${id}`,
    timeoutMs: PATIENT_MS,
  })

  const screen = () => server.run('capture-pane', '-p', '-t', id)
  const see = (what: string, until: (text: string) => boolean) =>
    waitFor(screen, { what, until, timeoutMs: PATIENT_MS })
  const ended = () => waitFor(() => !isAlive(pid), { what: `${name} (${pid}) to be gone` })
  let current: string = started
  const agent: RealAgent = {
    name,
    pane: { socket: server.socket, id },
    server,
    cwd: launch.cwd,
    pid,
    get session() {
      current = agent.statusFile()?.sessionId ?? current
      return current
    },
    get transcript() {
      const project = launch.cwd.replace(/[^a-zA-Z0-9]/g, '-')
      return join(home, '.claude', 'projects', project, `${agent.session}.jsonl`)
    },
    recorded: async (words) => {
      await waitFor(() => readFileSync(agent.transcript, 'utf8').includes(words), {
        what: `${name} to have "${words}" in its transcript`,
      })
    },
    prompt: async (text, ...replies) => {
      model.plan(text, ...replies)
      const before = model.requestsFor(text).length
      await agent.submit(text)
      await model.waitForRequest(text, before + 1)
    },
    submit: async (text) => {
      await agent.type(text)
      await agent.press('Enter')
    },
    type: async (text) => {
      await typeInto(server, id, text)
      await see(`${name} to show what was typed`, (shown) => squeeze(shown).includes(squeeze(text)))
    },
    press: async (...keys) => {
      await server.run('send-keys', '-t', id, ...keys)
    },
    pressUntil: async (key, isTaken) => {
      const what = `${name} to take the key ${key}`
      await actUntil(
        () => agent.press(key),
        async () => isTaken(await screen()),
        { what },
      )
    },
    approve: () => agent.choose(/^(Yes|Accept|1\b)/),
    deny: () => agent.choose(/^No\b/),
    approveWithFeedback: (text) => answerWith(/^Yes\b/, text),
    denyWithFeedback: (text) => answerWith(/^No\b/, text),
    select: (label) => moveTo(label),
    choose: async (label) => {
      await moveTo(label)
      await answer()
    },
    escape: async () => {
      if (dialogIn(await screen())) await answer('Escape')
      else await agent.press('Escape')
    },
    dismiss: async () => {
      await agent.waitForDialog()
      await answer('Escape')
    },
    suspend: async () => {
      await agent.press('C-z')
      await see(`${name} to be suspended`, (shown) => /suspended|Stopped/.test(shown))
    },
    foreground: async () => {
      await typeInto(server, id, 'fg')
      await agent.press('Enter')
    },
    screen,
    waitToSee: (pattern) => see(`${name} to show ${pattern}`, (shown) => pattern.test(shown)),
    waitForDialog: () => see(`${name} to show a dialog`, (shown) => dialogIn(shown) !== undefined),
    waitForComposer: async () => {
      await see(`${name} to show an empty composer`, isIdleComposer)
    },
    statusFile: () => readStatusFile(home, pid),
    waitForStatus: async (status, waitingFor) => {
      const seen = await waitFor(agent.statusFile, {
        what: `${name} to publish "${status}"${waitingFor ? ` (${waitingFor})` : ''}`,
        until: (file) =>
          file?.status === status && (waitingFor === undefined || file.waitingFor === waitingFor),
      })
      return seen!
    },
    exit: async () => {
      await agent.submit('/exit')
      await ended()
    },
    kill: async (signal) => {
      process.kill(pid, signal)
      await ended()
      await restoreTerminal(server, id)
    },
    isAlive: () => isAlive(pid),
    [Symbol.asyncDispose]: async () => {
      if (isAlive(pid)) await endGently(pid)
      await server.try('kill-pane', '-t', id)
      // Outside of HOME, and left behind by a kill.
      rmSync(join('/tmp/cc-socks', `${pid}.sock`), { force: true })
      const project = launch.cwd.replace(/[^a-zA-Z0-9]/g, '-')
      const tasks = join(tmpdir(), `claude-${process.getuid?.()}`, project)
      rmSync(tasks, { recursive: true, force: true })
    },
  }

  const moveTo = async (label: RegExp): Promise<void> => {
    const shown = await drawnDialog()
    const choices = dialogIn(shown)!.choices
    const wanted = choices.findIndex((choice) => label.test(choice.label))
    if (wanted < 0) throw new Error(`the dialog of ${name} has no choice like ${label}:\n${shown}`)
    const from = choices.findIndex(({ isSelected }) => isSelected)
    const step = wanted > from ? 1 : -1
    for (let next = from + step; next !== wanted + step; next += step) {
      const isThere = (now: string) => Boolean(dialogIn(now)?.choices[next]?.isSelected)
      await agent.pressUntil(step > 0 ? 'Down' : 'Up', isThere)
    }
  }

  const answerWith = async (label: RegExp, text: string): Promise<void> => {
    await moveTo(label)
    await agent.pressUntil('Tab', (shown) => /❯ \d+\. (Yes|No), \S/.test(shown))
    await agent.type(text)
    await answer()
  }

  // It is drawn in pieces: what changes while it is drawn is no answer.
  const drawnDialog = async (): Promise<string> => {
    let before: string | undefined
    let since = 0
    const shown = await see(`${name} to have drawn its dialog`, (now) => {
      if (dialogText(now) !== before) {
        before = dialogText(now)
        since = Date.now()
      }
      return before !== undefined && Date.now() - since > DRAWN_MS
    })
    return dialogText(shown)!
  }

  // A dialog takes no key in its first 200 ms (2.1.325), so that nobody answers it by accident. On a busy
  // machine a piece of it may be drawn late: it is still the same one as long as all is there that was.
  // A program that ends leaves its last dialog on the screen.
  const answer = async (key = 'Enter'): Promise<void> => {
    const asked = (await drawnDialog()).split('\n')
    await agent.pressUntil(key, (shown) => {
      const now = dialogText(shown)?.split('\n') ?? []
      return !agent.isAlive() || !asked.every((line) => now.includes(line))
    })
  }

  if (options.waitsForComposer !== false) await agent.waitForComposer()
  return agent
}

/** A killed program leaves the terminal raw, and the shell could take no line any more. */
async function restoreTerminal(server: TmuxServer, pane: string): Promise<void> {
  const tty = await server.run('display-message', '-p', '-t', pane, '#{pane_tty}')
  if (!tty) return
  writeFileSync(tty, '\x1b[?1049l\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[0m\r\n')
  execFileSync('sh', ['-c', `stty sane <"$1"`, 'sh', tty])
}

/** After a kill, the next Claude Code of this home would start with another renderer. */
async function endGently(pid: number): Promise<void> {
  process.kill(pid, 'SIGCONT')
  process.kill(pid, 'SIGTERM')
  const ended = { what: `process ${pid} to end`, timeoutMs: 30_000 }
  await waitFor(() => !isAlive(pid), ended).catch(async () => {
    process.kill(pid, 'SIGKILL')
    await waitFor(() => !isAlive(pid), ended)
  })
}

async function typeInto(server: TmuxServer, pane: string, text: string): Promise<void> {
  await server.run('send-keys', '-t', pane, '-l', text)
}

/** Long lines wrap on the screen. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, '')
}
