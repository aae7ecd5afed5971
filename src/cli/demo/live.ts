import { spawn } from 'node:child_process'
import { TrailBossError } from '../../core/errors.ts'
import { note, print } from '../context/output.ts'
import { startHerd, WELCOME } from './herd.ts'
import { Interruption } from './interruption.ts'
import { choosePrefix } from './prefix.ts'
import { Sandbox } from './sandbox.ts'

/** Short, so that the person sees a skipped one come back. */
const SKIP_COOLDOWN_MS = 20_000

/** Puts the person at this terminal into the herd, and cleans up when they leave. */
export async function showDemo(): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new TrailBossError('BAD_USAGE', 'The demo needs a terminal to put you in.', {
      hint: 'Without one, let it run by itself: trailboss demo --check',
    })
  }
  using interruption = new Interruption()
  try {
    await visit(interruption.signal)
  } catch (error) {
    if (!interruption.signal.aborted) throw error
  }
  print('That was the demo; everything it started is gone again.')
  print('For your own agents:  trailboss up  and then  trailboss install tmux')
  return interruption.exitCode ?? 0
}

async function visit(signal: AbortSignal): Promise<void> {
  note('Bringing up four agents in a throwaway tmux …')
  await using sandbox = new Sandbox({ skipCooldownMs: SKIP_COOLDOWN_MS })
  await startHerd(sandbox, { prefix: await choosePrefix(process.env), signal })
  await attach(sandbox, signal)
}

/** Ends when the person detaches, the server exits, or a signal arrives. */
function attach(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  const { TMUX: _server, TMUX_PANE: _pane, ...env } = process.env
  const args = ['-u', '-S', sandbox.socket, 'attach-session', '-t', `=${WELCOME}`]
  return new Promise((resolve, reject) => {
    // SIGTERM lets the client restore the terminal.
    const client = spawn('tmux', args, { stdio: 'inherit', env, signal, killSignal: 'SIGTERM' })
    client.on('error', (error) => (signal.aborted ? undefined : reject(error)))
    client.on('close', () => resolve())
  })
}
