import type { Session } from '../../core/session/session.ts'
import type { Entry, LogEntry } from '../../core/session/state.ts'
import { type OwnSubject, subjectNamed } from '../../core/session/subject.ts'
import { isTime } from '../rows/meta.ts'
import { columnTable, parsed, recordTable, type Table } from '../rows/rows.ts'
import { entryShape, sessionShape } from '../shapes/session-shapes.ts'
import { count, list, name, object, text, time } from '../shapes/shape.ts'

/** Sequence numbers continue from the last one: beyond this there would be no room left. */
export const LAST_SEQ = 2 ** 52

export const SESSIONS = recordTable<Session>({
  name: 'sessions',
  key: 'key',
  shape: sessionShape,
  columns: ({ key, verdict }) => ({ key, state: verdict.state }),
  of: readSession,
})

const entries = recordTable<Entry, LogEntry>({
  name: 'events',
  key: 'seq',
  column: 'entry',
  shape: entryShape,
  columns: ({ type }) => ({ type }),
  of: (entry, row) => ({
    seq: row['seq'] as number,
    admittedAt: row['admitted_at'] as number,
    entry: readEntry(entry),
  }),
})

export const EVENTS: Table<LogEntry> = {
  name: 'events',
  read(row) {
    if (!isSeq(row['seq']) || row['seq'] === 0) return { wrong: 'seq is not a sequence number' }
    if (!isTime(row['admitted_at'])) return { wrong: 'admitted_at is not a time' }
    return entries.read(row)
  },
}

export const BASE: Table<{ seq: number; sessions: Session[] }> = {
  name: 'base',
  read(row) {
    if (!isSeq(row['seq'])) return { wrong: 'seq is not a sequence number' }
    const sessions = parsed(row['sessions'])
    if ('wrong' in sessions) return { wrong: `sessions ${sessions.wrong}` }
    const wrong = list(sessionShape)(sessions.value)
    if (wrong !== undefined) return { wrong: `sessions${wrong}` }
    const read = (sessions.value as Session[]).map(readSession)
    return { value: { seq: row['seq'] as number, sessions: read } }
  },
}

export const IGNORED_SIGNALS = columnTable(
  'ignored_signals',
  object({ harness: text, name, count, last_at: time }),
  () => undefined,
)

function readSession(session: Session): Session {
  return withSubject(session, session.id)
}

function readEntry(entry: Entry): Entry {
  if (entry.type !== 'event.received') return entry
  return { ...entry, event: withSubject(entry.event, entry.event.session) }
}

/** Adds the subject to what an earlier version stored, so that no other code has to derive it from the name. */
function withSubject<T extends { harness: string; about?: OwnSubject }>(
  stored: T,
  session: string,
): T {
  const about = stored.about ?? subjectNamed(stored.harness, session)
  return about ? { ...stored, about } : stored
}

function isSeq(value: unknown): boolean {
  return count(value) === undefined && (value as number) < LAST_SEQ
}
