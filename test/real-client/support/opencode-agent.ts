import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaneRef } from '../../../src/core/event.ts'
import { isAlive } from '../../support/processes.ts'
import type { TmuxServer } from '../../support/tmux-server.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { ModelServer } from './model-server.ts'
import type { Reply } from './reply.ts'

export type OpencodeOptions = {
  args?: string[]
  cwd?: string
  /** Starts from the shell of this pane, after the program that ran there has ended. */
  inPane?: PaneRef
  size?: { width: number; height: number }
  /** False: comes back as soon as the program runs. */
  waitsForComposer?: boolean
}

/** The real opencode in a pane, with a shell under it. */
export type OpencodeAgent = AsyncDisposable & {
  name: string
  pane: PaneRef
  cwd: string
  pid: number
  /** The model's replies to this prompt; comes back when the model has received it. */
  prompt(text: string, ...replies: Reply[]): Promise<void>
  submit(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
  /** Presses it again as long as the screen does not show that it was taken. */
  pressUntil(key: string, isTaken: (screen: string) => boolean): Promise<void>
  /** Picks the marked choice of a dialog, which approves; waits until the dialog is gone. */
  approve(): Promise<void>
  /** Leaves the dialog. */
  deny(): Promise<void>
  /** Esc, twice. */
  interrupt(): Promise<void>
  screen(): Promise<string>
  waitToSee(pattern: RegExp): Promise<string>
  waitForDialog(): Promise<string>
  waitForWork(): Promise<void>
  /** Until nothing runs and there is a place to type. */
  waitForIdle(): Promise<void>
  exit(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  isAlive(): boolean
}

export type OpencodePlaces = {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  server: TmuxServer
  model: ModelServer
  binary: string
}

/** On a busy machine its start alone takes half a minute. */
const PATIENT_MS = 60_000

const COMPOSER = /^\s*╹▀{10,}/m
const DIALOG_KEYS = /^\s*┃.*(?:⇆ \w|↑↓ select|\benter (?:confirm|submit|toggle)|Allow once +Allow)/
const INTERRUPT = /\binterrupt\b|\[retrying /

/** At the bottom: above it may stand anything. */
function isDialog(screen: string): boolean {
  return lastLines(screen, 4).some((line) => DIALOG_KEYS.test(line))
}

function isWorking(screen: string): boolean {
  return lastLines(screen, 1).some((line) => INTERRUPT.test(line))
}

function isIdle(screen: string): boolean {
  return lastLines(screen, 2).some((line) => COMPOSER.test(line)) && !isWorking(screen)
}

function lastLines(screen: string, count: number): string[] {
  return screen.split('\n').filter(Boolean).slice(-count)
}

/**
 * A provider that needs no login, every permission asked for, and what keeps it from fetching
 * anything: as if it had fetched its plugin package already.
 */
export function writeOpencodeHome(home: string, model: { url: string }): void {
  const dir = join(home, '.config', 'opencode')
  mkdirSync(join(dir, 'node_modules'), { recursive: true })
  const write = (name: string, value: unknown) =>
    writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`)
  const fetched = { dependencies: { '@opencode-ai/plugin': '1.18.33' } }
  write('package.json', fetched)
  write('package-lock.json', { lockfileVersion: 3, packages: { '': fetched } })
  const options = { baseURL: `${model.url}/v1`, apiKey: 'fake-key-for-a-scripted-model' }
  const models = { herd: { name: 'Herd', limit: { context: 100_000, output: 4_000 } } }
  write('opencode.json', {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    model: 'stub/herd',
    small_model: 'stub/herd',
    permission: { bash: 'ask', edit: 'ask', webfetch: 'ask' },
    provider: { stub: { npm: '@ai-sdk/openai-compatible', name: 'Stub', options, models } },
  })
}

export function opencodeEnv({ home, env }: Pick<OpencodePlaces, 'home' | 'env'>) {
  return {
    HOME: home,
    PATH: env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    TRAILBOSS_HOME: env['TRAILBOSS_HOME'] ?? '',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }
}

export async function startOpencode(
  name: string,
  places: OpencodePlaces,
  options: OpencodeOptions = {},
): Promise<OpencodeAgent> {
  const { server, model, dir } = places
  const cwd = options.cwd ?? join(dir, 'projects', name)
  mkdirSync(cwd, { recursive: true })
  const launch = writeLauncher(name, cwd, places, options)
  const id = options.inPane?.id ?? (await openShell(server, name, cwd, options.size))
  rmSync(launch.pidFile, { force: true })
  // Two shells: the one that has jobs would tell on the screen that one of them was stopped.
  await type(`sh -c 'sh ${launch.script}; :'`)
  await server.run('send-keys', '-t', id, 'Enter')
  const pid = await waitFor(() => Number(readFileSync(launch.pidFile, 'utf8')), {
    what: `opencode to start in pane ${id}`,
  })

  async function type(text: string): Promise<void> {
    await server.run('send-keys', '-t', id, '-l', '--', text)
  }
  const screen = () => server.run('capture-pane', '-p', '-t', id)
  const see = (what: string, until: (shown: string) => boolean) =>
    waitFor(screen, { what, until, timeoutMs: PATIENT_MS })
  const ended = () => waitFor(() => !isAlive(pid), { what: `${name} (${pid}) to be gone` })

  const agent: OpencodeAgent = {
    name,
    pane: { socket: server.socket, id },
    cwd,
    pid,
    prompt: async (text, ...replies) => {
      model.plan(text, ...replies)
      const before = model.requestsFor(text).length
      await agent.submit(text)
      await waitFor(() => model.requestsFor(text).length, {
        what: `the model to receive "${text}"`,
        until: (count) => count > before,
        timeoutMs: PATIENT_MS,
      })
    },
    submit: async (text) => {
      await type(text)
      const isTyped = (shown: string) => composerOf(shown).includes(text.slice(0, 30))
      await see(`${name} to show what was typed`, isTyped)
      await agent.pressUntil('Enter', (shown) => !isTyped(shown))
    },
    press: async (...keys) => {
      await server.run('send-keys', '-t', id, ...keys)
    },
    pressUntil: async (key, isTaken) => {
      let pressedAt = 0
      await see(`${name} to take the key ${key}`, (shown) => {
        if (isTaken(shown)) return true
        if (Date.now() - pressedAt > 1_500) {
          pressedAt = Date.now()
          void agent.press(key)
        }
        return false
      })
    },
    approve: async () => {
      await agent.waitForDialog()
      await agent.pressUntil('Enter', (shown) => !isDialog(shown))
    },
    deny: async () => {
      await agent.waitForDialog()
      await agent.pressUntil('Escape', (shown) => !isDialog(shown))
    },
    interrupt: async () => {
      await see(`${name} to work`, isWorking)
      await agent.pressUntil('Escape', (shown) =>
        /again to interrupt/.test(lastLines(shown, 1)[0] ?? ''),
      )
      await agent.pressUntil('Escape', isIdle)
    },
    screen,
    waitToSee: (pattern) => see(`${name} to show ${pattern}`, (shown) => pattern.test(shown)),
    waitForDialog: () => see(`${name} to show a dialog`, isDialog),
    waitForWork: async () => {
      await see(`${name} to work`, isWorking)
    },
    waitForIdle: async () => {
      await see(`${name} to be idle`, isIdle)
    },
    exit: async () => {
      await agent.submit('/exit')
      await ended()
    },
    kill: async (signal) => {
      process.kill(pid, signal)
      await ended()
    },
    isAlive: () => isAlive(pid),
    [Symbol.asyncDispose]: async () => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await ended()
      await server.try('kill-pane', '-t', id)
    },
  }

  if (options.waitsForComposer !== false) await agent.waitToSee(COMPOSER)
  return agent
}

/** The lines with a bar at their left that end with the line under the composer. */
function composerOf(screen: string): string {
  const lines = screen.split('\n')
  const end = lines.findLastIndex((line) => COMPOSER.test(line))
  const start = lines.slice(0, end).findLastIndex((line) => !/^\s*┃/.test(line)) + 1
  return lines.slice(start, end).join('\n')
}

function writeLauncher(
  name: string,
  cwd: string,
  places: OpencodePlaces,
  options: OpencodeOptions,
): { script: string; pidFile: string } {
  const base = join(places.dir, 'real', name)
  mkdirSync(base, { recursive: true })
  const pidFile = join(base, 'pid')
  const set = Object.entries(opencodeEnv(places)).map(([key, value]) => `${key}=${quote(value)}`)
  const lines = [
    `cd ${quote(cwd)} || exit`,
    `echo $$ >${quote(pidFile)}`,
    `exec env -i TERM="$TERM" TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" \\`,
    `  ${set.join(' ')} \\`,
    `  ${[places.binary, ...(options.args ?? [])].map(quote).join(' ')}`,
  ]
  const script = join(base, 'run')
  writeFileSync(script, `${lines.join('\n')}\n`)
  return { script, pidFile }
}

async function openShell(
  server: TmuxServer,
  name: string,
  cwd: string,
  size: OpencodeOptions['size'],
): Promise<string> {
  const id = await server.run(
    ...['new-window', '-d', '-t', '=work:', '-n', name, '-c', cwd],
    ...['-P', '-F', '#{pane_id}', 'exec sh'],
  )
  if (size) {
    await server.run('resize-window', '-t', id, '-x', `${size.width}`, '-y', `${size.height}`)
  }
  await waitFor(() => server.run('capture-pane', '-p', '-t', id), {
    what: `a shell in pane ${id}`,
    until: (shown) => shown.trim() !== '',
  })
  return id
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
