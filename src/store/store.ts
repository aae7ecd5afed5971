import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { messageOf, TrailBossError } from '../core/errors.ts'
import type { Session } from '../core/session.ts'
import {
  apply,
  type Changes,
  commit,
  type Entry,
  type LogEntry,
  type State,
  stateOf,
} from '../core/state.ts'
import { inTransaction, isDamage, openDatabase, setAside } from './database.ts'
import { closeEpisode, reviseEpisode } from './episodes.ts'
import {
  countLog,
  foldLog,
  LAST_ADMITTED_AT,
  type LoadedLog,
  loadLog,
  saveSessions,
  writeBase,
} from './load-log.ts'
import { setMeta } from './meta.ts'
import { salvageSessions } from './salvage.ts'
import { salvageTables } from './salvage-tables.ts'
import { forgetSetAsideRows } from './set-aside-rows.ts'
import { examineLargeTables, examineSmallTables } from './tables.ts'

/** Names come from outside: only so many are remembered. */
const MAX_IGNORED_NAMES = 500

/** More than what may still find room where there is none for an event; SQLite writes what has changed only. */
const PROBE_UUIDS = 2_000

const KEEP_SET_ASIDE_MS = 30 * 24 * 60 * 60_000

/**
 * The event log and the state that it adds up to. An entry and all it changes are written in one
 * transaction; memory follows only after the commit, so what was acknowledged is on disk.
 */
export class Store {
  readonly db: DatabaseSync
  readonly state: State
  /** Set when a damaged database had to be set aside at start. */
  readonly setAside: string | undefined
  #baseSeq: number
  #lastSeq: number
  #lastAdmittedAt: number
  #refusal: string | undefined
  readonly #statements: Statements

