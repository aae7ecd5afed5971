import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { AUDIT_KINDS, type AuditKind, type AuditLine, type AuditPayload } from '../../core/audit.ts'
import { redacted } from '../../core/redact/redaction.ts'
import type { TextPrint } from '../../core/supervisor/trigger/trigger.ts'
import { inTransaction } from '../database/database.ts'
import { setMeta } from '../rows/meta.ts'
import { columnTable, insertRow, type Row, select, selectNumber } from '../rows/rows.ts'
import { count, name, object, oneOf, optional, text, time } from '../shapes/shape.ts'

export const AUDIT = columnTable(
  'audit',
  object({
    seq: count,
    at: time,
    kind: oneOf(AUDIT_KINDS),
    actor: name,
    agent_id: optional(text),
    runtime_id: optional(text),
    thread_id: optional(text),
    trigger_id: optional(text),
    result: optional(text),
    detail: optional(text),
    payload_sha256: optional(text),
    payload_bytes: optional(count),
    payload: optional(text),
  }),
  lineOf,
)

export const AUDIT_TOTALS = columnTable(
  'audit_totals',
  object({ kind: oneOf(AUDIT_KINDS), result: text, lines: count }),
  (row) => countOf({ ...row, result: row['result'] || null }),
)

/** A line to write. Only the hash of its payload is kept; `keepsText` also keeps the text, without its secrets. */
export type NewAuditLine = Omit<AuditLine, 'seq' | 'payload'> & {
  payload?: { text: string; keepsText: boolean }
}

export type AuditFilter = Partial<
  Pick<AuditLine, 'actor' | 'agentId' | 'runtimeId' | 'threadId' | 'triggerId' | 'result'>
> & {
  kinds?: readonly AuditKind[]
  /** From this time on. */
  since?: number
  /** Before this time. */
  until?: number
}

/** Newest first. `next` is the `before` of the following page; undefined at the end. */
export type AuditPage = { lines: AuditLine[]; next: number | undefined }

/** Call it in the transaction of what it records, so that neither exists without the other. */
export function appendAudit(db: DatabaseSync, line: NewAuditLine): AuditLine {
  const payload = line.payload && keptPayload(line.payload)
  const said = withoutSecretWords(line)
  const seq = insertRow(db, AUDIT, {
    at: line.at,
    kind: line.kind,
    actor: said.actor,
    agent_id: said.agentId ?? null,
    runtime_id: said.runtimeId ?? null,
    thread_id: said.threadId ?? null,
    trigger_id: said.triggerId ?? null,
    result: said.result ?? null,
    detail: said.detail ?? null,
    payload_sha256: payload?.sha256 ?? null,
    payload_bytes: payload?.bytes ?? null,
    payload: payload?.text ?? null,
  })
  return { ...said, seq, ...(payload && { payload }) }
}

/** A refused request may name anything as its agent, and a program may complain with the words it was given. */
function withoutSecretWords({ payload: _, ...line }: NewAuditLine): Omit<NewAuditLine, 'payload'> {
  const words = Object.entries(line).map(([name, value]) => [
    name,
    typeof value === 'string' ? redacted(value) : value,
  ])
  return Object.fromEntries(words)
}

export function listAudit(
  db: DatabaseSync,
  filter: AuditFilter = {},
  page: { before?: number | undefined; limit?: number } = {},
): AuditPage {
  const limit = page.limit ?? 100
  const asked = conditionsOf(filter)
  if (page.before !== undefined) asked.push({ sql: 'seq < ?', values: [page.before] })
  const where = asked.length === 0 ? '' : `WHERE ${asked.map(({ sql }) => sql).join(' AND ')}`
  const values = asked.flatMap(({ values }) => values)
  const found = select(db, AUDIT, `${where} ORDER BY seq DESC LIMIT ?`, ...values, limit + 1)
  const lines = found.slice(0, limit)
  return { lines, next: found.length > limit ? lines.at(-1)?.seq : undefined }
}

/** How many lines there are per kind and result. */
export type AuditCount = { kind: AuditKind; result: string | undefined; lines: number }

