import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaneRef } from '../../../src/core/event.ts'
import { isAlive } from '../../support/processes.ts'
import type { TmuxServer } from '../../support/tmux-server.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { ModelServer } from './model-server.ts'
import type { Reply } from './reply.ts'

export type GeminiOptions = {
  args?: string[]
  cwd?: string
  /** Without a shell under it. */
  isPaneItself?: boolean
  /** Starts from the shell of this pane, after the program that ran there has ended. */
  inPane?: PaneRef
  /** False: comes back as soon as the program runs. */
  waitsForComposer?: boolean
  env?: Record<string, string>
  /** Of the window; the server's own by default. */
  size?: { width: number; height: number }
}

/** The real Gemini CLI in a pane, with a shell under it. */
export type GeminiAgent = AsyncDisposable & {
  name: string
  pane: PaneRef
  cwd: string
  pid: number
  /** The model's replies to this prompt; comes back when the model has received it. */
  prompt(text: string, ...replies: Reply[]): Promise<void>
  submit(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
  /** Picks the marked choice of a dialog, which approves; waits until the dialog is gone. */
  approve(): Promise<void>
  /** The choice that begins with "No". */
  deny(): Promise<void>
  screen(): Promise<string>
  title(): Promise<string>
  waitToSee(pattern: RegExp): Promise<string>
  waitForTitle(pattern: RegExp): Promise<void>
  waitForComposer(): Promise<void>
  /** The same after a folder was trusted: it may show its composer, and then start once more. */
  waitForSteadyComposer(): Promise<void>
  exit(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  /** To all of its processes but the one that the shell waits for. */
  signal(signal: NodeJS.Signals): Promise<void>
  isGone(): boolean
}

export type GeminiPlaces = {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  server: TmuxServer
  model: ModelServer
  binary: string
}

/** In its box: what the agent writes may look the same. */
const CHOICE = /^ ?│\s+● \d+\. /m
const COMPOSER = /^─{20,}[\s\S]*^▄{20,}\n [>!*] {3}Type your message/m

const STEADY_MS = 4_000
/** A second Enter on the dialog about trust would be taken for another answer. */
const AGAIN_MS = 8_000

/** What keeps it from asking anything at its start, and from talking to anybody but the model. */
export function writeGeminiHome(home: string, isTrusted = true): void {
  const settings = {
    security: {
      auth: { selectedType: 'gemini-api-key' },
      folderTrust: { enabled: !isTrusted },
    },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ui: { hideTips: true },
  }
  mkdirSync(join(home, '.gemini'), { recursive: true })
  writeFileSync(join(home, '.gemini', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`)
}

export function geminiEnv({ home, env, model }: Pick<GeminiPlaces, 'home' | 'env' | 'model'>) {
  return {
    HOME: home,
    PATH: env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    TRAILBOSS_HOME: env['TRAILBOSS_HOME'] ?? '',
    GEMINI_API_KEY: 'fake-key-for-a-scripted-model',
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_TELEMETRY_ENABLED: 'false',
  }
}

/** A model that needs no other request to be chosen. */
export const MODEL_ARGS = ['--model', 'gemini-2.5-flash']

export async function startGemini(
  name: string,
  places: GeminiPlaces,
  options: GeminiOptions = {},
): Promise<GeminiAgent> {
  const { server, model, dir } = places
  const cwd = options.cwd ?? join(dir, 'projects', name)
  mkdirSync(cwd, { recursive: true })
  const launch = writeLauncher(name, cwd, places, options)
  rmSync(launch.pidFile, { force: true })
  const shellCommand = options.isPaneItself ? `exec sh ${launch.script}` : 'exec sh'
  const id = options.inPane?.id ?? (await openPane(server, name, cwd, shellCommand))
  if (options.size && !options.inPane) {
    const { width, height } = options.size
    await server.run('resize-window', '-t', id, '-x', String(width), '-y', String(height))
  }
  if (!options.isPaneItself) {
    await type(`sh ${launch.script}`)
    await server.run('send-keys', '-t', id, 'Enter')
  }
  const pid = await waitFor(() => Number(readFileSync(launch.pidFile, 'utf8')), {
    what: `Gemini CLI to start in pane ${id}`,
  })

  async function type(text: string): Promise<void> {
    await server.run('send-keys', '-t', id, '-l', '--', text)
  }
  const screen = () => server.run('capture-pane', '-p', '-t', id)
  const title = () => server.run('display-message', '-p', '-t', id, '#{pane_title}')
  const see = (what: string, until: (shown: string) => boolean) =>
    waitFor(screen, { what, until, timeoutMs: 30_000 })
  const ended = () => waitFor(() => !isAlive(pid), { what: `${name} (${pid}) to be gone` })

  const agent: GeminiAgent = {
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
    submit: async (text) => {
      // While it starts, what is typed may be lost.
      let typedAt = 0
      await see(`${name} to show what was typed`, (shown) => {
        if (composerOf(shown).includes(text.slice(-30))) return true
        if (Date.now() - typedAt > 4_000) {
          typedAt = Date.now()
          void agent.press('C-u').then(() => type(text))
        }
        return false
      })
      await pressUntil(
        'Enter',
        (shown) => !new RegExp(`^ [>!*] .*${escaped(text)}`, 'm').test(composerOf(shown)),
      )
    },
    press: async (...keys) => {
      await server.run('send-keys', '-t', id, ...keys)
    },
    approve: () => choose('Enter', 0),
    deny: () => choose('Enter', -1),
    screen,
    title,
    waitToSee: (pattern) => see(`${name} to show ${pattern}`, (shown) => pattern.test(shown)),
    waitForTitle: async (pattern) => {
      const what = `${name} to have the title ${pattern}`
      const look = async () => ({ title: await title(), screen: await screen() })
      const until = (shown: { title: string }) => pattern.test(shown.title)
      await waitFor(look, { what, until, timeoutMs: 30_000 })
    },
    waitForComposer: async () => {
      await see(`${name} to show its composer`, (shown) => COMPOSER.test(shown))
      await agent.waitForTitle(/^◇ /)
    },
    waitForSteadyComposer: async () => {
      let since = Number.POSITIVE_INFINITY
      await see(`${name} to keep its composer`, (shown) => {
        if (!COMPOSER.test(shown)) since = Number.POSITIVE_INFINITY
        else since = Math.min(since, Date.now())
        return Date.now() - since > STEADY_MS
      })
    },
    exit: async () => {
      await agent.submit('/quit')
      await ended()
    },
    kill: async (signal) => {
      await agent.signal(signal)
      if (isAlive(pid)) process.kill(pid, signal)
      await ended()
    },
    signal: async (signal) => {
      for (const one of childrenOf(pid)) if (isAlive(one)) process.kill(one, signal)
    },
    isGone: () => !isAlive(pid),
    [Symbol.asyncDispose]: async () => {
      for (const one of [...childrenOf(pid), pid]) if (isAlive(one)) process.kill(one, 'SIGKILL')
      await ended()
      await server.try('kill-pane', '-t', id)
    },
  }

  const pressUntil = async (key: string, isTaken: (shown: string) => boolean): Promise<void> => {
    let pressedAt = 0
    await see(`${name} to take the key ${key}`, (shown) => {
      if (pressedAt > 0 && isTaken(shown)) return true
      if (Date.now() - pressedAt > AGAIN_MS) {
        pressedAt = Date.now()
        void agent.press(key)
      }
      return false
    })
  }

  const choose = async (key: string, index: number): Promise<void> => {
    const shown = await agent.waitToSee(CHOICE)
    // An answered one may still be on a tall screen.
    const box = shown.slice(shown.lastIndexOf('╭'))
    const count = box.match(/^ ?│ [●\s]+\d+\. /gm)?.length ?? 1
    const steps = index < 0 ? count - 1 : index
    for (let step = 0; step < steps; step++) await agent.press('Down')
    await agent.waitToSee(new RegExp(`^ ?│\\s+● ${steps + 1}\\. `, 'm'))
    await pressUntil(key, (now) => !now.trimEnd().endsWith('╯'))
  }

  if (options.waitsForComposer !== false) await agent.waitForComposer()
  return agent
}

/** What is under the last rule. */
function composerOf(screen: string): string {
  const lines = screen.split('\n')
  return lines.slice(lines.findLastIndex((line) => /^─{20,}$/.test(line)) + 1).join('\n')
}

function escaped(text: string): string {
  return text.slice(0, 20).replaceAll(/[^\w ]/g, '.')
}

function childrenOf(pid: number): number[] {
  try {
    const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    const direct = children.trim().split('\n').filter(Boolean).map(Number)
    return [...direct.flatMap(childrenOf), ...direct]
  } catch {
    return []
  }
}

function writeLauncher(
  name: string,
  cwd: string,
  places: GeminiPlaces,
  options: GeminiOptions,
): { script: string; pidFile: string } {
  const base = join(places.dir, 'real', name)
  mkdirSync(base, { recursive: true })
  const pidFile = join(base, 'pid')
  const env = { ...geminiEnv(places), ...options.env }
  const set = Object.entries(env).map(([key, value]) => `${key}=${quote(value)}`)
  const args = ['node', places.binary, ...MODEL_ARGS, ...(options.args ?? [])]
  const lines = [
    `cd ${quote(cwd)} || exit`,
    `echo $$ >${quote(pidFile)}`,
    // What an earlier one has left there would be taken for this one's.
    `printf '\\033[2J\\033[H\\033]2;\\007'`,
    `exec env -i TERM="$TERM" TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" \\`,
    `  ${set.join(' ')} \\`,
    `  ${args.map(quote).join(' ')}`,
  ]
  const script = join(base, 'run')
  writeFileSync(script, `${lines.join('\n')}\n`)
  return { script, pidFile }
}

async function openPane(
  server: TmuxServer,
  name: string,
  cwd: string,
  shellCommand: string,
): Promise<string> {
  const id = await server.run(
    ...['new-window', '-d', '-t', '=work:', '-n', name, '-c', cwd],
    ...['-P', '-F', '#{pane_id}', shellCommand],
  )
  await waitFor(() => server.run('capture-pane', '-p', '-t', id), {
    what: `something in pane ${id}`,
    until: (shown) => shown.trim() !== '',
    timeoutMs: 30_000,
  })
  return id
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
