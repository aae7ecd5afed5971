import type { DatabaseSync } from 'node:sqlite'
import type { RuntimeToken } from '../../core/bridge/token.ts'
import { readTime, setMeta } from '../rows/meta.ts'
import { columnTable, type Row, select, selectNumber, selectOne } from '../rows/rows.ts'
import { name, object, optional, text, time } from '../shapes/shape.ts'
import { sha256 } from './audit.ts'

export const TOKENS = columnTable(
  'tokens',
  object({
    token_id: name,
    sha256: (hash) => (/^[0-9a-f]{64}$/.test(String(hash)) ? undefined : 'is not a hash'),
    runtime_id: name,
    agent_id: name,
    workspace_id: name,
    issued_at: time,
    expires_at: time,
    revoked_at: optional(time),
    revoked_why: optional(text),
  }),
  tokenOf,
)

/** The secret is hashed here and goes no further. */
export function insertToken(db: DatabaseSync, secret: string, token: RuntimeToken): void {
  db.prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    token.id,
    sha256(secret),
    token.runtimeId,
    token.agentId,
    token.workspaceId,
    token.issuedAt,
    token.expiresAt,
    token.revoked?.at ?? null,
    token.revoked?.why ?? null,
  )
}

/** `requireValid` checks whether it is still valid. */
export function findToken(db: DatabaseSync, secret: string): RuntimeToken | undefined {
  return selectOne(db, TOKENS, 'WHERE sha256 = ?', sha256(secret))
}

/** A revoked token stays revoked, and never expires earlier, whatever is saved. */
export function saveToken(db: DatabaseSync, token: RuntimeToken): void {
  db.prepare(
    `UPDATE tokens SET expires_at = max(expires_at, ?), revoked_why = coalesce(revoked_why, ?),
       revoked_at = coalesce(revoked_at, ?) WHERE token_id = ?`,
  ).run(token.expiresAt, token.revoked?.why ?? null, token.revoked?.at ?? null, token.id)
}

/** Revokes all tokens of a runtime. Returns those that were not revoked yet. */
export function revokeTokens(
  db: DatabaseSync,
  runtimeId: string,
  why: string,
  now: number,
): RuntimeToken[] {
  const valid = select(db, TOKENS, 'WHERE runtime_id = ? AND revoked_at IS NULL', runtimeId)
  db.prepare(
    'UPDATE tokens SET revoked_at = ?, revoked_why = ? WHERE runtime_id = ? AND revoked_at IS NULL',
  ).run(now, why, runtimeId)
  return valid.map((token) => ({ ...token, revoked: { at: now, why } }))
}

export function listTokens(db: DatabaseSync, runtimeId?: string): RuntimeToken[] {
  const clause = 'WHERE ?1 IS NULL OR runtime_id = ?1 ORDER BY issued_at, token_id'
  return select(db, TOKENS, clause, runtimeId ?? null)
}

export function readToken(db: DatabaseSync, tokenId: string): RuntimeToken | undefined {
  return selectOne(db, TOKENS, 'WHERE token_id = ?', tokenId)
}

/** Extends those that were valid at `goodAt` to at least `expiresAt`. */
export function prolongTokens(db: DatabaseSync, goodAt: number, expiresAt: number): number {
  const { changes } = db
    .prepare(
      `UPDATE tokens SET expires_at = ?2
       WHERE revoked_at IS NULL AND issued_at <= ?1 AND expires_at > ?1 AND expires_at < ?2`,
    )
    .run(goodAt, expiresAt)
  return Number(changes)
}

/** Whether there is one that may be shown again. */
export function hasTokens(db: DatabaseSync, now: number): boolean {
  const sql = 'SELECT 1 FROM tokens WHERE revoked_at IS NULL AND expires_at > ? LIMIT 1'
  return selectNumber(db, sql, now) === 1
}

/** When tokens were last maintained, so that we know how long nobody could renew one. */
export function readTokensKeptAt(db: DatabaseSync): number | undefined {
  return readTime(db, KEPT_AT)
}

export function saveTokensKeptAt(db: DatabaseSync, at: number): void {
  setMeta(db, KEPT_AT, String(at))
}

const KEPT_AT = 'tokens_kept_at'

/** Drops those that ended before `before`. Until then, whoever shows one learns why it was refused. */
export function forgetTokens(db: DatabaseSync, before: number): number {
  const { changes } = db
    .prepare('DELETE FROM tokens WHERE min(expires_at, coalesce(revoked_at, expires_at)) < ?')
    .run(before)
  return Number(changes)
}

function tokenOf(row: Row): RuntimeToken {
  const revokedAt = row['revoked_at'] as number | null
  return {
    id: row['token_id'] as string,
    runtimeId: row['runtime_id'] as string,
    agentId: row['agent_id'] as string,
    workspaceId: row['workspace_id'] as string,
    issuedAt: row['issued_at'] as number,
    expiresAt: row['expires_at'] as number,
    ...(revokedAt !== null && { revoked: { at: revokedAt, why: row['revoked_why'] as string } }),
  }
}
