import type { DatabaseSync } from 'node:sqlite'
import type { AgentEvent } from '../../core/session/event.ts'
import { select } from '../rows/rows.ts'
import { EVENTS } from './log-tables.ts'

/** The events in the log that name this mark. */
export function eventsWithMark(db: DatabaseSync, mark: string): AgentEvent[] {
  return events(db, 'AND instr(entry, ?) > 0', `"${mark}"`).filter(({ marks }) =>
    marks?.includes(mark),
  )
}

/** The events that were admitted since then, in the order of the log. */
export function eventsSince(db: DatabaseSync, admittedAt: number): AgentEvent[] {
  return events(db, 'AND admitted_at >= ? ORDER BY seq', admittedAt)
}

function events(db: DatabaseSync, condition: string, value: string | number): AgentEvent[] {
  const clause = `WHERE type = 'event.received' ${condition}`
  return select(db, EVENTS, clause, value).flatMap(({ entry }) =>
    entry.type === 'event.received' ? [entry.event] : [],
  )
}
