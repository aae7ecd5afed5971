import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { loadConfig } from '../../../src/config/config.ts'
import { resolvePaths } from '../../../src/config/paths.ts'
import type {
  ExplainView,
  MonitoredPane,
  MonitorView,
  QueueItem,
  QueueView,
  SessionsView,
  SessionView,
  StatusView,
} from '../../../src/contract/responses.ts'
import { Daemon } from '../../../src/daemon/daemon.ts'
import { prepareHome } from '../../../src/daemon/home/home.ts'
import { http } from '../http.ts'
import { startTmuxServer, type TmuxServer } from '../tmux-server.ts'
import { waitFor } from '../wait-for.ts'

/** A daemon in this process with a fast monitor, and its own tmux server. */
export type MonitorScene = AsyncDisposable & {
  dir: string
  server: TmuxServer
  /** A new window with this command as its shell, watched by default. */
  open(command: string, options?: { isWatched?: boolean }): Promise<string>
  monitored(pane: string): Promise<MonitoredPane | undefined>
  queued(pane: string): Promise<QueueItem | undefined>
  session(pane: string): Promise<SessionView | undefined>
  explain(target: string): Promise<ExplainView>
  status(): Promise<StatusView>
  /** Waits for it in the queue. */
  listed(pane: string, what: string): Promise<QueueItem>
  /** `meanwhile` runs while there is no daemon. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>
}

const FAST: [number, number] = [400, 500]
const SIGNALS = ['dispatched', 'edits', 'tests', 'build', 'subagent', 'reading', 'question']

export async function createMonitorScene(
  settings: Record<string, unknown> = {},
): Promise<MonitorScene> {
  const dir = mkdtempSync(join(tmpdir().length < 40 ? tmpdir() : '/tmp', 'tb-m-'))
  const home = join(dir, 'home')
  mkdirSync(home)
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    ENV: '',
  }
  const server = await startTmuxServer({
    socket: join(dir, 't'),
    env,
    session: 'work',
    shellCommand: 'exec sh',
    cwd: dir,
  })
  const paths = resolvePaths({ ...env, TRAILBOSS_HOME: join(dir, 'tb') })
  const intervalsMs = Object.fromEntries([...SIGNALS, 'quiet', 'stalled'].map((s) => [s, FAST]))
  const config = {
    ...loadConfig('/nonexistent', {}),
    ...{ port: 0, sweepMs: 100, reconcileMs: 300 },
    monitor: { intervalsMs, freshMs: [100, 200], leastMs: 100 },
    ...settings,
  } as ReturnType<typeof loadConfig>
  const start = async () => {
    prepareHome(paths)
    const daemon = new Daemon({
      env,
      paths,
      config,
      log: pino({ level: 'silent' }),
      sockets: [server.socket],
      say: () => {},
      lost: () => {
        throw new Error('the home is gone')
      },
    })
    await daemon.start()
    return daemon
  }
  let daemon = await start()
  const get = async <View>(path: string) =>
    JSON.parse((await http({ socket: paths.socket }, path)).text) as View
  const isIn = (id: string) => (one: { pane: { id: string } | null }) => one.pane?.id === id

  const scene: MonitorScene = {
    dir,
    server,
    open: async (command, { isWatched = true } = {}) => {
      const window = ['new-window', '-d', '-t', 'work:', '-c', dir, '-P', '-F', '#{pane_id}']
      const pane = await server.run(...window, command)
      if (isWatched) await server.run('set-option', '-p', '-t', pane, '@trailboss_watch', 'on')
      return pane
    },
    monitored: async (pane) => (await get<MonitorView>('/monitor')).panes.find(isIn(pane)),
    queued: async (pane) => (await get<QueueView>('/queue')).items.find(isIn(pane)),
    session: async (pane) => (await get<SessionsView>('/sessions')).sessions.find(isIn(pane)),
    explain: (target) => get(`/explain?${new URLSearchParams({ target })}`),
    status: () => get('/status'),
    listed: async (pane, what) => {
      const item = await waitFor(() => scene.queued(pane), { what })
      if (!item) throw new Error('nothing is listed')
      return item
    },
    restart: async (meanwhile) => {
      await daemon[Symbol.asyncDispose]()
      await meanwhile?.()
      daemon = await start()
    },
    [Symbol.asyncDispose]: async () => {
      await daemon[Symbol.asyncDispose]()
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return scene
}
