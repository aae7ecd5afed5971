import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { emitterPath } from '../../config/installation.ts'
import { messageOf, TrailBossError } from '../../core/errors.ts'
import { DEFAULT_HARNESS } from '../../harness/registry.ts'
import { broken, type Check, ok, warning } from '../../harness/wiring/check.ts'
import { Interruption } from '../demo/interruption.ts'
import { Sandbox } from '../demo/sandbox.ts'
import { waitUntil } from '../demo/wait-until.ts'
import type { Surroundings } from './surroundings.ts'

const ARRIVAL_DEADLINE_MS = 5_000

/** Sends a hook in and out again through the real emitter, with a home and a tmux server of its own. */
export async function emitterChecks({ env }: Surroundings): Promise<Check[]> {
  return [await curlCheck(env), await roundTripCheck()]
}

async function curlCheck(env: NodeJS.ProcessEnv): Promise<Check> {
  const fix = 'Install curl 7.40 or newer. Until then events go through files, up to a second late.'
  const { code, stdout } = await run('curl', ['-q', '-V'], env)
  if (code !== 0) return warning('curl', 'it is not there, or does not run', fix)
  if (!/\bUnixSockets\b/.test(stdout)) return warning('curl', 'it knows no unix sockets', fix)
  return ok('curl', stdout.split(' ').slice(0, 2).join(' '))
}

async function roundTripCheck(): Promise<Check> {
  const name = 'round trip'
  using interruption = new Interruption()
  const { signal } = interruption
  try {
    await using sandbox = new Sandbox()
    await sandbox.tmux(['-f', '/dev/null', 'new-session', '-d', '-s', 'doctor', '--', 'cat'])
    const pane = await sandbox.tmux([
      'display-message',
      '-p',
      '-t',
      '=doctor:',
      '#{pid} #{pane_id}',
    ])
    await sandbox.startDaemon(signal)
    return await fireAndWatch(sandbox, pane, signal)
  } catch (error) {
    if (signal.aborted) throw new TrailBossError('CANCELLED', 'Interrupted.')
    const fix = 'See what the daemon says by itself: trailboss up --foreground'
    return broken(name, `it could not be tried: ${messageOf(error)}`, fix)
  }
}

async function fireAndWatch(sandbox: Sandbox, where: string, signal: AbortSignal): Promise<Check> {
  const name = 'round trip'
  const session = `doctor-${randomUUID()}`
  const [server, pane] = where.split(' ')
  const env = { ...sandbox.env, TMUX: `${sandbox.socket},${server},0`, TMUX_PANE: pane }
  const fire = (event: string) =>
    run(emitterPath(), [DEFAULT_HARNESS], env, {
      session_id: session,
      cwd: sandbox.dir,
      hook_event_name: event,
      ...(event === 'Stop' && { last_assistant_message: 'Can you hear me?' }),
      ...(event === 'UserPromptSubmit' && { prompt: 'Yes.' }),
    })
  const inQueue = async () => {
    const { items } = await sandbox.client.queue()
    return items.some((item) => item.session === session && item.pane?.id === pane)
  }
  const reinstall = `Was ${emitterPath()} changed? Build it again: npm install && npm run build`
  for (const [event, expected] of [
    ['Stop', true],
    ['UserPromptSubmit', false],
  ] as const) {
    const { code, stdout } = await fire(event)
    if (code !== 0 || stdout !== '') {
      const detail = `the emitter exited ${code} and printed ${JSON.stringify(stdout)}`
      return broken(name, detail, reinstall)
    }
    try {
      const deadlineMs = ARRIVAL_DEADLINE_MS
      const what = expected ? 'it to be queued' : 'it to leave the queue'
      await waitUntil(inQueue, { what, until: (seen) => seen === expected, deadlineMs, signal })
    } catch {
      signal.throwIfAborted()
      const detail = `a ${event} was fired and ${expected ? 'did not reach' : 'did not leave'} the queue`
      return broken(name, detail, reinstall)
    }
  }
  return ok(
    name,
    'in a throwaway copy, a session was queued by its Stop hook and left with its next prompt',
  )
}

type Ended = { code: number | string; stdout: string }

function run(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  input: unknown = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { env, timeout: 5_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? 'killed'), stdout: stdout + stderr })
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(JSON.stringify(input))
  })
}
