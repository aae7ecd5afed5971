import { isSamePane } from '../../core/pane.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import type { Ack } from '../../core/supervisor/trigger/ack.ts'
import type { Mark } from '../../core/supervisor/trigger/mark.ts'
import { EVENTS } from '../../store/log/log-tables.ts'
import { select } from '../../store/rows/rows.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Herd } from '../context/herd.ts'
import { paneOf } from '../runtimes/runtime-sights.ts'

/** The proofs that were heard, by the mark that they are of. */
export class Acks {
  readonly #heard = new Map<Mark, Ack[]>()

  of(mark: Mark): readonly Ack[] {
    return this.#heard.get(mark) ?? []
  }

  hear(mark: Mark, ack: Ack): void {
    const known = this.of(mark)
    if (!known.some(({ kind }) => kind === ack.kind)) this.#heard.set(mark, [...known, ack])
  }

  forget(mark: Mark): void {
    this.#heard.delete(mark)
  }
}

/** What an event proves. Only the harness itself can, from the very place where the runtime is. */
export function proofIn(event: AgentEvent, runtime: Runtime, herd: Herd): Ack | undefined {
  const { source, harness, session, at } = event
  if (source !== 'hook' && source !== 'transcript') return undefined
  if (harness !== runtime.harness) return undefined
  const pane = herd.session(sessionKey(harness, session))?.pane ?? event.pane
  const isThere = isSamePane(pane, paneOf(runtime))
  return session === runtime.sessionId || isThere ? { kind: source, at } : undefined
}

/** The events of an earlier run that tell of this mark: it may have ended before it drew the conclusion. */
export function eventsWithMark({ db }: Pick<SupervisorContext, 'db'>, mark: Mark): AgentEvent[] {
  const clause = `WHERE type = 'event.received' AND instr(entry, ?) > 0`
  return select(db, EVENTS, clause, `"${mark}"`).flatMap(({ entry }) => {
    const event = entry.type === 'event.received' ? entry.event : undefined
    return event?.marks?.includes(mark) ? [event] : []
  })
}
