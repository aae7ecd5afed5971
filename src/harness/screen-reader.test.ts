import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { screenOf } from '../core/screen/screen.ts'
import { whyNot } from '../core/screen/screen-why.ts'
import { parseOwnScreenRules, readOwnScreenRules } from './own-screen-rules.ts'
import { createScreenReader, type ScreenReader } from './screen-reader.ts'

const FILE = '/home/op/.config/trailboss/screen-rules.json'
const OWN = { name: 'my menu', shows: 'dialog', priority: 500, all: ['^pick one$'] }

function readerOf(rules: unknown): ScreenReader {
  return createScreenReader(parseOwnScreenRules(FILE, JSON.stringify(rules)))
}

function asking(text: string) {
  const screen = screenOf(text)
  return {
    ...screen,
    cursor: {
      x: (screen.lines.at(-1) ?? '').length + 1,
      y: screen.lines.length - 1,
      visible: true,
    },
  }
}

describe("the operator's rules", () => {
  test('add to the built-in ones of that harness and of no other', () => {
    const reader = readerOf({ generic: [OWN] })
    expect(reader.read('generic', screenOf('pick one'))).toEqual({
      rule: 'my menu',
      shows: 'dialog',
      label: 'asks',
    })
    expect(reader.read('claude-code', screenOf('pick one'))).toBeUndefined()
    expect(reader.read('generic', asking('Sure? [y/N]'))?.shows).toBe('dialog')
    expect(reader.read('no-such-harness', screenOf('pick one'))).toBeUndefined()
    expect(reader.problems()).toEqual([])
  })

  test('come before built-in ones of the same priority', () => {
    const reader = readerOf({ generic: [{ ...OWN, all: ['y/N'], priority: 85 }] })
    expect(reader.read('generic', asking('Sure? [y/N]'))?.rule).toBe('my menu')
  })

  test('replace the one with the same name', () => {
    const name = 'a question to be answered with yes or no'
    const reader = readerOf({ generic: [{ ...OWN, name, shows: 'idle' }] })
    expect(reader.read('generic', screenOf('pick one'))).toMatchObject({
      rule: name,
      shows: 'idle',
    })
    expect(reader.read('generic', asking('Sure [y/N]'))).toBeUndefined()
  })

  test('switch one off', () => {
    const reader = readerOf({ generic: [{ name: 'a pager', disabled: true }] })
    expect(reader.read('generic', asking('(END)'))).toBeUndefined()
    const { trials } = reader.explain('generic', asking('(END)'))
    expect(trials.map(({ rule }) => rule.name)).not.toContain('a pager')
  })

  test('are marked in an explanation', () => {
    const { trials } = readerOf({ generic: [OWN] }).explain('generic', screenOf('pick one'))
    expect(trials.filter(({ isOwn }) => isOwn).map(({ rule }) => rule.name)).toEqual(['my menu'])
  })
})

