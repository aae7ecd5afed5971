import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PaneRef } from '../../../../src/core/pane.ts'
import { isAlive } from '../../../support/processes.ts'
import type { TmuxServer } from '../../../support/tmux-server.ts'
import { actUntil, waitFor } from '../../../support/wait-for.ts'
import type { ModelServer } from '../model/model-server.ts'
import type { Reply } from '../model/reply.ts'

export type PaneProgramOptions = {
  args?: string[]
  cwd?: string
  /** Starts from the shell of this pane, after the program that ran there has ended. */
  inPane?: PaneRef
  /** Without a shell under it. */
  isPaneItself?: boolean
  /** False: comes back as soon as the program runs. */
  waitsForComposer?: boolean
  env?: Record<string, string>
  /** Of the window; the server's own by default. */
  size?: { width: number; height: number }
}

/** A real program in a pane, with a shell under it, as whoever sits in front of it has it. */
export type PaneProgram = AsyncDisposable & {
  name: string
  pane: PaneRef
  cwd: string
  pid: number
  type(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
  /**
   * Clears the composer and types it, again as long as the screen does not show it: while a program starts or
   * draws, keys may be lost, and what was interrupted may stand in the composer again.
   */
  draft(text: string, isTyped: (screen: string) => boolean): Promise<void>
  /** Presses it again as long as the screen does not show that it was taken. */
  pressUntil(key: string, isTaken: (screen: string) => boolean, againMs?: number): Promise<void>
  /** When a key was last pressed; of one that was pressed again, the first time. */
  pressedAt(): number
  screen(): Promise<string>
  title(): Promise<string>
  see(what: string, until: (screen: string) => boolean): Promise<string>
  waitToSee(pattern: RegExp): Promise<string>
  waitForTitle(pattern: RegExp): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  isGone(): boolean
  ended(): Promise<void>
}

/** What the tests of every harness do with it. */
export type PromptedProgram = PaneProgram & {
  /** The model's replies to this prompt; comes back when the model has received it. */
  prompt(text: string, ...replies: Reply[]): Promise<void>
  submit(text: string): Promise<void>
  /** Picks the first choice of the dialog, which approves; waits until the dialog is gone. */
  approve(): Promise<void>
  /** Says no to the dialog. */
  deny(): Promise<void>
  exit(): Promise<void>
}

export type ProgramPlaces = {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  server: TmuxServer
  model: ModelServer
  binary: string
}

export type Command = {
  title: string
  argv: string[]
  env: Record<string, string>
  /** It is not the shell's own job: the shell does not come back when it is stopped. */
  isWrapped: boolean
}

/** On a busy machine the start of some takes more than a minute. */
const PATIENT_MS = 150_000

/** What an earlier program of the same pane has left there would be taken for this one's. */
export const CLEAR_SCREEN = `printf '\\033[2J\\033[H\\033]2;\\007'`

/** In a clean environment, with nothing on the screen that an earlier program left there. */
export async function startInPane(
  name: string,
  { server, dir }: ProgramPlaces,
  { title: called, argv, env, isWrapped }: Command,
  options: PaneProgramOptions,
): Promise<PaneProgram> {
  const cwd = options.cwd ?? join(dir, 'projects', name)
  mkdirSync(cwd, { recursive: true })
  const before = [CLEAR_SCREEN]
  const launch = writeLaunchScript(join(dir, 'real', name), { cwd, env, argv, before })
  rmSync(launch.pidFile, { force: true })
  const shellCommand = options.isPaneItself ? `exec sh ${launch.script}` : 'exec sh'
  const id = options.inPane?.id ?? (await openPane(server, name, cwd, shellCommand))
  if (options.size && !options.inPane) {
    const { width, height } = options.size
    await server.run('resize-window', '-t', id, '-x', String(width), '-y', String(height))
  }
  const type = async (text: string) => {
    await server.run('send-keys', '-t', id, '-l', '--', text)
  }
  if (!options.isPaneItself) {
    await type(isWrapped ? `sh -c 'sh ${launch.script}; :'` : `sh ${launch.script}`)
    await server.run('send-keys', '-t', id, 'Enter')
  }
  const pid = await waitFor(() => Number(readFileSync(launch.pidFile, 'utf8')), {
    what: `${called} to start in pane ${id}`,
    timeoutMs: PATIENT_MS,
  })

  const screen = () => server.run('capture-pane', '-p', '-t', id)
  const title = () => server.run('display-message', '-p', '-t', id, '#{pane_title}')
  const see = (what: string, until: (shown: string) => boolean) =>
    waitFor(screen, { what, until, timeoutMs: PATIENT_MS })
  const ended = async () => {
    await waitFor(() => !isAlive(pid), { what: `${name} (${pid}) to be gone` })
  }
  let pressedAt = 0
  const press = async (...keys: string[]) => {
    pressedAt = Date.now()
    await server.run('send-keys', '-t', id, ...keys)
  }

  return {
    name,
    pane: { socket: server.socket, id },
    cwd,
    pid,
    type,
    press,
    draft: async (text, isTyped) => {
      const retype = async () => {
        await press('C-u')
        await type(text)
      }
      const what = `${name} to show what was typed`
      await actUntil(retype, async () => isTyped(await screen()), { what, timeoutMs: PATIENT_MS })
    },
    pressUntil: async (key, isTaken, againMs) => {
      const firstAt = Date.now()
      const wait = { what: `${name} to take the key ${key}`, againMs, timeoutMs: PATIENT_MS }
      await actUntil(
        () => press(key),
        async () => isTaken(await screen()),
        wait,
      )
      pressedAt = firstAt
    },
    pressedAt: () => pressedAt,
    screen,
    title,
    see,
    waitToSee: (pattern) => see(`${name} to show ${pattern}`, (shown) => pattern.test(shown)),
    waitForTitle: async (pattern) => {
      const what = `${name} to have the title ${pattern}`
      const look = async () => ({ title: await title(), screen: await screen() })
      const until = (shown: { title: string }) => pattern.test(shown.title)
      await waitFor(look, { what, until, timeoutMs: PATIENT_MS })
    },
    kill: async (signal) => {
      process.kill(pid, signal)
      await ended()
    },
    isGone: () => !isAlive(pid),
    ended,
    [Symbol.asyncDispose]: async () => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await ended()
      await server.try('kill-pane', '-t', id)
    },
  }
}

