import { randomUUID } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { messageOf, TrailBossError } from '../core/errors.ts'
import {
  apply,
  type Changes,
  commit,
  type Entry,
  type LogEntry,
  type State,
  stateOf,
} from '../core/session/state.ts'
import { inTransaction } from './database/database.ts'
import { DatabaseFiles, restorationOf } from './files/database-files.ts'
import { LastKnownFile } from './files/last-known.ts'
import { countLog, foldLog, LAST_ADMITTED_AT, saveSessions, writeBase } from './log/load-log.ts'
import { openStore } from './open-store.ts'
import { type Held, rebuildDatabase } from './rebuild.ts'
import { setMeta } from './rows/meta.ts'
import { closeEpisode, reviseEpisode } from './tables/episodes.ts'
import { examineLargeTables } from './tables/tables.ts'

/** Names come from outside, so only this many are remembered. */
const MAX_IGNORED_NAMES = 500

/** More than a full disk may still have room for when it has none for an event; SQLite only writes what has changed. */
const PROBE_UUIDS = 2_000

/**
 * The event log and the state that it adds up to. An entry and all its changes are written in one transaction;
 * memory follows only after the commit, so what was acknowledged is on disk.
 */
export class Store {
  readonly db: DatabaseSync
  readonly state: State
  /** Set when a damaged database had to be set aside at start. */
  readonly setAside: string | undefined
  /** What the database has lost since it was last used, one sentence each. */
  readonly losses: readonly string[]
  readonly #path: string
  readonly #id: string
  readonly #files: DatabaseFiles
  readonly #lastKnown: LastKnownFile
  #baseSeq: number
  #lastSeq: number
  #lastAdmittedAt: number
  #refusal: string | undefined
  #isGathering = false
  /** The last batched entries are only in memory. */
  #isBehind = false
  #statements: Statements

  constructor(path: string) {
    const opened = openStore(path)
    this.db = opened.db
    this.setAside = opened.setAside
    this.losses = opened.losses
    this.#path = path
    this.#statements = prepareStatements(this.db)
    this.state = stateOf(opened.log.sessions)
    this.#baseSeq = opened.log.baseSeq
    this.#lastSeq = opened.log.lastSeq
    this.#lastAdmittedAt = opened.log.lastAdmittedAt
    this.#id = opened.id
    this.#files = new DatabaseFiles(path, this.db)
    this.#lastKnown = new LastKnownFile(path, () => {
      const { id, seq, admittedAt } = this.#held()
      return { id, seq, admittedAt, isOpen: true }
    })
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  get lastAdmittedAt(): number {
    return this.#lastAdmittedAt
  }

  /** Appends, projects, then changes the state in memory. If it throws, nothing has changed. */
  append(entry: Entry, now: number): Changes {
    const logged: LogEntry = {
      seq: this.#lastSeq + 1,
      admittedAt: Math.max(now, this.#lastAdmittedAt + 1),
      entry,
    }
    const changes = apply(this.state, logged)
    this.#attempt(() => {
      if (this.#isGathering && !this.#isInTransaction) this.db.exec('BEGIN IMMEDIATE')
      inTransaction(this.db, () => this.#write(logged, changes))
    })
    this.#isBehind = false
    commit(this.state, changes)
    this.#lastSeq = logged.seq
    this.#lastAdmittedAt = logged.admittedAt
    this.#lastKnown.touch()
    return changes
  }

  /** Ask this before acknowledging anything: whether what was stored is in the files that exist now. */
  isInPlace(): boolean {
    return this.#isInTransaction || this.#files.areInPlace()
  }

  /**
   * Rewrites files that were removed, replaced or truncated under us, with everything that was stored. Returns
   * what was done.
   */
  restoreFiles(): string {
    try {
      const restored = this.#files.restore(
        (path) => rebuildDatabase(path, this.#held(), this.db),
        () => {
          this.#statements = prepareStatements(this.db)
        },
      )
      if (restored.isRebuilt) this.#baseSeq = this.#lastSeq
      this.#refusal = undefined
      return restorationOf(this.#path, restored)
    } catch (error) {
      this.#refusal = `${this.#path} was removed or damaged and cannot be written again: ${messageOf(error)}`
      throw new TrailBossError('NOT_STORED', this.#refusal, { cause: error })
    }
  }

  #held(): Held {
    return {
      id: this.#id,
      seq: this.#lastSeq,
      admittedAt: this.#lastAdmittedAt,
      sessions: this.state.sessions.values(),
    }
  }

  get #isInTransaction(): boolean {
    return this.db.isOpen && this.db.isTransaction
  }

  /** Why nothing can be stored, if so; retries what was refused before. */
  refusal(): string | undefined {
    // Files that are not in place are rewritten first.
    if (this.#refusal !== undefined && this.isInPlace()) this.probe()
    return this.#refusal
  }

  /** Checks whether anything can be stored. */
  probe(): void {
    try {
      this.#attempt(() => {
        setMeta(this.db, 'probe', randomUUID().repeat(PROBE_UUIDS))
        if (!this.isInPlace()) throw new Error(`${this.#path} was removed or damaged`)
      })
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

  /** For many entries that can be read again from their source: they are committed together, at the end. */
  atOnce<T>(work: () => T): T {
    if (this.#isGathering) return work()
    this.#isGathering = true
    try {
      return work()
    } finally {
      this.#isGathering = false
      if (this.#isInTransaction) this.#attempt(() => this.#commitGathered())
    }
  }

  #commitGathered(): void {
    try {
      this.db.exec('COMMIT')
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      // Memory cannot go back, so its content is written with the next entry.
      this.#isBehind = true
      throw error
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

  /** The state according to the log alone. It must equal `state`, otherwise something is broken. */
  replayed(): State {
    return { sessions: foldLog(this.db, this.#lastSeq) ?? new Map() }
  }

  /** Checks all rows that no start reads, a few at a time. */
  *examine(): Generator<void> {
    yield* examineLargeTables(this.db)
    if (countLog(this.db, this.#baseSeq, this.#lastSeq) === this.#lastSeq - this.#baseSeq) return
    // The log alone no longer gives the state, so it starts again from here.
    writeBase(this.db, this.#lastSeq, this.state.sessions.values())
    this.#baseSeq = this.#lastSeq
  }

  ignore(harness: string, name: string, now: number): void {
    this.#statements.ignore.run(harness, name, now)
  }

  [Symbol.dispose](): void {
    if (this.db.isOpen) this.db.close()
    this.#lastKnown.close()
  }

  #write(logged: LogEntry, changes: Changes): void {
    if (this.#isBehind) {
      saveSessions(this.db, this.state.sessions.values())
      writeBase(this.db, this.#lastSeq, this.state.sessions.values())
    }
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
