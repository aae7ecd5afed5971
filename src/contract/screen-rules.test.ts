import { describe, expect, test } from 'vitest'
import { parseScreenRule } from './screen-rules.ts'

const RULE = { name: 'a dialog', shows: 'dialog', priority: 5, all: ['x'] }

test('a rule with every field is accepted, its patterns as regular expressions', () => {
  const parsed = parseScreenRule({
    ...RULE,
    region: [{ last: 9 }, { after: ['^─', '^>'] }, { before: 'y' }],
    any: ['(?i:Proceed)'],
    none: ['n'],
    every: ['e'],
    also: [{ region: { first: 2 }, all: ['z'] }],
    unless: [{ region: { from: 'a' }, all: ['b'] }],
    title: { any: ['✋'] },
    cursor: 'end',
    ask: {
      mark: '❯',
      below: ['─'],
      from: ['q'],
      until: 'esc',
      within: '▀',
      last: 9,
      drop: ['Tip'],
    },
    signal: 'question',
  })
  expect(parsed).toMatchObject({
    rule: {
      ...RULE,
      all: [/x/u],
      any: [/(?i:Proceed)/u],
      region: [{ last: 9 }, { after: [/^─/u, /^>/u] }, { before: /y/u }],
      ask: { mark: /❯/u, within: /▀/u, last: 9 },
    },
  })
})

test('a rule is disabled by name, whatever else it says', () => {
  expect(parseScreenRule({ name: 'x', disabled: true })).toEqual({
    rule: { name: 'x', disabled: true },
  })
  expect(parseScreenRule({ ...RULE, disabled: true })).toEqual({
    rule: { name: 'a dialog', disabled: true },
  })
  expect(parseScreenRule({ ...RULE, disabled: false })).toHaveProperty('rule.all')
})

describe('a mistake is reported with its place', () => {
  test.each<[mistake: string, input: unknown]>([
    ['all.1 is no regular expression: Unterminated group.', { ...RULE, all: ['x', '(a'] }],
    ['all.0 is no regular expression: Invalid escape.', { ...RULE, all: ['a\\-b'] }],
    ['all.0 is empty.', { ...RULE, all: [''] }],
    ['all.0 is longer than 1000 characters.', { ...RULE, all: ['x'.repeat(1_001)] }],
    ['all is empty: leave it out.', { ...RULE, all: [] }],
    ['all is "x", but must be a list.', { ...RULE, all: 'x' }],
    ['all has more than 50 patterns.', { ...RULE, all: Array(51).fill('x') }],
    [
      'region.after.0 is no regular expression: Nothing to repeat.',
      { ...RULE, region: { after: ['*'] } },
    ],
    [
      'region.1.last must be a whole number of lines, 1 to 400.',
      { ...RULE, region: [{ first: 3 }, { last: 0 }] },
    ],
    [
      'region must be one of last, first, from, after, before with its value.',
      { ...RULE, region: { upto: 3 } },
    ],
    [
      'region has more than one key in one step: write a list, one step after the other.',
      { ...RULE, region: { last: 3, first: 3 } },
    ],
    [
      'shows is "dialg", but must be one of "dialog", "idle", "failed", "finished", "working".',
      { ...RULE, shows: 'dialg' },
    ],
    ['priority is "5", but must be a number.', { ...RULE, priority: '5' }],
    ['priority must be a whole number, -1000 to 1000.', { ...RULE, priority: 5_000 }],
    ['al is no field of a rule.', { ...RULE, al: ['x'] }],
    ['title.every is no field of a rule.', { ...RULE, title: { every: ['x'] } }],
    [
      'ask.until is no regular expression: Lone quantifier brackets.',
      { ...RULE, ask: { until: '}' } },
    ],
    ['name is missing.', { shows: 'idle', priority: 1, all: ['x'] }],
    ['is 5, but must be an object.', 5],
    [
      'says nothing of what is on the screen, so it would fit every one: give it "all", "any", "every", "also" or "title".',
      { name: 'x', shows: 'idle', priority: 1, none: ['x'] },
    ],
  ])('%s', (mistake, input) => {
    expect(parseScreenRule(input)).toMatchObject({ mistakes: [mistake] })
  })

  test('with a value no longer than a line, and at most three mistakes', () => {
    const bad = {
      ...RULE,
      all: 'x'.repeat(9_999),
      shows: 1,
      cursor: 2,
      ask: 3,
      ['y'.repeat(999)]: 1,
    }
    const parsed = parseScreenRule(bad)
    const mistakes = 'mistakes' in parsed ? parsed.mistakes : []
    expect(mistakes).toHaveLength(3)
    expect(Math.max(...mistakes.map(({ length }) => length))).toBeLessThan(120)
  })
})