/** Gives the model its replies, then the program its prompt. */
export function prompting(model: ModelServer, submit: (text: string) => Promise<void>) {
  return async (text: string, ...replies: Reply[]): Promise<void> => {
    model.plan(text, ...replies)
    const before = model.requestsFor(text).length
    await submit(text)
    await waitFor(() => model.requestsFor(text).length, {
      what: `the model to receive "${text}"`,
      until: (count) => count > before,
      timeoutMs: PATIENT_MS,
    })
  }
}

export type LaunchScript = { script: string; pidFile: string }

/** `exec`, so that the program itself is the shell's job, as when its name had been typed. */
export function writeLaunchScript(
  base: string,
  {
    cwd,
    env,
    argv,
    before = [],
  }: { cwd: string; env: Record<string, string>; argv: string[]; before?: string[] },
): LaunchScript {
  mkdirSync(base, { recursive: true })
  const pidFile = join(base, 'pid')
  const set = Object.entries(env).map(([key, value]) => `${key}=${quote(value)}`)
  const lines = [
    `cd ${quote(cwd)} || exit`,
    `echo $$ >${quote(pidFile)}`,
    ...before,
    `exec env -i TERM="$TERM" TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" \\`,
    `  ${set.join(' ')} \\`,
    `  ${argv.map(quote).join(' ')}`,
  ]
  const script = join(base, 'run')
  writeFileSync(script, `${lines.join('\n')}\n`)
  return { script, pidFile }
}

/** What every program gets, whichever it is. */
export function commonEnv({ home, env }: Pick<ProgramPlaces, 'home' | 'env'>) {
  return {
    HOME: home,
    PATH: env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    TRAILBOSS_HOME: env['TRAILBOSS_HOME'] ?? '',
  }
}

export async function openPane(
  server: TmuxServer,
  name: string,
  cwd: string,
  shellCommand = 'exec sh',
): Promise<string> {
  const id = await server.run(
    ...['new-window', '-d', '-t', '=work:', '-n', name, '-c', cwd],
    ...['-P', '-F', '#{pane_id}', shellCommand],
  )
  await waitFor(() => server.run('capture-pane', '-p', '-t', id), {
    what: `something in pane ${id}`,
    until: (shown) => shown.trim() !== '',
    timeoutMs: PATIENT_MS,
  })
  return id
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
