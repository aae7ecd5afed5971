import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Session } from '../core/session.ts'
import { verdictOf } from '../core/verdict.ts'
import { sessionShape } from './session-shapes.ts'

/** What is the same in every file of ours, by where it stands: without it SQLite reads nothing at all. */
const HEADER: readonly [number, readonly number[]][] = [
  [0, [...Buffer.from('SQLite format 3\0')]],
  [16, [0x10, 0, 2, 2, 0, 64, 32, 32]],
  [44, [0, 0, 0, 4]],
  [56, [0, 0, 0, 1]],
]
const PAGE_BYTES = 4_096

/** Sets these bytes again in a damaged file that consists of whole pages, as a database does. */
export function restoreHeader(path: string): void {
  const { size } = statSync(path)
  if (size === 0 || size % PAGE_BYTES !== 0) return
  const fd = openSync(path, 'r+')
  try {
    for (const [at, bytes] of HEADER) writeSync(fd, Buffer.from(bytes), 0, bytes.length, at)
    const pages = Buffer.alloc(4)
    pages.writeUInt32BE(size / PAGE_BYTES)
    writeSync(fd, pages, 0, pages.length, 28)
  } finally {
    closeSync(fd)
  }
}

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
