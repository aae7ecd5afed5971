import type { DatabaseSync } from 'node:sqlite'
import type { Session } from '../../core/session/session.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import { foldLog, LAST_ADMITTED_AT } from '../log/load-log.ts'
import { LAST_SEQ } from '../log/log-tables.ts'
import { LATEST_TIME } from '../rows/meta.ts'
import { sessionShape } from '../shapes/session-shapes.ts'
import { wholeRows } from './damaged-copy.ts'

/** What could be read of a damaged database. */
type Salvaged = {
  /** Often all of them, maybe none. */
  sessions: Session[]
  /** False if it held sessions that could not be read. */
  isWhole: boolean
  /** False if the end of the log could not be read. */
  hasLog: boolean
  lastSeq: number
  lastAdmittedAt: number
}

/** Sessions missing from the table may be in the log. */
export function salvageSessions(db: DatabaseSync): Salvaged {
  const last = lastEntryOf(db)
  const { sessions, isWhole } = readWhatIsWhole(db)
  if (isWhole) return { ...last, sessions, isWhole }
  const folded = last.hasLog ? foldWhatIsWhole(db, last.lastSeq) : undefined
  const known = new Set(sessions.map(({ key }) => key))
  const others = folded?.filter(({ key }) => !known.has(key)) ?? []
  return { ...last, sessions: [...sessions, ...others], isWhole: folded !== undefined }
}

function readWhatIsWhole(db: DatabaseSync): Pick<Salvaged, 'sessions' | 'isWhole'> {
  const sessions: Session[] = []
  let isWhole = true
  const rows = wholeRows(db, 'sessions')
  for (let next = rows.next(); ; next = rows.next()) {
    if (next.done) return { sessions, isWhole: isWhole && next.value }
    const session = wholeSession(next.value['record'])
    if (session) sessions.push(session)
    else isWhole = false
  }
}

function foldWhatIsWhole(db: DatabaseSync, lastSeq: number): Session[] | undefined {
  try {
    const folded = foldLog(db, lastSeq)
    return folded && [...folded.values()]
  } catch {
    return undefined
  }
}

function lastEntryOf(db: DatabaseSync): Pick<Salvaged, 'hasLog' | 'lastSeq' | 'lastAdmittedAt'> {
  let hasLog = true
  const highest = (sql: string): number => {
    try {
      return Number(db.prepare(sql).get()?.['highest'] ?? 0)
    } catch {
      hasLog = false
      return 0
    }
  }
  const events = `FROM events WHERE seq < ${LAST_SEQ} AND admitted_at < ${LATEST_TIME} ORDER BY seq DESC LIMIT 1`
  const lastSeq = Math.max(
    highest(`SELECT seq AS highest ${events}`),
    highest(`SELECT seq AS highest FROM base WHERE seq BETWEEN 0 AND ${LAST_SEQ - 1}`),
  )
  const lastAdmittedAt = Math.max(
    highest(`SELECT admitted_at AS highest ${events}`),
    highest(
      `SELECT CAST(value AS INTEGER) AS highest FROM meta NOT INDEXED
       WHERE key = '${LAST_ADMITTED_AT}' AND CAST(value AS INTEGER) < ${LATEST_TIME}`,
    ),
  )
  return { hasLog, lastSeq, lastAdmittedAt }
}

function wholeSession(record: unknown): Session | undefined {
  try {
    const session = JSON.parse(String(record)) as Session
    if (sessionShape(session) !== undefined) return undefined
    return { ...session, verdict: verdictOf(session.evidence) }
  } catch {
    return undefined
  }
}
