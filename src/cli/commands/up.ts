import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DaemonClient } from '../../client/daemon-client.ts'
import { distDir } from '../../config/installation.ts'
import { requireSafePlace } from '../../config/safe-place.ts'
import type { StatusView } from '../../contract/responses.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { version } from '../../core/version.ts'
import { parseTmuxVariable } from '../../tmux/socket.ts'
import { requireTmux } from '../../tmux/version.ts'
import { type Context, createContext, requireConfig } from '../context.ts'
import { type Starting, startDetached } from '../detached-daemon.ts'
import { note, print, printJson } from '../output.ts'
import { hasUnit, startUnit } from '../systemd.ts'

export type UpOptions = { foreground?: boolean; systemd?: boolean; json?: boolean }

const START_DEADLINE_MS = 15_000
const POLL_MS = 25
const HOME_IS_HELD = 'holds this home'

export async function up(options: UpOptions): Promise<void> {
  await requireTmux()
  requireConfig()
  const context = createContext()
  requireSafePlace(context.paths.home)
  if (options.foreground) {
    await import(pathToFileURL(join(distDir(), 'daemon.mjs')).href)
    return
  }
  const running = await runningStatus(context.client)
  if (running) return alreadyRuns(context, running, options)
  using starting = options.systemd ? await startUnit() : startDetached(context)
  const started = await waitUntilUp(context.client, starting)
  await haveServerServed(context, started)
  const { pid } = started.daemon
  if (options.json) return printJson({ status: 'started', pid })
  print(`Trail Boss is up (pid ${pid}), ${starting.where}.`)
  for (const warning of started.warnings) note(`warning: ${displayLine(warning)}`)
  if (!existsSync(context.paths.tmuxConf)) note('Bind its keys with: trailboss install tmux')
}

async function alreadyRuns(
  context: Context,
  running: StatusView,
  options: UpOptions,
): Promise<void> {
  const { pid, version: runs } = running.daemon
  if (options.systemd && !hasUnit()) {
    throw new TrailBossError(
      'DAEMON_RUNNING',
      `Trail Boss runs already (pid ${pid}), and not by systemd: no unit was made.`,
      { hint: 'Let systemd have it: trailboss down && trailboss up --systemd' },
    )
  }
  await haveServerServed(context, running)
  if (options.json) return printJson({ status: 'already_running', pid })
  print(`Trail Boss runs already (pid ${pid}).`)
  if (runs !== version) {
    note(`It is version ${runs}, and this is ${version}: trailboss down && trailboss up`)
  }
}

/**
 * The tmux server that this command is run in may be one that the daemon has never heard of, or one that has
 * just taken the place of another.
 */
async function haveServerServed({ client, socket }: Context, status: StatusView): Promise<void> {
  const isInside = parseTmuxVariable(process.env['TMUX'] ?? '') !== undefined
  const isKnown = status.servers.some((server) => server.socket === socket)
  if (isInside || !isKnown) await client.knowServer(socket)
}

async function runningStatus(client: DaemonClient): Promise<StatusView | undefined> {
  try {
    return await client.status()
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'DAEMON_DOWN') return undefined
    throw error
  }
}

async function waitUntilUp(client: DaemonClient, starting: Starting): Promise<StatusView> {
  const deadline = Date.now() + START_DEADLINE_MS
  let failure: string | undefined
  while (failure === undefined && Date.now() < deadline) {
    const status = await runningStatus(client).catch(() => undefined)
    if (status) return status
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    failure = starting.failure()
    // Another `up` was quicker; its daemon answers in a moment.
    if (failure?.includes(HOME_IS_HELD)) failure = undefined
  }
  await starting.giveUp()
  const silence = `It did not answer within ${START_DEADLINE_MS / 1_000} s.\n${starting.advice}`
  throw failedStart(failure ?? silence)
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
