import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AgentEvent, type Ask, sessionKey } from '../../../src/core/session/event.ts'
import {
  type Entry,
  emptyState,
  type LogEntry,
  replay,
  type State,
} from '../../../src/core/session/state.ts'

/** An entry of the daemon's log. Times count from when it was read, so they are negative. */
export type ToldEntry = Extract<Entry, { type: 'event.received' | 'process.observed' }>

const MOST_ENTRIES = 40
const ASK_CHARS = 80

/** What the daemon has in its log of the sessions in this pane: those that run, else the last that did. */
export function toldOf(home: string, pane: string): ToldEntry[] {
  const log = readLog(join(home, 'trailboss.db'))
  const now = Date.now()
  const inPane = [...new Set(log.flatMap(({ entry }) => claimantOf(entry, pane)))]
  const { sessions } = replay(emptyState(), log)
  const running = inPane.filter((key) => sessions.get(key)?.verdict.state !== 'ended')
  const wanted = new Set(running.length > 0 ? running : inPane.slice(-1))
  return log
    .flatMap(({ entry }) => (isTold(entry) && wanted.has(sessionOf(entry)) ? [entry] : []))
    .slice(-MOST_ENTRIES)
    .map((entry) => moved(briefly(entry), -now))
}

/** The state that they add up to, as if they had been read at `now`. */
export function stateAfter(told: readonly ToldEntry[], now: number): State {
  const log = told.map((entry, index): LogEntry => {
    const at = entry.type === 'event.received' ? entry.event.at : entry.process.at
    return { seq: index + 1, admittedAt: at + now, entry: moved(entry, now) }
  })
  return replay(emptyState(), log)
}

function isTold(entry: Entry): entry is ToldEntry {
  return entry.type === 'event.received' || entry.type === 'process.observed'
}

function sessionOf(entry: ToldEntry) {
  if (entry.type === 'process.observed') return entry.session
  return sessionKey(entry.event.harness, entry.event.session)
}

function claimantOf(entry: Entry, pane: string) {
  const claims = entry.type === 'event.received' && entry.event.pane?.id === pane
  return claims ? [sessionOf(entry)] : []
}

function moved(entry: ToldEntry, by: number): ToldEntry {
  if (entry.type === 'event.received') {
    return { ...entry, event: { ...entry.event, at: entry.event.at + by } }
  }
  return { ...entry, process: { ...entry.process, at: entry.process.at + by } }
}

/** Without what says nothing of the state: paths, and the length of what is asked. */
function briefly(entry: ToldEntry): ToldEntry {
  if (entry.type === 'process.observed') return entry
  const { cwd: _, transcript: __, pending: ___, ask, ...event } = entry.event
  const brief: AgentEvent = { ...event, ...(ask && { ask: briefAsk(ask) }) }
  return { ...entry, event: brief }
}

function briefAsk({ text, tool }: Ask): Ask {
  return { text: text.slice(0, ASK_CHARS), ...(tool !== undefined && { tool }) }
}

function readLog(path: string): LogEntry[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = db.prepare('SELECT seq, admitted_at, entry FROM events ORDER BY seq').all()
    return rows.map((row) => ({
      seq: Number(row['seq']),
      admittedAt: Number(row['admitted_at']),
      entry: JSON.parse(String(row['entry'])) as Entry,
    }))
  } finally {
    db.close()
  }
}
