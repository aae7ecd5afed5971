import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { command, type Result } from '../command.ts'
import { isAlive, processesWith } from '../processes.ts'
import { SCREEN, startTmuxServer, TMUX, type TmuxServer } from '../tmux-server.ts'
import { waitFor } from '../wait-for.ts'
import { TRAILBOSS } from './hooks-home.ts'

/** A user's home and tmux servers, in which to install the keys. */
export type TmuxHome = AsyncDisposable & {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  /** `TRAILBOSS_HOME`, which does not exist yet. */
  state: string
  trailboss(...args: string[]): Promise<Result>
  /** A file in the home, by default tmux's configuration. */
  conf(name?: string): string
  /** The server under test, without a configuration of its own. */
  startServer(name?: string): Promise<TmuxServer>
  /** A server that shows what a client of the given server sees. */
  startTerminal(server: TmuxServer, columns?: number): Promise<TmuxServer>
  /** A server that reads the user's files by itself, as the user would start it. */
  startUsersTmux(name?: string): Promise<TmuxServer>
  /** What such a tmux has bound after the prefix. */
  keysOfFreshTmux(): Promise<string>
}

export function createTmuxHome(): TmuxHome {
  const dir = mkdtempSync(join('/tmp', 'tb-install-'))
  const home = join(dir, 'home')
  const state = join(dir, 'state of [it]')
  mkdirSync(home)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: home,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    TMUX_TMPDIR: dir,
    TRAILBOSS_HOME: state,
    TRAILBOSS_PORT: '0',
    TRAILBOSS_TMUX_SOCKET: join(dir, 'server'),
  }
  const started: TmuxServer[] = []
  const start = async (name: string, session: string, shellCommand: string) => {
    const socket = join(dir, name)
    const server = await startTmuxServer({ socket, env, session, shellCommand, cwd: home })
    started.push(server)
    return server
  }
  const startUsersTmux = async (name = 'users') => {
    const socket = join(dir, name)
    const attempt = (...args: string[]) =>
      command(TMUX, ['-S', socket, ...args], { env, cwd: home })
    const run = async (...args: string[]) => (await attempt(...args)).stdout.replace(/\n$/, '')
    await run('new-session', '-d', '-s', 'work', '-x', '80', '-y', '24', 'exec sh')
    const pid = Number(await run('display-message', '-p', '#{pid}'))
    const stop = async () => {
      await attempt('kill-server')
      await waitFor(() => !isAlive(pid), { what: 'the tmux server to be gone' })
    }
    const server = { socket, pid, run, try: attempt, stop }
    started.push(server)
    return server
  }
  return {
    dir,
    home,
    env,
    state,
    trailboss: (...args) => command(TRAILBOSS, args, { env, cwd: home }),
    conf: (name = '.tmux.conf') => join(home, name),
    startServer: (name = 'server') => start(name, 'work', 'exec sh'),
    async startTerminal({ socket }, columns) {
      const attach = `unset TMUX; exec ${TMUX} -S ${socket} attach-session -t work`
      const terminal = await start('outer', 'terminal', attach)
      const size = ['-x', String(columns ?? SCREEN.width), '-y', '24']
      if (columns) await terminal.run('resize-window', '-t', 'terminal:', ...size)
      return terminal
    },
    startUsersTmux,
    async keysOfFreshTmux() {
      const server = await startUsersTmux(`fresh-${started.length}`)
      try {
        return await server.run('list-keys', '-T', 'prefix')
      } finally {
        await server.stop()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const server of started) await server.stop()
      await endAll(state)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A tmux that reads our keys starts the daemon, which may still be in progress. */
async function endAll(state: string): Promise<void> {
  const left = () => processesWith('TRAILBOSS_HOME', state).filter(({ pid }) => isAlive(pid))
  await waitFor(
    () => {
      for (const { pid } of left()) process.kill(pid, 'SIGKILL')
      return left()
    },
    { what: 'everything that tmux has started to end', until: (all) => all.length === 0 },
  )
}

/** The line of `list-keys` that binds this key after the prefix. */
export function boundTo(keys: string, key: string): string {
  return keys.split('\n').find((line) => new RegExp(`-T prefix +${key} `).test(line)) ?? ''
}
