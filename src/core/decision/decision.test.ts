import { describe, expect, test } from 'vitest'
import { answerProblem, type Decision, shownDecisions } from './decision.ts'

const permission = { kind: 'permission', options: [] } as const
const question = (...options: string[]) => ({ kind: 'question', options }) as const

describe('an answer', () => {
  test.each([
    [permission, { choice: 'allow' }],
    [permission, { choice: 'allow', input: { command: 'ls' } }],
    [permission, { choice: 'deny', message: 'No.' }],
    [question('yes', 'no'), { choice: 'no' }],
    [question(), { choice: 'Tuesday' }],
  ])('%j takes %j', (decision, choice) => {
    expect(answerProblem({ ...decision, options: [...decision.options] }, choice)).toBeUndefined()
  })

  test.each([
    [permission, { choice: 'yes' }, /"allow" or "deny"/],
    [permission, { choice: 'deny', input: {} }, /Only "allow"/],
    [question('yes', 'no'), { choice: 'maybe' }, /"yes", "no"/],
    [question(), { choice: '  ' }, /empty/],
    [question('yes'), { choice: 'yes', input: 1 }, /no input/],
  ])('%j refuses %j', (decision, choice, why) => {
    expect(answerProblem({ ...decision, options: [...decision.options] }, choice)).toMatch(why)
  })
})

test('of each asker the oldest decision is shown, with how many wait behind it', () => {
  const asked = (id: string, asker: string, askedAt: number) =>
    ({ id, asker: { id: asker, name: asker }, askedAt }) as Decision
  const all = [asked('b', 'one', 2), asked('a', 'one', 1), asked('c', 'two', 3)]
  expect(shownDecisions(all).map(({ first, more }) => [first.id, more])).toEqual([
    ['a', 1],
    ['c', 0],
  ])
})
