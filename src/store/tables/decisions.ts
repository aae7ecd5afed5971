import type { DatabaseSync } from 'node:sqlite'
import type { Asker, Decision, DecisionState } from '../../core/decision/decision.ts'
import { DECISION_KINDS, WITHDRAWALS } from '../../core/decision/decision.ts'
import { emptyJournalSoon, erasing } from '../database/erasing.ts'
import { recordTable, saveRecord, select, selectOne } from '../rows/rows.ts'
import {
  anything,
  flag,
  list,
  name,
  object,
  oneOf,
  optional,
  text,
  time,
  variant,
} from '../shapes/shape.ts'

type State<K extends DecisionState['kind']> = Omit<Extract<DecisionState, { kind: K }>, 'kind'>

export const DECISIONS = recordTable<Decision>({
  name: 'decisions',
  key: 'decision_id',
  shape: object<Decision>({
    id: name,
    asker: object<Asker>({ name, id: name, cwd: optional(text) }),
    kind: oneOf(DECISION_KINDS),
    text,
    tool: optional(text),
    options: list(text),
    digest: name,
    isCut: optional(flag),
    askedAt: time,
    deadline: optional(time),
    state: variant('kind', {
      pending: object<State<'pending'>>({}),
      answered: object<State<'answered'>>({
        at: time,
        by: name,
        choice: text,
        message: optional(text),
        isChanged: flag,
        input: anything,
        isTaken: optional(flag),
      }),
      withdrawn: object<State<'withdrawn'>>({ at: time, why: oneOf(WITHDRAWALS) }),
    }),
  }),
  columns: ({ id, state, askedAt }) => ({
    decision_id: id,
    state: state.kind,
    asked_at: askedAt,
    settled_at: state.kind === 'pending' ? null : state.at,
  }),
})

/** An answer may hold a changed input with a secret in it, until its asker has it. */
export function saveDecision(db: DatabaseSync, decision: Decision): void {
  erasing(db, () => saveRecord(db, DECISIONS, decision))
}

/** The asker has the answer: what it held is overwritten. */
export function eraseAnswer(db: DatabaseSync, decision: Decision): void {
  emptyJournalSoon(db)
  saveDecision(db, decision)
}

export function readDecision(db: DatabaseSync, id: string): Decision | undefined {
  return selectOne(db, DECISIONS, 'WHERE decision_id = ?', id)
}

/** Oldest first. */
export function pendingDecisions(db: DatabaseSync): Decision[] {
  return select(db, DECISIONS, "WHERE state = 'pending' ORDER BY asked_at, t.rowid")
}

/** Newest first. */
export function settledDecisions(db: DatabaseSync, limit: number): Decision[] {
  const clause = "WHERE state <> 'pending' ORDER BY settled_at DESC, t.rowid DESC LIMIT ?"
  return select(db, DECISIONS, clause, limit)
}

/** Those whose answer is kept for their asker. */
export function untakenDecisions(db: DatabaseSync): Decision[] {
  const clause = "WHERE state = 'answered' AND record ->> '$.state.isTaken' IS NULL"
  return select(db, DECISIONS, clause)
}

/** Nobody has answered these: a program that asks and leaves all day does not fill the disk. */
const MOST_WITHDRAWN = 1_000

export function forgetDecisions(db: DatabaseSync, before: number): void {
  db.prepare('DELETE FROM decisions WHERE settled_at < ?').run(before)
  db.prepare(`
    DELETE FROM decisions WHERE state = 'withdrawn' AND settled_at < (
      SELECT settled_at FROM decisions WHERE state = 'withdrawn'
      ORDER BY settled_at DESC LIMIT 1 OFFSET ?
    )`).run(MOST_WITHDRAWN - 1)
}
