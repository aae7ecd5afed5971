import { TrailBossError } from '../../core/errors.ts'
import type { Pane } from '../../core/pane.ts'
import { type RunCommands, runCommands } from '../exec.ts'

// Numbers, ids and tmux's own words only: a name in the same line could forge a row.
const CLIENT = 'c #{pid} #{client_activity} #{window_id} #{pane_id} #{client_flags}'
const NAMED_CLIENT = /^[\w./-]{1,100}$/
const CLIENT_ROW = /^c (\d+) (\d+) (@\d+) (%\d+) (\S*)$/
const PANE = 'p #{pane_id} #{window_id}'
const PANE_ROW = /^p (%\d+) (@\d+)$/

/**
 * When somebody looking at each of these panes last pressed a key, in epoch ms; undefined if nobody looks at
 * it. Our own writes do not count, nor does what a terminal types by commands (control mode). tmux keeps
 * seconds: this is the end of that second, so it is never too early and may be a second ahead. The client
 * `except` does not count: its keys go to a popup of ours. Throws `TMUX_UNREACHABLE` if tmux did not answer, which
 * says nothing.
 */
export async function operatorActivity(
  socket: string,
  panes: readonly Pick<Pane, 'server' | 'id'>[],
  run: RunCommands = runCommands,
  except?: string,
): Promise<(number | undefined)[]> {
  const result = await run(socket, [
    ['list-clients', '-F', clientFormat(except)],
    ['list-panes', '-a', '-F', PANE],
  ])
  if (!result.ok) {
    const message = `tmux at ${socket} could not be asked who looks at its panes: ${result.kind}.`
    throw new TrailBossError('TMUX_UNREACHABLE', message)
  }
  const lines = result.stdout.split('\n')
  const windows = new Map(
    lines.flatMap((line) => {
      const [, pane, window] = PANE_ROW.exec(line) ?? []
      return pane && window ? [[pane, window] as const] : []
    }),
  )
  const clients = lines.map((line) => CLIENT_ROW.exec(line)).filter((row) => row !== null)
  return panes.map(({ server, id }) => {
    const seconds = clients.flatMap(([, ofServer, activity, current, active, flags = '']) => {
      const isThere = Number(ofServer) === server && current === windows.get(id)
      return isThere && looksAt(id, active, flags.split(',')) ? [Number(activity)] : []
    })
    return seconds.length > 0 ? Math.max(...seconds) * 1_000 + 999 : undefined
  })
}

/** A row of the excepted client is none that we read. */
function clientFormat(except: string | undefined): string {
  if (except === undefined || !NAMED_CLIENT.test(except)) return CLIENT
  return `#{?#{==:#{client_name},${except}},,${CLIENT}}`
}

function looksAt(pane: string, active: string | undefined, flags: string[]): boolean {
  // Our own control client sees no pane.
  if (flags.includes('no-output')) return false
  // With this flag a client has its own active pane, and 3.3a does not report which.
  return active === pane || flags.includes('active-pane')
}
