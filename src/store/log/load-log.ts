import type { DatabaseSync } from 'node:sqlite'
import type { SessionKey } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import { replay, stateOf } from '../../core/session/state.ts'
import { inTransaction } from '../database/database.ts'
import { LATEST_TIME, readTime } from '../rows/meta.ts'
import { select, selectNumber, selectOne } from '../rows/rows.ts'
import { setAsideRows } from '../rows/set-aside-rows.ts'
import { BASE, EVENTS, LAST_SEQ, SESSIONS } from './log-tables.ts'

export const LAST_ADMITTED_AT = 'last_admitted_at'

export type LoadedLog = {
  sessions: Session[]
  baseSeq: number
  lastSeq: number
  lastAdmittedAt: number
}

/**
 * The sessions and the log hold the same information twice. We replace what is damaged in one from the other:
 * sessions that were set aside come from the log, if that is complete; a log with a gap starts again from the
 * sessions.
 */
export function loadLog(db: DatabaseSync): LoadedLog {
  const before = setAsideRows(db).count
  const last = lastOf(db)
  const base = selectOne(db, BASE, '')
  const lastSeq = Math.max(last.seq, base?.seq ?? 0)
  const lastAdmittedAt = Math.max(last.admittedAt, readTime(db, LAST_ADMITTED_AT) ?? 0)
  const loaded = { baseSeq: base?.seq ?? 0, lastSeq, lastAdmittedAt }
  const sessions = select(db, SESSIONS)
  if (setAsideRows(db).count === before && base) return { ...loaded, sessions }
  return inTransaction(db, () => {
    const folded = foldLog(db, lastSeq)
    const known = new Set(sessions.map(({ key }) => key))
    const lost = [...(folded?.values() ?? [])].filter(({ key }) => !known.has(key))
    saveSessions(db, lost)
    const all = [...sessions, ...lost]
    if (folded) return { ...loaded, sessions: all }
    writeBase(db, lastSeq, all)
    return { ...loaded, baseSeq: lastSeq, sessions: all }
  })
}

/** The state that the log adds up to by then; undefined if some of it is missing. */
export function foldLog(db: DatabaseSync, through: number): Map<SessionKey, Session> | undefined {
  const base = selectOne(db, BASE, '')
  if (!base) return undefined
  const log = select(db, EVENTS, 'WHERE seq > ? AND seq <= ? ORDER BY seq', base.seq, through)
  return log.length === through - base.seq
    ? replay(stateOf(base.sessions), log).sessions
    : undefined
}

export function countLog(db: DatabaseSync, after: number, through: number): number {
  const sql = 'SELECT count(*) FROM events WHERE seq > ? AND seq <= ?'
  return selectNumber(db, sql, after, through)
}

export function writeBase(db: DatabaseSync, seq: number, sessions: Iterable<Session>): void {
  db.prepare('INSERT OR REPLACE INTO base VALUES (1, ?, ?)').run(seq, JSON.stringify([...sessions]))
}

export function saveSessions(db: DatabaseSync, sessions: Iterable<Session>): void {
  const insert = db.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)')
  for (const session of sessions) {
    insert.run(session.key, session.verdict.state, JSON.stringify(session))
  }
}

function lastOf(db: DatabaseSync): { seq: number; admittedAt: number } {
  const admitted = `SELECT max(admitted_at) FROM events WHERE admitted_at < ${LATEST_TIME}`
  return {
    seq: selectNumber(db, `SELECT max(seq) FROM events WHERE seq < ${LAST_SEQ}`),
    admittedAt: selectNumber(db, admitted),
  }
}