describe('a bad file', () => {
  test.each<[problem: RegExp, text: string]>([
    [
      /^\/home\/op\/.*\.json cannot be used: It is not valid JSON: .* built-in screen rules count alone\.$/,
      '{',
    ],
    [/must hold one JSON object/, '[]'],
    [/must hold one JSON object/, 'null'],
    [
      /, "codx" is no harness: its rules are not used\. There are claude-code, .*generic\.$/,
      '{"codx": []}',
    ],
    [/cannot be used: It is not UTF-8 throughout/, '{"generic": [{"name":"f\uFFFDn"}]}'],
    [/, "generic" must be a list of rules\./, '{"generic": {}}'],
    [/, generic, rule 1: is 5, but must be an object\. Correct it/, '{"generic": [5]}'],
    [/, "__proto__" is no harness/, '{"__proto__": []}'],
    [
      /, generic, rule 1 "x": there is no such rule to disable|rule "x": there is no such rule/,
      '{"generic": [{"name":"x","disabled":true}]}',
    ],
    [
      /only the first 200 of 201 rules/,
      JSON.stringify({
        generic: Array.from({ length: 201 }, (_, at) => ({ ...OWN, name: `${at}` })),
      }),
    ],
  ])('%s', (problem, text) => {
    const reader = createScreenReader(parseOwnScreenRules(FILE, text))
    expect(reader.problems()).toEqual([expect.stringMatching(problem)])
    expect(reader.read('generic', asking('Sure? [y/N]'))?.shows).toBe('dialog')
  })

  test('only the bad rule itself is refused', () => {
    const bad = { ...OWN, name: 'bad', all: ['(a'] }
    const reader = readerOf({ generic: [bad, OWN, { ...OWN, shows: 'idle' }] })
    expect(reader.problems()).toEqual([
      `${FILE}, generic, rule 1 "bad": all.0 is no regular expression: Unterminated group. Correct it; until then this rule is not used.`,
      `${FILE}, generic, rule 3 "my menu": name is that of another rule further up. Correct it; until then this rule is not used.`,
    ])
    expect(reader.read('generic', screenOf('pick one'))?.shows).toBe('dialog')
  })

  test('a file with a byte order mark is read like any other', () => {
    const text = `\uFEFF${JSON.stringify({ generic: [OWN] })}`
    expect(parseOwnScreenRules(FILE, text).problems).toEqual([])
  })

  test('a missing one counts as empty; anything but a file is refused', () => {
    expect(readOwnScreenRules('/nonexistent/screen-rules.json').problems).toEqual([])
    expect(readOwnScreenRules('/proc').problems).toEqual([
      expect.stringMatching(/not a regular file/),
    ])
  })

  test('whatever JSON it holds, the built-in rules still work', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('generic', 'claude-code', 'x'), fc.jsonValue()),
        (value) => {
          const reader = readerOf(value)
          expect(reader.read('generic', asking('Sure? [y/N]'))?.shows).toBe('dialog')
          for (const problem of reader.problems()) expect(problem).toContain(FILE)
        },
      ),
    )
  })
})

describe('a pattern that backtracks forever', () => {
  const TRAP = `${'a'.repeat(60)}!`

  test.each([
    ['where it must match', { all: ['^(a+)+$'] }],
    ['where it must not', { all: ['a'], none: ['^(a+)+$'] }],
    ['in a region', { region: { after: '^(a|a)+$' }, all: ['a'] }],
    ['in the title', { title: { all: ['^(a+)+$'] } }],
  ])('%s is stopped, and its rule is no longer used', (_, part) => {
    const slow = { name: 'slow', shows: 'idle', priority: 900, ...part }
    const reader = readerOf({ generic: [slow, { ...OWN, all: ['!$'] }] })
    const screen = { ...screenOf(TRAP), title: TRAP }
    const { sight, trials } = reader.explain('generic', screen)
    expect(sight?.rule).toBe('my menu')
    const failure = trials.find(({ rule }) => rule.name === 'slow')?.failure
    expect(failure && whyNot(failure)).toMatch(/took too long/)
    expect(reader.problems()).toEqual([
      expect.stringMatching(
        /generic, rule "slow": \/.*\/ took more than 100 ms for one screen, twice/,
      ),
    ])
    expect(reader.explain('generic', screen).trials.map(({ rule }) => rule.name)).not.toContain(
      'slow',
    )
    expect(reader.problems()).toHaveLength(1)
  })

  test('among many such patterns is found step by step, so that no look takes long', () => {
    const slow = Array.from({ length: 5 }, (_, at) => ({
      ...OWN,
      name: `slow ${at}`,
      all: ['^(a+)+$'],
    }))
    const reader = readerOf({ generic: [...slow, { ...OWN, all: ['!$'] }] })
    expect(reader.read('generic', screenOf(TRAP))).toBeUndefined()
    expect(reader.problems()).toHaveLength(3)
    expect(reader.read('generic', screenOf(TRAP))?.rule).toBe('my menu')
    expect(reader.problems()).toHaveLength(5)
  })

  test('in the cut of the ask only costs the ask, and later looks do without the rule', () => {
    const slow = {
      name: 'slow',
      shows: 'dialog',
      priority: 900,
      all: ['!$'],
      ask: { from: ['^(a+)+$'] },
    }
    const reader = readerOf({ generic: [slow] })
    expect(reader.read('generic', screenOf(TRAP))).toEqual({
      rule: 'slow',
      shows: 'dialog',
      label: 'asks',
    })
    expect(reader.read('generic', screenOf(TRAP))).toBeUndefined()
  })
})
