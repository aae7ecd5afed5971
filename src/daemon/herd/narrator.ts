import { basename } from 'node:path'
import type { Changes, Transition } from '../../core/session/state.ts'
import { labelOf } from '../../core/session/wait-label.ts'
import { displayLine, truncate } from '../../core/text.ts'
import type { DaemonSettings } from '../home/settings.ts'

/** Every change of a session's state into the log, and what concerns the operator to standard output. */
export function narrateAll(
  { transitions }: Changes,
  { say, log }: Pick<DaemonSettings, 'say' | 'log'>,
): void {
  for (const transition of transitions) {
    const line = narrate(transition, new Date())
    if (line) say(line)
    const { session, from, to } = transition
    log.info(
      { session_id: session.id, harness: session.harness, pane_id: session.pane?.id, from, to },
      'session changed',
    )
  }
}

/** One plain line for whoever runs the daemon in a terminal, when a session gets stuck or goes on. */
function narrate({ session, from, to }: Transition, time: Date): string | undefined {
  const { verdict } = session
  const clock = time.toTimeString().slice(0, 8)
  const who = `${session.harness}  ${displayLine(basename(session.cwd ?? '')) || displayLine(session.id)}`
  if (verdict.state === 'stuck') {
    const ask = truncate(displayLine(verdict.ask.text), 80)
    return `${clock}  stuck    ${who}  ${labelOf(verdict)}: ${ask}`
  }
  if (to === 'ended') return `${clock}  ended    ${who}`
  return from === 'stuck' ? `${clock}  goes on  ${who}` : undefined
}
