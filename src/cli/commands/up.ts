import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DaemonClient } from '../../client/daemon-client.ts'
import { distDir, launcherPath } from '../../config/installation.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { runTmux } from '../../tmux/exec.ts'
import { requireTmux } from '../../tmux/version.ts'
import { type Context, createContext, requireConfig } from '../context.ts'
import { note, print, printJson } from '../output.ts'
import { hasUnit, startUnit } from '../systemd.ts'

export type UpOptions = { foreground?: boolean; systemd?: boolean; json?: boolean }

const SESSION = 'trailboss'
const START_DEADLINE_MS = 15_000
const POLL_MS = 25
const HOME_IS_HELD = 'holds this home'

/** What the daemon must have from here: a tmux server starts its windows with an environment of its own. */
const PASSED_ON =
  /^(TRAILBOSS_(?!REPORT_FILE|ROOT).*|HOME|PATH|LANG|LC_.*|XDG_.*|TMUX_TMPDIR|CLAUDE_CONFIG_DIR|CODEX_HOME)$/

export async function up(options: UpOptions): Promise<void> {
  await requireTmux()
  requireConfig()
  const context = createContext()
  if (options.foreground) {
    await import(pathToFileURL(join(distDir(), 'daemon.mjs')).href)
    return
  }
  const running = await runningPid(context.client)
  if (running !== undefined) {
    if (options.systemd && !hasUnit()) throw runsOtherwise(running)
    if (options.json) return printJson({ status: 'already_running', pid: running })
    return print(`Trail Boss runs already (pid ${running}).`)
  }
  const where = options.systemd ? await startUnit() : await startInWindow(context)
  const pid = await waitUntilUp(context, where.report)
  if (options.json) return printJson({ status: 'started', pid })
  print(`Trail Boss is up (pid ${pid}), ${where.text}.`)
  for (const warning of await warningsOf(context.client)) note(`warning: ${displayLine(warning)}`)
  if (!existsSync(context.paths.tmuxConf)) note('Bind its keys with: trailboss install tmux')
}

function runsOtherwise(pid: number): TrailBossError {
  return new TrailBossError(
    'DAEMON_RUNNING',
    `Trail Boss runs already (pid ${pid}), and not by systemd: no unit was made.`,
    { hint: 'Let systemd have it: trailboss down && trailboss up --systemd' },
  )
}

async function warningsOf(client: DaemonClient): Promise<string[]> {
  try {
    return (await client.status()).warnings
  } catch {
    return []
  }
}

async function runningPid(client: DaemonClient): Promise<number | undefined> {
  try {
    return (await client.status()).daemon.pid ?? undefined
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'DAEMON_DOWN') return undefined
    throw error
  }
}

/** A detached session of its own, so that closing a working session does not take the daemon along. */
async function startInWindow({
  socket,
  paths,
}: Context): Promise<{ text: string; report: string }> {
  requireWritable(paths.home)
  makeSocketDirectory(dirname(socket))
  const report = join(paths.home, `start-${randomUUID()}.txt`)
  const env = Object.entries({ ...process.env, TRAILBOSS_REPORT_FILE: report })
    .filter(([name]) => PASSED_ON.test(name) || name === 'TRAILBOSS_REPORT_FILE')
    .flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const command = ['-n', 'daemon', ...env, '--', launcherPath(), 'up', '--foreground']
  const exists = (await runTmux(socket, ['has-session', '-t', `=${SESSION}`])).ok
  const told = ['-P', '-F', '#{pane_id}']
  const size = ['-x', '100', '-y', '30']
  const started = await runTmux(
    socket,
    exists
      ? ['new-window', '-d', ...told, '-t', `=${SESSION}:`, ...command]
      : ['new-session', '-d', ...told, '-s', SESSION, ...size, ...command],
  )
  // Somebody else may have opened the session since we looked: then theirs is the daemon.
  if (!started.ok && !/duplicate session/.test(started.stderr)) {
    throw new TrailBossError(
      'TMUX_UNREACHABLE',
      `tmux could not open a window for the daemon: ${started.stderr.trim() || started.kind}`,
      { hint: 'Run it without tmux: trailboss up --foreground' },
    )
  }
  // It says that all went well also where it could not make its socket (3.3a).
  if (started.ok && started.stdout.trim() === '') {
    throw new TrailBossError('TMUX_UNREACHABLE', `tmux could not start a server at ${socket}.`, {
      hint: 'See what it says itself: tmux ls. Or run it without tmux: trailboss up --foreground',
    })
  }
  return { text: `in the tmux session "${SESSION}"`, report }
}

/** tmux makes it for its own default alone, and then not where it is named. Nobody else may look into it. */
function makeSocketDirectory(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new TrailBossError('TMUX_UNREACHABLE', `${dir} cannot be made: ${messageOf(error)}`, {
      hint: 'tmux has its socket there. Make it, or name another: TRAILBOSS_TMUX_SOCKET.',
    })
  }
}

function requireWritable(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const probe = join(home, `start-${randomUUID()}.txt`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new TrailBossError('UNSAFE_HOME', `${home} cannot be written: ${messageOf(error)}`, {
      hint: 'Make room or give yourself access, or set TRAILBOSS_HOME.',
    })
  }
}

async function waitUntilUp(
  { client, paths }: Context,
  report: string | undefined,
): Promise<number> {
  const deadline = Date.now() + START_DEADLINE_MS
  try {
    while (Date.now() < deadline) {
      const pid = await runningPid(client).catch(() => undefined)
      if (pid !== undefined) return pid
      if (report && existsSync(report)) {
        const text = readFileSync(report, 'utf8')
        // Another `up` was quicker; its daemon answers in a moment.
        if (!text.includes(HOME_IS_HELD)) throw failedStart(text)
        rmSync(report)
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    throw failedStart(
      `It did not answer within ${START_DEADLINE_MS / 1_000} s. Its log: ${paths.log}`,
    )
  } finally {
    if (report) rmSync(report, { force: true })
  }
}

function failedStart(text: string): TrailBossError {
  const [first = '', ...rest] = text.trim().split('\n')
  const hint = rest.join(' ').trim()
  return new TrailBossError(
    'DAEMON_FAILED',
    `The daemon did not start: ${first.replace(/^trailboss: /, '')}`,
    { ...(hint && { hint }) },
  )
}