/** Counts lines after `seq`, or since a time. */
export function countAudit(
  db: DatabaseSync,
  { after, since }: { after?: number; since?: number } = {},
): AuditCount[] {
  return db
    .prepare(
      `SELECT kind, result, count(*) AS lines FROM audit WHERE seq > ?1 AND at >= ?2
       GROUP BY kind, result ORDER BY kind, result`,
    )
    .all(after ?? 0, since ?? 0)
    .map(countOf)
}

/**
 * Drops lines from before that time, at most `most` at once. A line stays as long as one before it does, and
 * the last one always stays: numbers are never reused. Their totals are kept.
 */
export function forgetAudit(db: DatabaseSync, before: number, most: number): number {
  const kept = db.prepare('SELECT seq FROM audit WHERE at >= ? ORDER BY seq LIMIT 1').get(before)
  const first = db.prepare('SELECT min(seq) AS seq FROM audit').get()?.['seq'] as number | null
  const end = Math.min((kept?.['seq'] as number) ?? lastAuditSeq(db), (first ?? 0) + most)
  if (first === null || end <= first) return 0
  return inTransaction(db, () => {
    setMeta(db, KEPT_FROM, String(before))
    db.prepare(
      `INSERT INTO audit_totals
         SELECT kind, coalesce(result, ''), count(*) FROM audit WHERE seq < ? GROUP BY 1, 2
       ON CONFLICT DO UPDATE SET lines = lines + excluded.lines`,
    ).run(end)
    return Number(db.prepare('DELETE FROM audit WHERE seq < ?').run(end).changes)
  })
}

const KEPT_FROM = 'audit_kept_from'

/** How many lines were dropped. */
export function countForgottenAudit(db: DatabaseSync): AuditCount[] {
  return select(db, AUDIT_TOTALS, 'ORDER BY kind, result')
}

/** The number of the last line; 0 if there is none. */
export function lastAuditSeq(db: DatabaseSync): number {
  return selectNumber(db, 'SELECT max(seq) FROM audit')
}

export function printOf(text: string): TextPrint {
  return { bytes: Buffer.byteLength(text), sha256: sha256(text) }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

type Condition = { sql: string; values: (string | number)[] }

const COLUMNS = {
  actor: 'actor',
  agentId: 'agent_id',
  runtimeId: 'runtime_id',
  threadId: 'thread_id',
  triggerId: 'trigger_id',
  result: 'result',
} as const

function conditionsOf(filter: AuditFilter): Condition[] {
  const { kinds, since, until } = filter
  const equal = Object.entries(COLUMNS).flatMap(([key, column]) => {
    const value = filter[key as keyof typeof COLUMNS]
    return value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }]
  })
  return [
    ...equal,
    ...(kinds ? [{ sql: `kind IN (${kinds.map(() => '?').join(', ')})`, values: [...kinds] }] : []),
    ...(since === undefined ? [] : [{ sql: 'at >= ?', values: [since] }]),
    ...(until === undefined ? [] : [{ sql: 'at < ?', values: [until] }]),
  ]
}

function keptPayload({ text, keepsText }: { text: string; keepsText: boolean }): AuditPayload {
  const kept = printOf(text)
  return keepsText ? { ...kept, text: redacted(text) } : kept
}

function countOf(row: Record<string, unknown>): AuditCount {
  return {
    kind: row['kind'] as AuditKind,
    result: (row['result'] as string | null) ?? undefined,
    lines: row['lines'] as number,
  }
}

function lineOf(row: Row): AuditLine {
  const hash = row['payload_sha256'] as string | null
  const text = row['payload'] as string | null
  return {
    seq: row['seq'] as number,
    at: row['at'] as number,
    kind: row['kind'] as AuditKind,
    actor: row['actor'] as string,
    ...set('agentId', row['agent_id']),
    ...set('runtimeId', row['runtime_id']),
    ...set('threadId', row['thread_id']),
    ...set('triggerId', row['trigger_id']),
    ...set('result', row['result']),
    ...set('detail', row['detail']),
    ...(hash !== null && {
      payload: {
        sha256: hash,
        bytes: row['payload_bytes'] as number,
        ...(text !== null && { text }),
      },
    }),
  }
}

function set<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
  return value === null ? {} : ({ [key]: value } as Record<K, string>)
}
