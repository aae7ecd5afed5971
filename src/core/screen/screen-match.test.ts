import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Screen, screenOf } from './screen.ts'
import { matchScreen, trialsOf } from './screen-match.ts'
import type { ScreenRule } from './screen-rule.ts'
import { whyNot } from './screen-why.ts'

function ruleOf(part: Partial<ScreenRule>): ScreenRule {
  return { name: 'the rule', shows: 'dialog', priority: 1, ...part }
}

/** Undefined if the rule fits, otherwise why not. */
function failureOf(part: Partial<ScreenRule>, screen: Screen): string | undefined {
  const [trial] = trialsOf([ruleOf(part)], screen).trials
  return trial?.failure && whyNot(trial.failure)
}

const SCREEN = screenOf(
  ['one', '', '────────', '> two', '────────', 'three', '', 'four  ', '', ''].join('\n'),
)

describe('a screen', () => {
  test('has no trailing white space in its lines, and no empty lines at its end', () => {
    expect(screenOf('a  \n\n b\n\n \n')).toMatchObject({ lines: ['a', '', ' b'], height: 3 })
  })
})

describe('a clause', () => {
  test.each<[why: string | undefined, part: Partial<ScreenRule>]>([
    [undefined, {}],
    [undefined, { all: [/two/, /one/] }],
    ['no line in the screen matches /five/', { all: [/two/, /five/] }],
    [undefined, { any: [/five/, /one/] }],
    ['no line in the screen matches any of /five/, /six/i', { any: [/five/, /six/i] }],
    [
      'no line in the screen matches any of /5/, /6/, /7/ and 2 more',
      { any: [/5/, /6/, /7/, /8/, /9/] },
    ],
    [undefined, { none: [/five/] }],
    ['"one" in the screen matches /n/, which must not be there', { none: [/five/, /n/] }],
    [undefined, { region: { last: 2 }, every: [/three/, /four/] }],
    ['"three" in the last 2 lines does not match /four/', { region: { last: 2 }, every: [/four/] }],
    [
      'there is no line in the last line of what is above the line like /one/',
      { region: [{ before: /one/ }, { last: 1 }], every: [/x/] },
    ],
    [undefined, { region: { last: 1 }, all: [/^four$/] }],
    ['the last line does not match /three/', { region: { last: 1 }, all: [/three/] }],
    ['the first line does not match /three/', { region: { first: 1 }, all: [/three/] }],
    [undefined, { region: { after: /─/ }, all: [/three/], none: [/two/] }],
    [undefined, { region: { after: [/─/, /> /] }, none: [/two/], all: [/three/] }],
    [undefined, { region: { from: [/─/, /> /] }, all: [/two/], none: [/one/] }],
    [undefined, { region: { before: [/─/, /> /] }, every: [/one/] }],
    ['there is no line like /> nine/', { region: { after: /> nine/ } }],
    ['there is no pair of lines like /> / and /three/', { region: { after: [/> /, /three/] } }],
    [undefined, { also: [{ region: { last: 1 }, all: [/four/] }] }],
    ['the last line does not match /one/', { also: [{ region: { last: 1 }, all: [/one/] }] }],
    [undefined, { unless: [{ region: { after: /nine/ } }, { all: [/five/] }] }],
    [
      'there is what must not be there: "four" in the last line',
      { unless: [{ region: { last: 1 }, all: [/four/] }] },
    ],
  ])('%s', (why, part) => {
    expect(failureOf(part, SCREEN)).toBe(why)
  })

  test('of the title', () => {
    const screen = { ...SCREEN, title: '✋ Action Required' }
    expect(failureOf({ title: { all: [/^✋/] } }, screen)).toBeUndefined()
    expect(failureOf({ title: { any: [/Ready/, /Work/] } }, screen)).toBe(
      'the title is "✋ Action Required" and does not match any of /Ready/, /Work/',
    )
    expect(failureOf({ title: { none: [/Action/] } }, screen)).toMatch(/and matches \/Action\/$/)
    expect(failureOf({ title: { all: [/^✋/] } }, SCREEN)).toMatch(/^the title is empty/)
  })
})

