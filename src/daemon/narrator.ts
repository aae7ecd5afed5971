import { basename } from 'node:path'
import type { Transition } from '../core/state.ts'
import { displayLine, truncate } from '../core/text.ts'

/** One plain line for the daemon's own window when a session gets stuck or goes on. */
export function narrate({ session, from, to }: Transition, time: Date): string | undefined {
  const { verdict } = session
  const clock = time.toTimeString().slice(0, 8)
  const who = `${session.harness}  ${displayLine(basename(session.cwd ?? '')) || displayLine(session.id)}`
  if (verdict.state === 'stuck') {
    const ask = truncate(displayLine(verdict.ask.text), 80)
    return `${clock}  stuck    ${who}  ${verdict.reason}: ${ask}`
  }
  if (to === 'ended') return `${clock}  ended    ${who}`
  return from === 'stuck' ? `${clock}  goes on  ${who}` : undefined
}
