import { TrailBossError } from '../errors.ts'

/**
 * What lets a runtime onto the bridge, and the only thing that says who it is. The secret itself is not in here:
 * the runtime gets it once, at its launch, and we store a hash.
 *
 * - Who: one runtime, with its agent and workspace. It never passes to another.
 * - Until when: `expiresAt`, a quarter of an hour after it was issued or last renewed.
 * - Renewal: every heartbeat of a token that is still valid moves `expiresAt`, and never back.
 * - Revocation: at the runtime's stop or restart, or by the operator. It is final, and so is expiry.
 */
export type RuntimeToken = {
  id: string
  runtimeId: string
  agentId: string
  workspaceId: string
  issuedAt: number
  expiresAt: number
  revoked?: { at: number; why: string }
}

export type TokenRules = { lifetimeMs: number }

export type TokenRefusal = 'unknown' | 'revoked' | 'expired' | 'other-runtime'

export const DEFAULT_TOKEN_RULES: TokenRules = { lifetimeMs: 15 * 60_000 }

/** Every secret begins with it, so that we recognise one wherever it turns up. */
export const TOKEN_PREFIX = 'tbr_'

export function issuedToken(
  token: { id: string; runtimeId: string; agentId: string; workspaceId: string },
  now: number,
  rules: TokenRules = DEFAULT_TOKEN_RULES,
): RuntimeToken {
  return { ...token, issuedAt: now, expiresAt: now + rules.lifetimeMs }
}

/** A token that is no longer valid stays as it is. */
export function renewedToken(
  token: RuntimeToken,
  now: number,
  rules: TokenRules = DEFAULT_TOKEN_RULES,
): RuntimeToken {
  if (refusalOf(token, now)) return token
  return { ...token, expiresAt: Math.max(token.expiresAt, now + rules.lifetimeMs) }
}

/** Revoking it again changes nothing, so that the first reason stays. */
export function revokedToken(token: RuntimeToken, why: string, now: number): RuntimeToken {
  return token.revoked ? token : { ...token, revoked: { at: now, why } }
}

/** Why a token is refused, or undefined. `runtimeId` is the runtime it must belong to, if that is known. */
export function refusalOf(
  token: RuntimeToken | undefined,
  now: number,
  runtimeId?: string,
): TokenRefusal | undefined {
  if (!token) return 'unknown'
  if (token.revoked) return 'revoked'
  if (now >= token.expiresAt) return 'expired'
  return runtimeId !== undefined && runtimeId !== token.runtimeId ? 'other-runtime' : undefined
}

export function requireValid(
  token: RuntimeToken | undefined,
  now: number,
  runtimeId?: string,
): RuntimeToken {
  const refusal = refusalOf(token, now, runtimeId)
  if (token && !refusal) return token
  throw new TrailBossError('UNAUTHORIZED', REFUSALS[refusal ?? 'unknown'], {
    hint: 'The runtime gets a new token when it is started: `trailboss runtime restart`.',
  })
}

const REFUSALS: Record<TokenRefusal, string> = {
  unknown: 'This is not a token of the bridge.',
  revoked:
    'This token was revoked. Its runtime was stopped or restarted, or the operator took it back.',
  expired: 'This token has expired. Its runtime has sent no heartbeat for too long.',
  'other-runtime': 'This token is that of another runtime.',
}
