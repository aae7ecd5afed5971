import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DaemonClient } from '../../client/daemon-client.ts'
import { launcherPath } from '../../config/installation.ts'
import { type Paths, resolvePaths } from '../../config/paths.ts'
import { TrailBossError } from '../../core/errors.ts'
import { isGroupAlive } from '../../process/group.ts'
import { isAlive } from '../../process/process-state.ts'
import { runTmux } from '../../tmux/exec.ts'
import { waitUntil } from './wait-until.ts'

/** The path of a unix socket is limited to about 100 bytes, and macOS has long temporary directories. */
const LONGEST_TMPDIR = 40
const TMUX_DEADLINE_MS = 10_000
const START_DEADLINE_MS = 15_000
const END_DEADLINE_MS = 5_000

/** What a sandbox inherits from the surrounding shell; anything else could lead out of it. */
const KEPT = /^(PATH|TERM|COLORTERM|LANG|LC_.*|TZ|USER|LOGNAME)$/

/**
 * A throwaway machine: a user's home, a `TRAILBOSS_HOME` and its own tmux server in a fresh temporary
 * directory. Disposing of it ends all its processes and removes the directory.
 */
export class Sandbox implements AsyncDisposable {
  readonly dir: string
  readonly env: NodeJS.ProcessEnv
  readonly paths: Paths
  readonly socket: string
  readonly client: DaemonClient
  readonly #sockets = new Set<string>()
  readonly #pids = new Set<number>()
  #daemonPid: number | undefined

  constructor(config: Record<string, unknown> = {}) {
    this.dir = mkdtempSync(
      join(tmpdir().length <= LONGEST_TMPDIR ? tmpdir() : '/tmp', 'trailboss-'),
    )
    const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name))
    this.socket = join(this.dir, 'tmux')
    this.env = {
      ...Object.fromEntries(kept),
      HOME: join(this.dir, 'home'),
      SHELL: '/bin/sh',
      TMUX_TMPDIR: this.dir,
      TRAILBOSS_HOME: join(this.dir, 'trailboss'),
      TRAILBOSS_PORT: '0',
      TRAILBOSS_TMUX_SOCKET: this.socket,
    }
    this.paths = resolvePaths(this.env)
    mkdirSync(join(this.dir, 'home'))
    mkdirSync(this.paths.home, { mode: 0o700 })
    writeFileSync(this.paths.configFile, JSON.stringify(config), { mode: 0o600 })
    this.client = new DaemonClient(this.paths.socket)
  }

  /** Runs a command on its tmux server, or on another one with `socket`. Throws tmux's message if it refuses. */
  async tmux(args: string[], socket = this.socket): Promise<string> {
    this.#sockets.add(socket)
    const result = await runTmux(socket, args, { env: this.env, timeoutMs: TMUX_DEADLINE_MS })
    if (result.ok) return result.stdout.trimEnd()
    throw new TrailBossError(
      'TMUX_UNREACHABLE',
      `tmux ${args[0]} failed in a throwaway server: ${result.stderr.trim() || result.kind}`,
    )
  }

  /** Our own child, so we know about it from the start and leave none behind when interrupted. */
  async startDaemon(signal?: AbortSignal): Promise<void> {
    const daemon = spawn(launcherPath(), ['up', '--foreground'], {
      cwd: '/',
      env: this.env,
      // A Ctrl-C in our terminal is meant for us.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#daemonPid = daemon.pid
    if (daemon.pid !== undefined) this.#pids.add(daemon.pid)
    let said = ''
    let hasEnded = false
    daemon.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString('utf8')
    })
    daemon.on('error', (error) => {
      said += error.message
      hasEnded = true
    })
    daemon.on('close', () => {
      hasEnded = true
    })
    const look = async () => {
      const isUp = await this.client.health().then(
        () => true,
        () => false,
      )
      return isUp ? 'it is up' : hasEnded ? 'it has ended' : 'no answer'
    }
    const seen = await waitUntil(look, {
      what: 'the daemon to answer',
      until: (state) => state !== 'no answer',
      deadlineMs: START_DEADLINE_MS,
      signal,
    })
    if (seen === 'it is up') return
    throw new TrailBossError('DAEMON_FAILED', said.trim().replace(/^trailboss: /, ''))
  }

  /**
   * Every process that it knows and that still runs, or has left something running. Only a running server can
   * list its processes, so ask once after everything has started.
   */
  async processes(): Promise<number[]> {
    for (const socket of this.#sockets) {
      const format = '#{pid} #{pane_pid}'
      const listed = await runTmux(socket, ['list-panes', '-a', '-F', format], { env: this.env })
      const pids = listed.ok ? listed.stdout.split(/\s+/).filter(Boolean).map(Number) : []
      for (const pid of pids) this.#pids.add(pid)
    }
    return [...this.#pids].filter((pid) => isAlive(pid) || isGroupAlive(pid))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.processes()
    this.client[Symbol.dispose]()
    if (this.#daemonPid !== undefined) send('SIGTERM', this.#daemonPid)
    for (const socket of this.#sockets) await runTmux(socket, ['kill-server'], { env: this.env })
    // A process that still runs would create the directory again.
    await this.#allEnd().catch(async () => {
      for (const pid of await this.processes())
        for (const target of [-pid, pid]) send('SIGKILL', target)
      await this.#allEnd()
    })
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 })
  }

  #allEnd(): Promise<unknown> {
    return waitUntil(() => this.processes(), {
      what: 'the processes of the sandbox to end',
      until: (pids) => pids.length === 0,
      deadlineMs: END_DEADLINE_MS,
    })
  }
}

/** Signals a process, or a group if the number is negative; one that has exited needs no signal. */
function send(signal: NodeJS.Signals, target: number): void {
  try {
    process.kill(target, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
