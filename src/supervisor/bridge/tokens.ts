import { randomBytes } from 'node:crypto'
import type { TokenView } from '../../contract/supervisor.ts'
import {
  issuedToken,
  type RuntimeToken,
  refusalOf,
  renewedToken,
  requireValid,
  revokedToken,
  TOKEN_PREFIX,
  type TokenRefusal,
} from '../../core/bridge/token.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { Runtime } from '../../core/supervisor/runtime/runtime.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { newId } from '../../service/new-id.ts'
import { inTransaction } from '../../store/database/database.ts'
import {
  findToken,
  forgetTokens,
  hasTokens,
  insertToken,
  listTokens,
  prolongTokens,
  readToken,
  readTokensKeptAt,
  revokeTokens,
  saveToken,
  saveTokensKeptAt,
} from '../../store/tables/tokens.ts'
import { audit, OURSELVES, operatorNamed, type SupervisorContext } from '../context/context.ts'

/** Who may use the bridge, and until when. */
export type RuntimeTokens = {
  /** Returns the secret, which is stored nowhere: the runtime must get it now. Revokes the runtime's earlier ones. */
  issue(runtime: Pick<Runtime, 'runtimeId' | 'agentId' | 'workspaceId'>): string
  /** `runtimeOf` returns the runtime that an agent has now. Throws `UNAUTHORIZED`. */
  authenticate(secret: string, runtimeOf?: (agentId: string) => string | undefined): RuntimeToken
  /** Extends the token; one that has ended in the meantime stays as it is. */
  renew(token: RuntimeToken): RuntimeToken
  /** All tokens of a runtime: it was stopped, or is being restarted. */
  revoke(runtimeId: string, why: string): void
  revokeOne(tokenId: string, by: string | undefined): TokenView
  views(agentId?: string): TokenView[]
  /** Call it every few seconds: time in which the machine slept or no daemon ran does not count against a token. */
  keep(): void
}

export function createTokens(
  context: Pick<SupervisorContext, 'db' | 'clock' | 'settings'>,
): RuntimeTokens {
  const { db, clock, settings } = context
  const rules = settings.token
  const refusals = new Map<string, number>()
  let keptAt = readTokensKeptAt(db)
  let storedAt = keptAt ?? 0

  const view = (token: RuntimeToken): TokenView => {
    const wall = (at: number) => Math.round(clock.toWall(at))
    return {
      id: token.id,
      runtimeId: token.runtimeId,
      agent: token.agentId,
      issuedAt: wall(token.issuedAt),
      expiresAt: wall(token.expiresAt),
      revokedAt: token.revoked ? wall(token.revoked.at) : null,
      revokedWhy: token.revoked?.why ?? null,
      refusal: refusalOf(token, clock.now()) ?? null,
    }
  }

  const revoke = (runtimeId: string, why: string): void =>
    inTransaction(db, () => {
      for (const token of revokeTokens(db, runtimeId, why, clock.now())) {
        audit(context, { ...about(token), kind: 'token_revoked', actor: OURSELVES, detail: why })
      }
    })

  /** Anybody can show a wrong token as often as they like, and the audit forgets nothing. */
  const auditRefusal = (token: RuntimeToken | undefined, refusal: TokenRefusal): void => {
    const now = clock.now()
    const whose = token?.id ?? 'unknown'
    if (now - (refusals.get(whose) ?? Number.NEGATIVE_INFINITY) < REFUSAL_EVERY_MS) return
    if (refusals.size >= MOST_REFUSALS) refusals.clear()
    refusals.set(whose, now)
    audit(context, {
      ...(token && about(token)),
      kind: 'token_refused',
      actor: token?.agentId ?? 'unknown',
      result: 'UNAUTHORIZED',
      detail: token ? `${token.id}: ${refusal}` : refusal,
    })
  }

  const keep = (): void => {
    const now = clock.now()
    if (keptAt !== undefined && now - keptAt > GAP_MS) {
      prolongTokens(db, keptAt, now + rules.lifetimeMs)
    }
    keptAt = now
    if (now - storedAt < STORED_EVERY_MS || !hasTokens(db, now)) return
    saveTokensKeptAt(db, now)
    storedAt = now
  }

  return {
    keep,
    revoke,
    issue(runtime) {
      const secret = `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`
      const { runtimeId, agentId, workspaceId } = runtime
      inTransaction(db, () => {
        const now = clock.now()
        forgetTokens(db, now - FORGET_AFTER_MS)
        revoke(runtimeId, 'It was started again.')
        const told = { id: newId('tok'), runtimeId, agentId, workspaceId }
        const token = issuedToken(told, now, rules)
        insertToken(db, secret, token)
        audit(context, {
          ...about(token),
          kind: 'token_issued',
          actor: OURSELVES,
          result: 'ok',
          detail: token.id,
        })
      })
      return secret
    },
    authenticate(secret, runtimeOf) {
      // After the machine wakes up, a runtime's request may come before our own timers run.
      if (keptAt !== undefined && clock.now() - keptAt > GAP_MS) keep()
      const token = SECRET.test(secret) ? findToken(db, secret) : undefined
      // If the agent no longer has a runtime, the token cannot belong to its runtime.
      const runtimeId = token && runtimeOf ? (runtimeOf(token.agentId) ?? '') : undefined
      const now = clock.now()
      const refusal = refusalOf(token, now, runtimeId)
      if (refusal) auditRefusal(token, refusal)
      return requireValid(token, now, runtimeId)
    },
    renew(token) {
      const renewed = renewedToken(token, clock.now(), rules)
      saveToken(db, renewed)
      return renewed
    },
    revokeOne(tokenId, by) {
      const token = readToken(db, tokenId)
      if (!token) throw noSuchToken(tokenId)
      if (token.revoked) return view(token)
      const actor = operatorNamed(by)
      const revoked = revokedToken(token, `By ${actor}.`, clock.now())
      inTransaction(db, () => {
        saveToken(db, revoked)
        audit(context, {
          ...about(token),
          kind: 'token_revoked',
          actor,
          result: 'ok',
          detail: token.id,
        })
      })
      return view(revoked)
    },
    views: (agentId) =>
      listTokens(db)
        .filter((token) => agentId === undefined || token.agentId === agentId)
        .map(view),
  }
}

/** The shape of a secret: nothing else is looked up. */
const SECRET = /^tbr_[\w-]{43}$/
const FORGET_AFTER_MS = 86_400_000
const REFUSAL_EVERY_MS = 60_000
const MOST_REFUSALS = 1_000
/** After a gap longer than this between two looks, nobody could have renewed anything. */
const GAP_MS = 60_000
const STORED_EVERY_MS = 60_000

function about({ agentId, runtimeId }: RuntimeToken): { agentId: string; runtimeId: string } {
  return { agentId, runtimeId }
}

function noSuchToken(tokenId: string): TrailBossError {
  return new TrailBossError(
    'NOT_FOUND',
    `There is no token "${truncate(displayLine(tokenId), 80)}".`,
    { hint: 'trailboss token list shows them. One that ended a day ago is forgotten.' },
  )
}
