import { join } from 'node:path'
import { WELCOME } from './herd.ts'
import type { Sandbox } from './sandbox.ts'
import { waitUntil } from './wait-until.ts'

/** A person at the herd: a terminal with a client, in which keys are really pressed. */
export type Seat = {
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
  screen(): Promise<string>
  /** The pane that the client shows. */
  pane(): Promise<string>
}

/** The terminal is a pane of a second throwaway tmux server; we only ever type into that pane. */
export async function openOperatorTerminal(sandbox: Sandbox, signal: AbortSignal): Promise<Seat> {
  const outer = join(sandbox.dir, 'terminal')
  const terminal = (...args: string[]) => sandbox.tmux(args, outer)
  const attach = ['tmux', '-u', '-S', sandbox.socket, 'attach-session', '-t', `=${WELCOME}`]
  await terminal(
    ...['-f', '/dev/null', 'new-session', '-d', '-s', 'seat', '-x', '110', '-y', '32'],
    ...['--', 'env', '-u', 'TMUX', '-u', 'TMUX_PANE', ...attach],
  )
  await terminal('set-option', '-g', 'status', 'off', ';', 'set-option', '-s', 'escape-time', '20')
  const format = '#{?client_control_mode,,#{pane_id}}'
  const pane = async () => (await sandbox.tmux(['list-clients', '-F', format])).trim()
  await waitUntil(pane, { what: 'the client to be attached', until: Boolean, signal })
  return {
    press: async (...keys) => {
      await terminal('send-keys', '-t', '=seat:', ...keys)
    },
    type: async (text) => {
      await terminal('send-keys', '-t', '=seat:', '-l', text)
    },
    screen: () => terminal('capture-pane', '-p', '-t', '=seat:'),
    pane,
  }
}
