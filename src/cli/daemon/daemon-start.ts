import type { DaemonClient } from '../../client/daemon-client.ts'
import type { StatusView } from '../../contract/responses.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine } from '../../core/text.ts'
import { parseTmuxVariable } from '../../tmux/socket.ts'
import type { Context } from '../context/context.ts'
import { note } from '../context/output.ts'
import type { Starting } from './detached-daemon.ts'

/** A slow disk can hold up a start for this long. */
const START_DEADLINE_MS = 60_000
const SAY_AFTER_MS = 5_000
const POLL_MS = 25
const HOME_IS_HELD = 'holds this home'

/** Undefined when no daemon runs. Throws when one does and does not answer. */
export async function runningStatus(client: DaemonClient): Promise<StatusView | undefined> {
  try {
    return await client.status()
  } catch (error) {
    if (error instanceof TrailBossError && error.code === 'DAEMON_DOWN') return undefined
    throw error
  }
}

/** Waits until the daemon answers and serves this tmux server. Throws the daemon's own error if it does not start. */
export async function finishStart(
  { client, socket }: Context,
  starting: Starting,
): Promise<StatusView> {
  const status = await waitUntilUp(client, starting)
  await serveServer(client, socket, status)
  return status
}

/**
 * The daemon may not know the tmux server that the command runs in, or the server may have been restarted.
 */
export async function serveServer(
  client: DaemonClient,
  socket: string,
  status: StatusView,
): Promise<void> {
  const isInside = parseTmuxVariable(process.env['TMUX'] ?? '') !== undefined
  const isKnown = status.servers.some((server) => server.socket === socket)
  if (isInside || !isKnown) await client.knowServer(socket)
}

export function noteWarnings({ warnings }: StatusView): void {
  for (const warning of warnings) note(`warning: ${displayLine(warning)}`)
}

async function waitUntilUp(client: DaemonClient, starting: Starting): Promise<StatusView> {
  const begun = performance.now()
  let failure: string | undefined
  let hasSaid = false
  while (failure === undefined && performance.now() - begun < START_DEADLINE_MS) {
    const status = await runningStatus(client).catch(() => undefined)
    if (status) return status
    if (!hasSaid && performance.now() - begun > SAY_AFTER_MS) {
      note(`The daemon is still starting … ${starting.advice}`)
      hasSaid = true
    }
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
