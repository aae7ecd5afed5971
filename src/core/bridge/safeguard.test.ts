import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Circle,
  circleText,
  noSafeguardYet,
  type Safeguard,
  safeguardStep,
  type Turn,
} from './safeguard.ts'

const plain: Turn = { by: 'agent', findings: [] }
const progress = (what: string): Turn => ({ ...plain, progress: what })
const finding = (...findings: string[]): Turn => ({ ...plain, findings })

/** Which turn blocked the thread, counted from one, and why. */
function blockedBy(turns: readonly Turn[]): { turn: number; circle: Circle } | undefined {
  let safeguard: Safeguard = noSafeguardYet
  for (const [n, turn] of turns.entries()) {
    const step = safeguardStep(safeguard, turn)
    if (step.circle) return { turn: n + 1, circle: step.circle }
    safeguard = step.safeguard
  }
  return undefined
}

const times = (n: number, turn: Turn): Turn[] => Array.from({ length: n }, () => turn)

describe('turns without progress', () => {
  test('the 20th blocks the thread, the 19th does not', () => {
    expect(blockedBy(times(19, plain))).toBeUndefined()
    expect(blockedBy(times(25, plain))).toEqual({
      turn: 20,
      circle: { kind: 'no-progress', turns: 20 },
    })
  })

  test('progress resets the count', () => {
    const turns = [...times(19, plain), progress('commit 1f3e'), ...times(20, plain)]
    expect(blockedBy(turns)?.turn).toBe(40)
  })

  test('repeated progress does not count', () => {
    const again = [progress('All tests pass'), ...times(30, progress('  all  tests PASS '))]
    expect(blockedBy(again)?.turn).toBe(21)
  })

  test('progress without content does not count', () => {
    expect(blockedBy(times(20, progress(' \u200b\n')))?.turn).toBe(20)
  })

  test('a new finding is not progress', () => {
    const turns = Array.from({ length: 20 }, (_, n) => finding(`finding ${n}`))
    expect(blockedBy(turns)).toEqual({ turn: 20, circle: { kind: 'no-progress', turns: 20 } })
  })

  test('a post of the operator counts as progress, a post of Trail Boss is not a turn', () => {
    const operator: Turn = { by: 'operator', findings: [] }
    const system: Turn = { by: 'system', findings: [] }
    expect(blockedBy([...times(19, plain), operator, ...times(20, plain)])?.turn).toBe(40)
    expect(blockedBy([...times(19, plain), ...times(50, system), plain])?.turn).toBe(70)
  })
})

describe('identical findings', () => {
  test('the third blocks the thread, the second does not', () => {
    const leak = finding('The socket leaks')
    expect(blockedBy([leak, plain, leak, plain])).toBeUndefined()
    expect(blockedBy([leak, plain, leak, plain, leak])).toEqual({
      turn: 5,
      circle: { kind: 'same-finding', finding: 'The socket leaks', times: 3 },
    })
  })

  test('case and white space do not make another finding, a different word does', () => {
    const [a, b, c] = ['The socket leaks', ' the  SOCKET\tleaks', 'The socket leaks twice']
    expect(blockedBy([finding(a!), finding(b!), finding(c!)])).toBeUndefined()
    expect(blockedBy([finding(a!), finding(b!), finding(a!)])?.turn).toBe(3)
  })

  test('twice in one turn counts once', () => {
    expect(blockedBy(times(2, finding('x', 'X', 'x')))).toBeUndefined()
    expect(blockedBy(times(3, finding('x', 'X', 'x')))?.turn).toBe(3)
  })

  test('progress in between does not remove a finding', () => {
    const turns = [1, 2, 3].flatMap((n) => [finding('x'), progress(`fix ${n}`)])
    expect(blockedBy(turns)?.turn).toBe(5)
  })

  test('a finding without words does not count', () => {
    expect(blockedBy(times(5, finding('', ' \u200b')))).toBeUndefined()
  })

  test('if both limits are reached at once, the finding is reported', () => {
    const turns = [...times(17, plain), ...times(3, finding('x'))]
    expect(blockedBy(turns)).toMatchObject({ turn: 20, circle: { kind: 'same-finding' } })
  })
})

test('a circle is described in a sentence', () => {
  expect(circleText({ kind: 'no-progress', turns: 20 })).toBe('20 turns without progress.')
  expect(circleText({ kind: 'same-finding', finding: 'It leaks', times: 3 })).toBe(
    'The same finding 3 times: It leaks.',
  )
  expect(circleText({ kind: 'same-finding', finding: 'Why?', times: 3 })).toBe(
    'The same finding 3 times: Why?',
  )
})

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  by: fc.constantFrom('agent', 'agent', 'operator', 'system'),
  progress: fc.constantFrom(undefined, undefined, 'p1', 'p2', 'P2 ', 'p3', ''),
  findings: fc.array(fc.constantFrom('f1', 'F1', 'f2', 'f3', 'f4', ''), { maxLength: 2 }),
})
const stretch = fc.oneof(
  fc.array(anyTurn, { maxLength: 3 }),
  fc.nat(21).map((n) => times(n, plain)),
  fc.nat(3).map((n) => times(n, { ...plain, findings: ['f1'] })),
)
const anyTurns = fc.array(stretch, { maxLength: 12 }).map((some) => some.flat())

test('a thread is blocked exactly when a plain count over all its turns says so', () => {
  let byTurns = 0
  let byFindings = 0
  fc.assert(
    fc.property(anyTurns, (turns) => {
      const expected = turns.findIndex((_, n) => isCircle(turns.slice(0, n + 1)))
      const blocked = blockedBy(turns)
      expect((blocked?.turn ?? 0) - 1).toBe(expected)
      if (blocked?.circle.kind === 'no-progress') byTurns++
      if (blocked?.circle.kind === 'same-finding') byFindings++
    }),
    { numRuns: 500 },
  )
  expect(Math.min(byTurns, byFindings)).toBeGreaterThan(10)
})

/** The same rules, applied to the whole thread instead of keeping count. */
function isCircle(turns: readonly Turn[]): boolean {
  const same = (text: string) => text.trim().toLowerCase()
  const given = turns
    .filter(({ by }) => by === 'agent')
    .flatMap(({ findings }) => [...new Set(findings.map(same))])
    .filter((text) => text !== '')
  if (given.some((one) => given.filter((other) => other === one).length >= 3)) return true
  const isProgress = ({ by, progress: what }: Turn, n: number) =>
    by === 'operator' ||
    (by === 'agent' &&
      !!what &&
      !turns
        .slice(0, n)
        .some((other) => other.by === 'agent' && same(other.progress ?? '') === same(what)))
  const since = turns.findLastIndex(isProgress) + 1
  return turns.slice(since).filter(({ by }) => by === 'agent').length >= 20
}
