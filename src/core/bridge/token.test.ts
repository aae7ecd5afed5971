import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  issuedToken,
  type RuntimeToken,
  refusalOf,
  renewedToken,
  requireValid,
  revokedToken,
} from './token.ts'

const MINUTE = 60_000
const token = issuedToken(
  { id: 'tok_1', runtimeId: 'rt_1', agentId: 'w/reviewer', workspaceId: 'w' },
  0,
)

describe('a token', () => {
  test('is valid for a quarter of an hour', () => {
    expect(refusalOf(token, 15 * MINUTE - 1)).toBeUndefined()
    expect(refusalOf(token, 15 * MINUTE)).toBe('expired')
  })

  test('is renewed by a heartbeat for another quarter', () => {
    const renewed = renewedToken(token, 10 * MINUTE)
    expect(refusalOf(renewed, 25 * MINUTE - 1)).toBeUndefined()
    expect(refusalOf(renewed, 25 * MINUTE)).toBe('expired')
  })

  test('that has expired or was revoked cannot be renewed', () => {
    expect(renewedToken(token, 15 * MINUTE)).toBe(token)
    const revoked = revokedToken(token, 'stopped', MINUTE)
    expect(renewedToken(revoked, MINUTE)).toBe(revoked)
  })

  test('is revoked once, for the first reason', () => {
    const revoked = revokedToken(token, 'stopped', MINUTE)
    expect(revokedToken(revoked, 'by the operator', 2 * MINUTE)).toBe(revoked)
    expect(refusalOf(revoked, MINUTE)).toBe('revoked')
  })

  test('belongs to one runtime', () => {
    expect(refusalOf(token, 0, 'rt_1')).toBeUndefined()
    expect(refusalOf(token, 0, 'rt_2')).toBe('other-runtime')
  })

  test.each<[RuntimeToken | undefined, number, string, string]>([
    [undefined, 0, 'rt_1', 'not a token of the bridge'],
    [revokedToken(token, 'stopped', 1), 2, 'rt_1', 'was revoked'],
    [token, 15 * MINUTE, 'rt_1', 'has expired'],
    [token, 1, 'rt_2', 'another runtime'],
  ])('is refused with a reason (%#)', (shown, now, runtimeId, message) => {
    expect(() => requireValid(shown, now, runtimeId)).toThrow(
      expect.objectContaining({ code: 'UNAUTHORIZED', message: expect.stringContaining(message) }),
    )
  })

  test('that is valid is returned', () => {
    expect(requireValid(token, 1, 'rt_1')).toBe(token)
  })
})

const act = fc.record({
  kind: fc.constantFrom('renew', 'renew', 'renew', 'revoke', 'look'),
  afterMs: fc.integer({ min: -5 * MINUTE, max: 20 * MINUTE }),
})

test('whatever happens to a token, its owner stays, its expiry never moves back, and once dead it stays dead', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      let now = 0
      let before = token
      let latest = 0
      let isDead = false
      for (const { kind, afterMs } of acts) {
        // After a dead token was observed, the clock does not go back to when it was valid.
        now = isDead ? Math.max(latest, now + afterMs) : now + afterMs
        latest = Math.max(latest, now)
        const after =
          kind === 'renew'
            ? renewedToken(before, now)
            : kind === 'revoke'
              ? revokedToken(before, 'x', now)
              : before
        expect(after).toMatchObject({ id: 'tok_1', runtimeId: 'rt_1', agentId: 'w/reviewer' })
        expect(after.expiresAt).toBeGreaterThanOrEqual(before.expiresAt)
        if (isDead) expect(refusalOf(after, now)).toBeDefined()
        isDead ||= refusalOf(after, now) !== undefined
        before = after
      }
    }),
  )
})
