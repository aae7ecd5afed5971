import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { command, type Result } from './command.ts'
import { TRAILBOSS } from './hooks-home.ts'
import { startTmuxServer, TMUX, type TmuxServer } from './tmux-server.ts'

/** A user's home and tmux servers, for the keys to be installed in. */
export type TmuxHome = AsyncDisposable & {
  dir: string
  home: string
  env: NodeJS.ProcessEnv
  /** `TRAILBOSS_HOME`, which is not made yet. */
  state: string
  trailboss(...args: string[]): Promise<Result>
  /** A file in the home: the configuration of tmux, unless told otherwise. */
  conf(name?: string): string
  /** The server under test, without a configuration of its own. */
  startServer(name?: string): Promise<TmuxServer>
  /** One that shows what a client of the server sees. */
  startTerminal(server: TmuxServer): Promise<TmuxServer>
  /** What a tmux that reads the user's files by itself has bound after the prefix. */
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
  return {
    dir,
    home,
    env,
    state,
    trailboss: (...args) => command(TRAILBOSS, args, { env, cwd: home }),
    conf: (name = '.tmux.conf') => join(home, name),
    startServer: (name = 'server') => start(name, 'work', 'exec sh'),
    startTerminal: ({ socket }) =>
      start('outer', 'terminal', `unset TMUX; exec ${TMUX} -S ${socket} attach-session -t work`),
    async keysOfFreshTmux() {
      const socket = join(dir, 'fresh')
      const run = (...args: string[]) => command(TMUX, ['-S', socket, ...args], { env, cwd: home })
      await run('new-session', '-d', 'exec sh')
      try {
        return (await run('list-keys', '-T', 'prefix')).stdout
      } finally {
        await run('kill-server')
      }
    },
    async [Symbol.asyncDispose]() {
      for (const server of started) await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The line of `list-keys` that binds this key after the prefix. */
export function boundTo(keys: string, key: string): string {
  return keys.split('\n').find((line) => new RegExp(`-T prefix +${key} `).test(line)) ?? ''
}
