import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  QueueItem,
  QueueView,
  SessionsView,
  SessionView,
} from '../../src/contract/responses.ts'
import { type Agent, type AgentOptions, startAgent } from './agent.ts'
import { command, type Result } from './command.ts'
import { type HttpAnswer, type HttpRequest, http } from './http.ts'
import { type Operator, seatOperator } from './operator.ts'
import { isAlive, processesWith } from './processes.ts'
import { createTmuxRecorder } from './tmux/tmux-recorder.ts'
import { startTmuxServer, TMUX, type TmuxServer } from './tmux-server.ts'
import { waitFor } from './wait-for.ts'

export type WorldOptions = {
  config?: Record<string, unknown>
  /** The daemon's TCP port; 0, the default, means none. */
  port?: number
  /** False leaves the daemon down and the keys unbound. */
  up?: boolean
  /** Records every tmux call except the tests' own, for `tmuxCalls`. */
  recordTmux?: boolean
  /** The directory in which the product looks for programs first. */
  pathFirst?: string
}

/** A machine with one operator: everything is in one temporary directory, nothing outside. */
export type World = AsyncDisposable & {
  dir: string
  home: string
  /** `TRAILBOSS_HOME`. */
  state: string
  env: NodeJS.ProcessEnv
  tmux: TmuxServer
  operator: Operator
  secondServer(): Promise<TmuxServer>
  agent(name: string, options?: AgentOptions): Promise<Agent>
  /** The built CLI, run as from a shell outside tmux. */
  trailboss(...args: string[]): Promise<Result>
  /** Its `--json` output; throws if it fails. */
  json<T>(...args: string[]): Promise<T>
  up(): Promise<void>
  bindKeys(server?: TmuxServer): Promise<void>
  http(path: string, request?: HttpRequest): Promise<HttpAnswer>
  queue(): Promise<QueueItem[]>
  sessions(): Promise<SessionView[]>
  /** Waits until the agent is in the queue, so that the next one to stop comes after it. */
  listed(agent: Agent): Promise<void>
  waitForQueue(what: string, until: (items: QueueItem[]) => boolean): Promise<QueueItem[]>
  daemonPid(): Promise<number>
  killDaemon9(): Promise<void>
  daemonLog(): string
  tmuxCalls(): string[][]
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The launcher of the built product. */
export const TRAILBOSS = join(ROOT, 'bin', 'trailboss')

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  // Avoids a long TMPDIR: the path of a unix socket is limited to about 100 bytes.
  const dir = mkdtempSync(join(tmpdir().length < 40 ? tmpdir() : '/tmp', 'tb-w-'))
  const home = join(dir, 'home')
  const state = join(dir, 'tb')
  mkdirSync(home)
  mkdirSync(state, { mode: 0o700 })
  mkdirSync(join(dir, 'projects'))
  if (options.config) writeFileSync(join(state, 'config.json'), JSON.stringify(options.config))
  const recorder = options.recordTmux ? createTmuxRecorder(dir) : undefined
  const pathFirst = recorder?.path ?? options.pathFirst
  const env = cleanEnv({ dir, home, state, port: options.port ?? 0, pathFirst })
  const servers: TmuxServer[] = []
  const serverFor = async (name: string, session: string, shellCommand: string) =>
    startTmuxServer({ socket: join(dir, name), env, session, shellCommand, cwd: home })
  const tmux = await serverFor('t1', 'work', 'exec sh')
  servers.push(tmux)
  const attach = `unset TMUX TMUX_PANE; exec ${TMUX} -S ${tmux.socket} attach-session -t work`
  const terminal = await serverFor('t0', 'terminal', attach)
  await terminal.run('set-option', '-g', 'status', 'off')
  const operator = await seatOperator(terminal, () => servers)
  const socket = join(state, 'trailboss.sock')

  /** Keys use each server's own copy of the queue, which is a moment behind. */
  const copiesThatDiffer = async () => {
    const items = await world.queue()
    const copies = await Promise.all(servers.map((server) => server.try(...COPY)))
    return copies.flatMap(({ code, stdout }, index) => {
      const { socket } = servers[index]!
      const [beat, ...copy] = stdout.trimEnd().split('|')
      const isKnown = beat !== '' || items.some(({ pane }) => pane?.socket === socket)
      const due = copyFor(socket, items)
      return code !== 0 || !isKnown || copy.join('|') === due ? [] : [{ socket, copy, due }]
    })
  }

  const world: World = {
    dir,
    home,
    state,
    env,
    tmux,
    operator,
    secondServer: async () => {
      const second = await serverFor('t2', 'far', 'exec sh')
      servers.push(second)
      return second
    },
    agent: (name, agentOptions = {}) => startAgent(name, { dir, server: tmux }, agentOptions),
    trailboss: (...args) => command(TRAILBOSS, args, { env, cwd: home }),
    json: async <T>(...args: string[]) => {
      const { code, stdout, stderr } = await world.trailboss(...args, '--json')
      if (code !== 0) throw new Error(`trailboss ${args.join(' ')} exited ${code}: ${stderr}`)
      return JSON.parse(stdout) as T
    },
    up: async () => {
      const { code, stdout, stderr } = await command(TRAILBOSS, ['up'], {
        ...{ env, cwd: home },
        timeoutMs: 50_000,
      })
      if (code !== 0) throw new Error(`trailboss up exited ${code}: ${stdout}${stderr}`)
    },
    bindKeys: async (server = tmux) => {
      // A server that reads its configuration for the first time would run `up`, perhaps after this world has ended.
      for (const each of servers) await each.run('set-option', '-g', '@trailboss_started', '1')
      await installKeys(world)
      await server.run('source-file', join(home, '.tmux.conf'))
    },
    http: (path, request) => http({ socket }, path, request),
    queue: async () => (JSON.parse((await world.http('/queue')).text) as QueueView).items,
    sessions: async () =>
      (JSON.parse((await world.http('/sessions')).text) as SessionsView).sessions,
    listed: async ({ name, session }) => {
      const isListed = (items: QueueItem[]) => items.some((item) => item.session === session)
      await world.waitForQueue(`${name} to be in the queue`, isListed)
    },
    waitForQueue: async (what, until) => {
      const items = await waitFor(world.queue, { what, until })
      await waitFor(copiesThatDiffer, {
        what: `tmux to know of it, too: ${what}`,
        until: (differing) => differing.length === 0,
      })
      return items
    },
    daemonPid: async () => {
      const status = JSON.parse((await world.http('/status')).text) as {
        daemon: { pid: number }
      }
      return status.daemon.pid
    },
    killDaemon9: async () => {
      const pid = await world.daemonPid()
      process.kill(pid, 'SIGKILL')
      await waitFor(() => !isAlive(pid), { what: `the daemon (${pid}) to be gone` })
    },
    daemonLog: () => {
      const file = join(state, 'trailboss.log')
      return existsSync(file) ? readFileSync(file, 'utf8') : '(no daemon log)'
    },
    tmuxCalls: () => recorder?.calls() ?? [],
    [Symbol.asyncDispose]: async () => {
      const signalled = new Set<number>()
      endDaemons(state, signalled)
      for (const server of [terminal, ...servers]) await server.stop()
      try {
        await verifyNothingIsLeft(state, signalled)
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }
  if (options.up === false) return world
  try {
    await world.up()
    await world.bindKeys()
    return world
  } catch (error) {
    console.error(await describeWorld(world))
    await Promise.resolve(world[Symbol.asyncDispose]()).catch((left: unknown) => {
      throw new AggregateError([error, left], `${error}\n${left}`)
    })
    throw error
  }
}

/** What `install tmux` wrote in the first world of this test file: the file's place, and its text. */
const keyFiles = new Map<string, string>()

/** Running `install tmux` in each world would be a fifth of its cost, and writes the same but for the paths. */
async function installKeys(world: World): Promise<void> {
  const files = ['home/.tmux.conf', 'tb/tmux.conf']
  const key = (file: string) => `${world.env['TRAILBOSS_PORT']} ${file}`
  const isFirst = files.some((file) => !keyFiles.has(key(file)))
  if (isFirst || files.some((file) => existsSync(join(world.dir, file)))) {
    const { code, stderr } = await world.trailboss('install', 'tmux', '--yes', '--status')
    if (code !== 0) throw new Error(`trailboss install tmux exited ${code}: ${stderr}`)
    for (const file of isFirst ? files : []) {
      const text = readFileSync(join(world.dir, file), 'utf8')
      keyFiles.set(key(file), text.replaceAll(world.dir, PLACE))
    }
  } else {
    for (const file of files) {
      const text = keyFiles.get(key(file)) ?? ''
      writeFileSync(join(world.dir, file), text.replaceAll(PLACE, world.dir))
    }
  }
}

const PLACE = '/the/place/of/a/world'

const COPY = [
  ...['display-message', '-p'],
  '#{@trailboss_beat}|#{@trailboss_head}|#{@trailboss_elsewhere}|#{@trailboss_count}',
]

/** What the keys of this server should use. */
function copyFor(socket: string, items: QueueItem[]): string {
  const ready = items.filter((item) => item.ready)
  const target = ready.find((item) => item.pane !== null || item.open)
  const here = target?.pane?.socket === socket ? target.pane.id : ''
  return [here, target && !here ? '1' : '', ready.length || ''].join('|')
}

/** Inherits nothing from the surrounding shell: no `TMUX`, no `TRAILBOSS_*`, no `CLAUDE_*`. */
function cleanEnv(places: {
  dir: string
  home: string
  state: string
  port: number
  pathFirst: string | undefined
}): NodeJS.ProcessEnv {
  const { dir, home, state, port, pathFirst } = places
  const path = [pathFirst, dirname(process.execPath), process.env['PATH']].filter(Boolean).join(':')
  return {
    PATH: path,
    HOME: home,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    TMUX_TMPDIR: dir,
    TRAILBOSS_HOME: state,
    TRAILBOSS_PORT: String(port),
    TRAILBOSS_TMUX_SOCKET: join(dir, 't1'),
  }
}

/**
 * A daemon is in no tmux server, so nothing else ends it. One that is still starting has no socket yet: it is known
 * by its environment.
 */
function endDaemons(state: string, signalled: Set<number>): { pid: number; argv: string }[] {
  const processes = processesWith('TRAILBOSS_HOME', state)
  for (const { pid, argv } of processes) {
    if (!argv.includes(' up --foreground') || signalled.has(pid)) continue
    signalled.add(pid)
    if (isAlive(pid)) process.kill(pid, 'SIGTERM')
  }
  return processes
}

/** Everything that a world started must be gone with it; a leftover is named, ended and an error. */
async function verifyNothingIsLeft(state: string, signalled: Set<number>): Promise<void> {
  const left = () => endDaemons(state, signalled)
  await waitFor(left, {
    what: 'every process of this world to end',
    until: (processes) => processes.length === 0,
  }).catch((error: unknown) => {
    for (const { pid } of left()) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    throw error
  })
}

export async function describeWorld(world: World): Promise<string> {
  const queue = await world.http('/queue').catch((error: unknown) => ({ text: String(error) }))
  const sessions = await world.http('/sessions').catch(() => ({ text: '' }))
  const panes = await world.tmux.try(
    'list-panes',
    '-a',
    '-F',
    '#{pane_id} #{window_name} #{pane_pid}',
  )
  return [
    '--- the operator sees',
    (await world.operator.screen().catch(String)).replace(/\n{3,}/g, '\n…\n'),
    '--- panes',
    panes.stdout + panes.stderr,
    '--- queue',
    queue.text,
    '--- sessions',
    sessions.text,
    '--- daemon log, last lines',
    world.daemonLog().split('\n').slice(-40).join('\n'),
  ].join('\n')
}
