import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from './event.ts'
import { withoutSecrets } from './event-redaction.ts'
import { noEvidence, withEvent } from './evidence.ts'
import { relevantClaims } from './relevant-claims.ts'
import { verdictOf } from './verdict.ts'

function claim(given: Partial<AgentEvent>): AgentEvent {
  return {
    v: 1,
    harness: 'h',
    session: 's',
    source: 'transcript',
    kind: 'seen',
    at: 1,
    detail: `${given.kind} ${given.block}`,
    ...given,
  }
}
const answer = (at: number, block: string) => claim({ kind: 'unstuck', at, block })
const question = (at: number, block: string) =>
  claim({ kind: 'stuck', reason: 'permission', at, block, ask: { text: block } })
const merged = (claims: AgentEvent[], evidence = noEvidence) => claims.reduce(withEvent, evidence)

test('in a long turn only the latest sign of life and the latest answer count', () => {
  const claims = Array.from({ length: 50 }, (_, index) => [
    claim({ kind: 'seen', at: index * 2 }),
    answer(index * 2 + 1, `tool ${index}`),
  ]).flat()
  expect(relevantClaims(claims, noEvidence, 1_000)).toEqual([answer(99, 'tool 49')])
})

test('the answer to a known question counts, however old it is', () => {
  const evidence = merged([question(1, 'rm')])
  const claims = [answer(2, 'rm'), answer(3, 'ls')]
  expect(relevantClaims(claims, evidence, 1_000)).toEqual(claims)
})

test('even if its name holds a secret, which evidence does not keep', () => {
  const named = `Bash:deploy ghp_${'a1B2c3'.repeat(6)}`
  const evidence = merged([withoutSecrets(question(1, named))])
  const claims = [answer(2, named), answer(3, 'ls')]
  expect(relevantClaims(claims, evidence, 1_000)).toEqual(claims)
})

test('a recent answer counts although nobody asked yet: the question may come late', () => {
  const claims = [answer(998, 'a'), answer(999, 'b'), answer(1_000, 'c')]
  expect(relevantClaims(claims, noEvidence, 999)).toEqual(claims.slice(1))
})

test('the verdict is the same as with all of the claims', () => {
  const named = {
    at: fc.nat(30),
    block: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    subagent: fc.option(fc.constant('sub'), { nil: undefined }),
  }
  const claims = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('seen' as const), at: fc.nat(30) }),
      fc.record({
        kind: fc.constant('unstuck' as const),
        ...named,
      }),
      fc.record({
        kind: fc.constant('stuck' as const),
        reason: fc.constant('permission' as const),
        ...named,
      }),
      fc.record({
        kind: fc.constant('stuck' as const),
        reason: fc.constant('stopped' as const),
        at: fc.nat(30),
      }),
    ),
    { maxLength: 20 },
  )
  // No two at the same instant: then the order of arrival would decide which of two permissions shows.
  const given = (list: { at: number }[], first: number) =>
    list.map((fields, index) => claim({ ...fields, at: fields.at * 100 + first + index }))
  fc.assert(
    fc.property(claims, claims, fc.nat(3_100), (before, read, recentAt) => {
      const evidence = merged(given(before, 0))
      const telling = relevantClaims(given(read, 50), evidence, recentAt)
      const all = given(read, 50)
      expect(verdictOf(merged(telling, evidence))).toEqual(verdictOf(merged(all, evidence)))
    }),
    { numRuns: 2_000 },
  )
})