  constructor(path: string) {
    const opened = openOrSetAside(path)
    this.db = opened.db
    this.setAside = opened.setAside
    this.#statements = prepareStatements(this.db)
    this.state = stateOf(opened.log.sessions)
    this.#baseSeq = opened.log.baseSeq
    this.#lastSeq = opened.log.lastSeq
    this.#lastAdmittedAt = opened.log.lastAdmittedAt
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get lastAdmittedAt(): number {
    return this.#lastAdmittedAt
  }

  /** Appends, projects, then changes the state in memory. On a throw nothing has changed. */
  append(entry: Entry, now: number): Changes {
    const logged: LogEntry = {
      seq: this.#lastSeq + 1,
      admittedAt: Math.max(now, this.#lastAdmittedAt + 1),
      entry,
    }
    const changes = apply(this.state, logged)
    this.#attempt(() => inTransaction(this.db, () => this.#write(logged, changes)))
    commit(this.state, changes)
    this.#lastSeq = logged.seq
    this.#lastAdmittedAt = logged.admittedAt
    return changes
  }

  /** Why nothing can be stored, if so: what was refused before is tried again. */
  refusal(): string | undefined {
    if (this.#refusal !== undefined) this.probe()
    return this.#refusal
  }

  /** Tries whether anything can be stored. */
  probe(): void {
    try {
      this.#attempt(() => setMeta(this.db, 'probe', randomUUID().repeat(PROBE_UUIDS)))
    } catch {
      // It is kept as the refusal.
    }
  }

  #attempt(write: () => void): void {
    try {
      write()
      this.#refusal = undefined
    } catch (error) {
      this.#refusal = messageOf(error)
      throw error
    }
  }

  /** For many entries that can be read again from where they came: they are committed together, at the end. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      return await work()
    } finally {
      if (this.db.isTransaction) this.db.exec('COMMIT')
    }
  }

  /** Folds up to `most` of the oldest entries into the base, leaving the newest `keep`. */
  compact(keep: number, most: number): number {
    const through = Math.min(this.#lastSeq - keep, this.#baseSeq + most)
    if (through <= this.#baseSeq) return 0
    return inTransaction(this.db, () => {
      const folded = foldLog(this.db, through)
      const [seq, sessions] = folded ? [through, folded] : [this.#lastSeq, this.state.sessions]
      writeBase(this.db, seq, sessions.values())
      setMeta(this.db, LAST_ADMITTED_AT, String(this.#lastAdmittedAt))
      this.#baseSeq = seq
      return Number(this.db.prepare('DELETE FROM events WHERE seq <= ?').run(through).changes)
    })
  }

  /** The state as the log alone tells it. Equal to `state`, or something is broken. */
  replayed(): State {
    return { sessions: foldLog(this.db, this.#lastSeq) ?? new Map() }
  }

  /** Reads all rows that no start reads, some at a time, for what is wrong with them. */
  *examine(): Generator<void> {
    yield* examineLargeTables(this.db)
    if (countLog(this.db, this.#baseSeq, this.#lastSeq) === this.#lastSeq - this.#baseSeq) return
    // The log alone does not tell the state any more: it starts anew from here.
    writeBase(this.db, this.#lastSeq, this.state.sessions.values())
    this.#baseSeq = this.#lastSeq
  }

  ignore(harness: string, name: string, now: number): void {
    this.#statements.ignore.run(harness, name, now)
  }

  [Symbol.dispose](): void {
    this.db.close()
  }

  #write(logged: LogEntry, changes: Changes): void {
    const { insertEvent, upsertSession, deleteSession } = this.#statements
    insertEvent.run(logged.seq, logged.admittedAt, logged.entry.type, JSON.stringify(logged.entry))
    for (const session of changes.updated) {
      upsertSession.run(session.key, session.verdict.state, JSON.stringify(session))
    }
    for (const key of changes.removed) deleteSession.run(key)
    for (const transition of changes.transitions) {
      if (transition.closed) closeEpisode(this.db, logged.seq, transition)
    }
    for (const lifted of changes.revised ?? []) reviseEpisode(this.db, lifted)
  }
}

type Statements = Record<
  'insertEvent' | 'upsertSession' | 'deleteSession' | 'ignore',
  StatementSync
>

function prepareStatements(db: DatabaseSync): Statements {
  return {
    insertEvent: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?)'),
    upsertSession: db.prepare(
      'INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, record = excluded.record',
    ),
    deleteSession: db.prepare('DELETE FROM sessions WHERE key = ?'),
    ignore: db.prepare(
      `INSERT INTO ignored_signals SELECT ?1, ?2, 1, ?3
       WHERE (SELECT count(*) FROM ignored_signals) < ${MAX_IGNORED_NAMES}
          OR EXISTS (SELECT 1 FROM ignored_signals WHERE harness = ?1 AND name = ?2)
       ON CONFLICT DO UPDATE SET count = count + 1, last_at = excluded.last_at`,
    ),
  }
}

type Opened = { db: DatabaseSync; log: LoadedLog; setAside: string | undefined }

function openOrSetAside(path: string): Opened {
  try {
    return { ...open(path), setAside: undefined }
  } catch (error) {
    if (!isDamage(error)) throw unusable(path, error)
    const aside = setAside(path, new Date().toISOString().replaceAll(/[:.]/g, '-'))
    const db = openDatabase(path)
    seed(db, salvageSessions(aside))
    salvageTables(aside, db, Date.now())
    return { db, log: loadLog(db), setAside: aside }
  }
}

function open(path: string): Omit<Opened, 'setAside'> {
  const db = openDatabase(path)
  try {
    forgetSetAsideRows(db, Date.now() - KEEP_SET_ASIDE_MS)
    examineSmallTables(db)
    return { db, log: loadLog(db) }
  } catch (error) {
    db.close()
    throw error
  }
}

function unusable(path: string, error: unknown): TrailBossError {
  if (error instanceof TrailBossError) return error
  return new TrailBossError('DAEMON_FAILED', `${path} cannot be used: ${messageOf(error)}`, {
    hint: `Look whether there is room, and who may write it: df -h '${dirname(path)}'; ls -l '${path}'*`,
    cause: error,
  })
}

/** What could be read from the damaged file becomes the base that the new log starts from. */
function seed(db: DatabaseSync, sessions: Session[]): void {
  inTransaction(db, () => {
    writeBase(db, 0, sessions)
    saveSessions(db, sessions)
  })
}
