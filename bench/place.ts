import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { http } from '../test/support/http.ts'
import { isAlive, processesWith } from '../test/support/processes.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../test/support/tmux-server.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { ControlClient } from './control-client.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const TRAILBOSS = join(ROOT, 'bin', 'trailboss')
export const EMITTER = join(ROOT, 'bin', 'trailboss-emit')

export type Daemon = { pid: number; stop(): Promise<void> }

/** The operator's terminal: a pane of an outer tmux that runs a client of the inner one. */
export type Terminal = {
  /** Sees every byte that is drawn, and presses keys. */
  outer: ControlClient
  /** The inner client's name. */
  client: string
}

/** Everything is in one temporary directory, with its own tmux server; nothing outlives it. */
export type Place = AsyncDisposable & {
  dir: string
  /** `TRAILBOSS_HOME`. */
  state: string
  /** The daemon's socket. */
  socket: string
  env: NodeJS.ProcessEnv
  tmux: TmuxServer
  /** A control client of the inner server that gets no output and has no size. */
  control: ControlClient
  /** Starts the built product as its own process and resolves once it answers; polls every `pollMs`. */
  up(pollMs?: number): Promise<Daemon>
  seat(): Promise<Terminal>
}

/** `pathFirst`: a directory inside it that comes first in PATH. */
export async function createPlace(options: { pathFirst?: string } = {}): Promise<Place> {
  // Avoids a long TMPDIR: the path of a unix socket is limited to about 100 bytes.
  const dir = mkdtempSync(join(tmpdir().length < 40 ? tmpdir() : '/tmp', 'tb-bench-'))
  const home = join(dir, 'home')
  const state = join(dir, 'tb')
  mkdirSync(home)
  mkdirSync(state, { mode: 0o700 })
  // For comparing settings: BENCH_CONFIG='{"notify":…}' npm run bench idle ingest
  const config = process.env['BENCH_CONFIG']
  if (config) writeFileSync(join(state, 'config.json'), config)
  const env = cleanEnv({ dir, home, state, pathFirst: options.pathFirst })
  const socket = join(state, 'trailboss.sock')
  const start = (name: string, session: string, shellCommand: string) =>
    startTmuxServer({ socket: join(dir, name), env, session, shellCommand, cwd: home })
  const tmux = await start('t1', 'work', 'exec cat')
  const control = new ControlClient(tmux.socket, 'work', { env, flags: 'no-output,ignore-size' })
  const servers = [tmux]
  const controls = [control]
  const daemons: Daemon[] = []

  const place: Place = {
    dir,
    state,
    socket,
    env,
    tmux,
    control,
    up: async (pollMs = 30) => {
      const daemon = startDaemon(env, dir)
      daemons.push(daemon)
      await answering(socket, pollMs)
      return daemon
    },
    seat: async () => {
      const attach = `unset TMUX TMUX_PANE; exec ${TMUX} -S ${tmux.socket} attach-session -t work`
      const terminal = await start('t0', 'terminal', attach)
      servers.push(terminal)
      await terminal.run('set-option', '-g', 'status', 'off')
      const client = await terminal.run('display-message', '-p', '-t', 'terminal:', '#{pane_tty}')
      await waitFor(() => tmux.run('list-clients', '-F', '#{client_name}'), {
        what: "the operator's client to be attached",
        until: (names) => names.split('\n').includes(client),
      })
      const outer = new ControlClient(terminal.socket, 'terminal', { env, flags: 'ignore-size' })
      controls.push(outer)
      return { outer, client }
    },
    [Symbol.asyncDispose]: async () => {
      open.delete(place)
      for (const daemon of daemons) await daemon.stop()
      for (const client of controls) client[Symbol.dispose]()
      for (const server of servers.toReversed()) await server.stop()
      try {
        await verifyNothingIsLeft(state)
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }
  open.add(place)
  return place
}

/** For cleaning up when the bench is interrupted. */
const open = new Set<Place>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.allSettled([...open].map((place) => place[Symbol.asyncDispose]()))
    process.exit(1)
  })
}

function startDaemon(env: NodeJS.ProcessEnv, dir: string): Daemon {
  const output = openSync(join(dir, 'daemon.out'), 'a')
  const child = spawn(TRAILBOSS, ['up', '--foreground'], {
    env,
    stdio: ['ignore', output, output],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${TRAILBOSS} could not be started`)
  return {
    pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await waitFor(() => !isAlive(pid), { what: `the daemon (${pid}) to be gone` }).catch(
        (error: unknown) => {
          child.kill('SIGKILL')
          throw error
        },
      )
    },
  }
}

async function answering(socket: string, pollMs: number): Promise<void> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    const answer = await http({ socket }, '/healthz').catch(() => undefined)
    if (answer?.status === 200) return
    await delay(pollMs)
  }
  throw new Error('the daemon did not answer within 30 s')
}

/** Inherits nothing from the surrounding shell: no `TMUX`, no `TRAILBOSS_*`, no `CLAUDE_*`. */
function cleanEnv(places: {
  dir: string
  home: string
  state: string
  pathFirst: string | undefined
}): NodeJS.ProcessEnv {
  const { dir, home, state, pathFirst } = places
  const first = pathFirst === undefined ? [] : [join(dir, pathFirst)]
  return {
    PATH: [...first, dirname(process.execPath), process.env['PATH']].join(':'),
    HOME: home,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: dir,
    TRAILBOSS_HOME: state,
    TRAILBOSS_PORT: '0',
    TRAILBOSS_TMUX_SOCKET: join(dir, 't1'),
  }
}

async function verifyNothingIsLeft(state: string): Promise<void> {
  const left = () => processesWith('TRAILBOSS_HOME', state)
  await waitFor(left, {
    what: 'every process of this bench to end',
    until: (processes) => processes.length === 0,
    // A busy machine needs time to end a thousand panes.
    timeoutMs: 60_000,
  }).catch((error: unknown) => {
    for (const { pid } of left()) process.kill(pid, 'SIGKILL')
    throw error
  })
}
