import { DatabaseSync } from 'node:sqlite'
import type { Session } from '../core/session.ts'
import { verdictOf } from '../core/verdict.ts'
import { sessionShape } from './session-shapes.ts'

/** The sessions that can still be read from a damaged database: often all of them, maybe none. */
export function salvageSessions(path: string): Session[] {
  try {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      return readWhatIsWhole(db)
    } finally {
      db.close()
    }
  } catch {
    return []
  }
}

function readWhatIsWhole(db: DatabaseSync): Session[] {
  const sessions: Session[] = []
  const rows = db.prepare('SELECT record FROM sessions').iterate()
  try {
    for (const row of rows) {
      const session = wholeSession(row['record'])
      if (session) sessions.push(session)
    }
  } catch {
    // The damage begins here; what came before it is whole.
  }
  return sessions
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
