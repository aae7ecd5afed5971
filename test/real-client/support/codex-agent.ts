import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaneRef } from '../../../src/core/event.ts'
import { isAlive } from '../../support/processes.ts'
import type { TmuxServer } from '../../support/tmux-server.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { ModelServer } from './model-server.ts'
import type { Reply } from './reply.ts'

export type CodexOptions = {
  args?: string[]
  cwd?: string
  /** Starts from the shell of this pane, after the program that ran there has ended. */
  inPane?: PaneRef
  /** False: comes back as soon as the program runs. */
  waitsForComposer?: boolean
  /** Of the window; the server's own by default. */
  size?: { width: number; height: number }
}

/** The real Codex in a pane, with a shell under it. */
export type CodexAgent = AsyncDisposable & {
  name: string
  pane: PaneRef
  cwd: string
  pid: number
  /** The model's replies to this prompt; comes back when the model has received it. */
  prompt(text: string, ...replies: Reply[]): Promise<void>
  submit(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
  /** Picks the first choice of the dialog; waits until the dialog is gone. */
  approve(): Promise<void>
  enterPlanMode(): Promise<void>
  /** Leaves the dialog, which denies and ends the turn. */
  deny(): Promise<void>
  screen(): Promise<string>
  title(): Promise<string>
  waitToSee(pattern: RegExp): Promise<string>
  waitForTitle(pattern: RegExp): Promise<void>
  waitForDialog(): Promise<string>
  waitForComposer(): Promise<void>
  exit(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  isGone(): boolean
}

export type CodexPlaces = {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  server: TmuxServer
  model: ModelServer
  binary: string
}

export type CodexHome = {
  sharedDaemon?: boolean
  isTrusted?: boolean
  /** How often a failed request is tried again. */
  retries?: number
}

/** The title while it works begins with a spinner. */
export const WORKING_TITLE = /^[\u2801-\u28ff] /
export const ASKING_TITLE = /Action Required/
export const IDLE_TITLE = /^(?![\u2801-\u28ff] )(?!.*Action Required).+/

const COMPOSER = /^› .*\n(?:.*\n)*? {2}\S.* · /m
/** Its keys are at the very bottom, where the composer has other things. */
const DIALOG_KEYS = /\benter (?:to )?\w+/i

/** What keeps it from asking anything at its start, and from talking to anybody but the model. */
export function writeCodexHome(
  { home, dir, model }: Pick<CodexPlaces, 'home' | 'dir' | 'model'>,
  { sharedDaemon = false, isTrusted = true, retries = 0 }: CodexHome = {},
): void {
  const projects = join(dir, 'projects')
  mkdirSync(projects, { recursive: true })
  mkdirSync(join(home, '.codex'), { recursive: true })
  const trusted = [projects, ...readdirSync(projects).map((name) => join(projects, name))]
  const config = [
    'model = "stub-model"',
    'model_provider = "stub"',
    'check_for_update_on_startup = false',
    'approval_policy = "on-request"',
    'sandbox_mode = "workspace-write"',
    '',
    // The directory of a test is in /tmp.
    '[sandbox_workspace_write]',
    'exclude_slash_tmp = true',
    'exclude_tmpdir_env_var = true',
    '',
    '[analytics]',
    'enabled = false',
    '',
    '[features]',
    `daemon_auto_start = ${sharedDaemon}`,
    '',
    '[model_providers.stub]',
    'name = "stub"',
    `base_url = "${model.url}/v1"`,
    'wire_api = "responses"',
    'env_key = "STUB_KEY"',
    `request_max_retries = ${retries}`,
    `stream_max_retries = ${retries}`,
    '',
    ...(isTrusted ? trusted : []).flatMap((path) => [
      `[projects."${path}"]`,
      'trust_level = "trusted"',
      '',
    ]),
  ]
  writeFileSync(join(home, '.codex', 'config.toml'), config.join('\n'))
}

export function codexEnv({ home, env }: Pick<CodexPlaces, 'home' | 'env'>) {
  return {
    HOME: home,
    PATH: env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    TRAILBOSS_HOME: env['TRAILBOSS_HOME'] ?? '',
    STUB_KEY: 'fake-key-for-a-scripted-model',
  }
}

export async function startCodex(
  name: string,
  places: CodexPlaces,
  options: CodexOptions = {},
): Promise<CodexAgent> {
  const { server, model, dir } = places
  const cwd = options.cwd ?? join(dir, 'projects', name)
  mkdirSync(cwd, { recursive: true })
  const launch = writeLauncher(name, cwd, places, options)
  const id = options.inPane?.id ?? (await openShell(server, name, cwd))
  if (options.size && !options.inPane) {
    const { width, height } = options.size
    await server.run('resize-window', '-t', id, '-x', String(width), '-y', String(height))
  }
  rmSync(launch.pidFile, { force: true })
  await type(`sh ${launch.script}`)
  await server.run('send-keys', '-t', id, 'Enter')
  const pid = await waitFor(() => Number(readFileSync(launch.pidFile, 'utf8')), {
    what: `Codex to start in pane ${id}`,
  })

  async function type(text: string): Promise<void> {
    await server.run('send-keys', '-t', id, '-l', '--', text)
  }
  const screen = () => server.run('capture-pane', '-p', '-t', id)
  const title = () => server.run('display-message', '-p', '-t', id, '#{pane_title}')
  const see = (what: string, until: (shown: string) => boolean) =>
    waitFor(screen, { what, until, timeoutMs: 30_000 })
  const ended = () => waitFor(() => !isAlive(pid), { what: `${name} (${pid}) to be gone` })

  const agent: CodexAgent = {
    name,
    pane: { socket: server.socket, id },
    cwd,
    pid,
    prompt: async (text, ...replies) => {
      model.plan(text, ...replies)
      const before = model.requestsFor(text).length
      await agent.submit(text)
      await model.waitForRequest(text, before + 1)
    },
    // What is typed and sent within one moment is taken for a paste, and stays in the composer.
    submit: async (text) => {
      await type(text)
      await see(`${name} to show what was typed`, (shown) =>
        composerOf(shown).includes(text.slice(-40)),
      )
      await pressUntil('Enter', (shown) => !composerOf(shown).includes(text.slice(-40)))
    },
    press: async (...keys) => {
      await server.run('send-keys', '-t', id, ...keys)
    },
    approve: async () => {
      await agent.waitForDialog()
      await pressUntil('Enter', (shown) => !isDialog(shown))
    },
    // Pressed once more it would leave it again.
    enterPlanMode: () => pressUntil('BTab', (shown) => /Plan mode/.test(shown), 3_000),
    deny: async () => {
      await agent.waitForDialog()
      await pressUntil('Escape', (shown) => !isDialog(shown))
    },
    screen,
    title,
    waitToSee: (pattern) => see(`${name} to show ${pattern}`, (shown) => pattern.test(shown)),
    waitForTitle: async (pattern) => {
      const what = `${name} to have the title ${pattern}`
      await waitFor(title, { what, until: (shown) => pattern.test(shown), timeoutMs: 30_000 })
    },
    waitForDialog: () => see(`${name} to show a dialog`, (shown) => isDialog(shown)),
    waitForComposer: async () => {
      await see(`${name} to show its composer`, (shown) => COMPOSER.test(shown))
      await agent.waitForTitle(IDLE_TITLE)
    },
    exit: async () => {
      await agent.submit('/quit')
      await ended()
    },
    kill: async (signal) => {
      process.kill(pid, signal)
      await ended()
    },
    isGone: () => !isAlive(pid),
    [Symbol.asyncDispose]: async () => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await ended()
      await server.try('kill-pane', '-t', id)
    },
  }

  const pressUntil = async (
    key: string,
    isTaken: (shown: string) => boolean,
    againAfterMs = 700,
  ): Promise<void> => {
    let pressedAt = 0
    await see(`${name} to take the key ${key}`, (shown) => {
      if (pressedAt > 0 && isTaken(shown)) return true
      if (Date.now() - pressedAt > againAfterMs) {
        pressedAt = Date.now()
        void agent.press(key)
      }
      return false
    })
  }

  if (options.waitsForComposer !== false) await agent.waitForComposer()
  return agent
}

function isDialog(screen: string): boolean {
  return DIALOG_KEYS.test(screen.trimEnd().split('\n').at(-1) ?? '')
}

/** What is under the last prompt: the draft and the lines below it. */
function composerOf(screen: string): string {
  const lines = screen.split('\n')
  return lines.slice(lines.findLastIndex((line) => /^›(?: |$)/.test(line))).join('\n')
}

function writeLauncher(
  name: string,
  cwd: string,
  places: CodexPlaces,
  options: CodexOptions,
): { script: string; pidFile: string } {
  const base = join(places.dir, 'real', name)
  mkdirSync(base, { recursive: true })
  const pidFile = join(base, 'pid')
  const set = Object.entries(codexEnv(places)).map(([key, value]) => `${key}=${quote(value)}`)
  const lines = [
    `cd ${quote(cwd)} || exit`,
    `echo $$ >${quote(pidFile)}`,
    // What an earlier one has left there would be taken for this one's.
    `printf '\\033[2J\\033[H\\033]2;\\007'`,
    `exec env -i TERM="$TERM" TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" \\`,
    `  ${set.join(' ')} \\`,
    `  ${[places.binary, ...(options.args ?? [])].map(quote).join(' ')}`,
  ]
  const inner = join(base, 'codex')
  writeFileSync(inner, `${lines.join('\n')}\n`)
  // Under a shell of its own: the one of the pane would come back when Codex is stopped.
  const script = join(base, 'run')
  writeFileSync(script, `sh ${quote(inner)}\n:\n`)
  return { script, pidFile }
}

async function openShell(server: TmuxServer, name: string, cwd: string): Promise<string> {
  const id = await server.run(
    ...['new-window', '-d', '-t', '=work:', '-n', name, '-c', cwd],
    ...['-P', '-F', '#{pane_id}', 'exec sh'],
  )
  await waitFor(() => server.run('capture-pane', '-p', '-t', id), {
    what: `a shell in pane ${id}`,
    until: (shown) => shown.trim() !== '',
  })
  return id
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