describe('the cursor', () => {
  const at = (x: number, y: number, visible = true) => ({ ...SCREEN, cursor: { x, y, visible } })
  test.each<[place: ScreenRule['cursor'], screen: Screen, why: string | undefined]>([
    ['end', at(5, 7), undefined],
    ['end', at(4, 7), undefined],
    ['end', at(3, 7), 'the cursor stands at 3,7, not behind the text of the last line'],
    ['end', at(9, 7), 'the cursor stands at 9,7, not behind the text of the last line'],
    ['end', at(5, 8), 'the cursor stands at 5,8, not behind the text of the last line'],
    ['end', at(5, 7, false), 'the cursor is hidden'],
    ['end', SCREEN, 'where the cursor stands is not known'],
    ['shown', at(0, 0), undefined],
    ['shown', at(0, 0, false), 'the cursor is hidden'],
    ['hidden', at(0, 0, false), undefined],
    ['hidden', at(0, 0), 'the cursor is not hidden'],
    ['hidden', SCREEN, 'where the cursor stands is not known'],
  ])('%s', (cursor, screen, why) => {
    expect(failureOf({ ...(cursor && { cursor }) }, screen)).toBe(why)
  })

  test('is not counted next to joined emoji: every tmux version gives them another width', () => {
    const joined = screenOf('Install 👨‍👩‍👧‍👦 now? [y/n]', {
      cursor: { x: 17, y: 0, visible: true },
    })
    expect(failureOf({ cursor: 'end' }, joined)).toBeUndefined()
    const home = { ...joined, cursor: { x: 0, y: 0, visible: true } }
    expect(failureOf({ cursor: 'end' }, home)).toBeDefined()
  })

  test('is counted in cells: wide characters take two, combining marks none', () => {
    const wide = screenOf('続けますか? e\u0301', { cursor: { x: 14, y: 0, visible: true } })
    expect(failureOf({ cursor: 'end' }, wide)).toBeUndefined()
    expect(
      failureOf({ cursor: 'end' }, { ...wide, cursor: { x: 8, y: 0, visible: true } }),
    ).toMatch(/stands at 8,0/)
  })
})

describe('of several rules', () => {
  const rules = [
    ruleOf({ name: 'low', priority: 1 }),
    ruleOf({ name: 'first', priority: 5 }),
    ruleOf({ name: 'second', priority: 5 }),
    ruleOf({ name: 'no', priority: 9, all: [/five/] }),
  ]

  test('the one with the highest priority counts, and of equal ones the first', () => {
    expect(matchScreen(rules, SCREEN)).toEqual({
      rule: 'first',
      shows: 'dialog',
      label: 'asks',
    })
    expect(matchScreen(rules.toReversed(), SCREEN)?.rule).toBe('second')
    expect(matchScreen([], SCREEN)).toBeUndefined()
  })

  test('an explanation tries every one, with the lines that it found', () => {
    const { sight, trials } = trialsOf([...rules, ruleOf({ name: 'x', all: [/o$/] })], SCREEN)
    expect(sight?.rule).toBe('first')
    expect(trials.map(({ rule, fits }) => [rule.name, fits])).toEqual([
      ['no', false],
      ['first', true],
      ['second', true],
      ['low', true],
      ['x', true],
    ])
    expect(trials.at(-1)?.findings).toEqual([{ pattern: /o$/, line: '> two' }])
  })

  test('a rule with a pattern that took too long says nothing, even if it must not match', () => {
    const slow = /slow/
    const matches = (pattern: RegExp, line: string) =>
      pattern === slow ? undefined : pattern.test(line)
    for (const part of [{ none: [slow] }, { unless: [{ all: [slow] }] }, { all: [slow] }]) {
      const { sight, trials } = trialsOf([ruleOf(part), ...rules], SCREEN, matches)
      expect(sight?.rule).toBe('first')
      const failure = trials.find(({ rule }) => rule.name === 'the rule')?.failure
      expect(failure).toEqual({ clause: 'time', pattern: slow })
    }
  })
})

test('no line is matched beyond its first thousand characters, and no screen beyond 400 lines', () => {
  const seen: string[] = []
  const lines = Array.from({ length: 1_000 }, (_, at) => `${at} ${'x'.repeat(5_000)}`)
  matchScreen([ruleOf({ all: [/never/] })], { ...SCREEN, lines }, (_, line) => {
    seen.push(line)
    return false
  })
  expect(seen).toHaveLength(400)
  expect(Math.max(...seen.map((line) => line.length))).toBe(1_000)
})

test('matching and explaining agree, whatever is on the screen', () => {
  const words = fc.constantFrom('one', '> two', '────', '', 'three', 'four')
  const pattern = fc.constantFrom(/one/, /^>/, /─/, /three$/, /x/)
  const part = fc.record(
    {
      region: fc.oneof(
        fc.record({ last: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ after: pattern }),
        fc.array(fc.record({ before: pattern }), { maxLength: 2 }),
      ),
      all: fc.array(pattern, { maxLength: 2 }),
      none: fc.array(pattern, { maxLength: 1 }),
      every: fc.array(pattern, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  const rules = fc.array(
    fc
      .tuple(part, fc.integer({ min: 0, max: 3 }))
      .map(([fields, priority]) => ruleOf({ ...fields, priority, name: `rule ${priority}` })),
  )
  fc.assert(
    fc.property(rules, fc.array(words), (some, lines) => {
      const screen = screenOf(lines.join('\n'))
      const { sight, trials } = trialsOf(some, screen)
      expect(matchScreen(some, screen)).toEqual(sight)
      for (const { failure } of trials) if (failure) expect(whyNot(failure)).not.toBe('')
    }),
  )
})
