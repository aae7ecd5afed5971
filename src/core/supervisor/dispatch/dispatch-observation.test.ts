import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endsWithQuestion } from '../../session/turn-end.ts'
import { markedAnswer } from './dispatch-observation.ts'

const answerIn = (lines: readonly string[]) =>
  markedAnswer(lines, ['Yes', 'Yes, proceed (y)', 'Allow once'])

describe('last words', () => {
  test.each([
    'Shall I go on?',
    'Done.\n\nWhich of the two?  \n',
    'Is it **this one?**',
    'So (why?)',
  ])('that ask something: %j', (text) => expect(endsWithQuestion(text)).toBe(true))
  test.each(['Done.', 'Why? Because.', 'Is it?\nYes.', ''])('that do not: %j', (text) =>
    expect(endsWithQuestion(text)).toBe(false),
  )
})

const SAID = ['     Do you want to proceed?', '     ❯ 1. Yes', '       2. No, stop (esc)', '']
const COLOURED = [
  '  ┃  △ Permission required',
  '  ┃    # Shell command',
  '  ┃',
  '  ┃  $ npm test',
  '  ┃   Allow once   Allow always   Reject      ⇆ select  enter confirm',
  '  ┃',
]

describe('the marked answer of a dialog', () => {
  const KEYS = ['', ' Esc to cancel · Tab to amend']

  test.each([
    [' ❯ 1. Yes', "   2. Yes, and don't ask again for: npm test", '   3. No', ...KEYS],
    ['› 1. Yes, proceed (y)', '  2. No', '  Press enter to confirm'],
    ['│ ● 1. Allow once  │', '│   2. Allow for this session  │', '│   3. No  │', '╰───╯'],
    ['› 1. Yes, proceed (y)', '  2. Yes, always for `cat notes', '     > copy` (p)', '  3. No'],
    [' 1. a list that was said', ' 2. before', ' ❯ 1. Yes', '   2. No'],
  ])('is a yes: %s', (...lines) => expect(answerIn(lines)).toBe('yes'))

  test.each([
    "Yes, and don't ask again",
    "Yes, and don't ask again for: npm test",
    "Yes, and don't ask again for commands that start with `echo` (p)",
    'Yes, and always allow access to /home/op/ranch from this project',
    'Yes, and switch to auto mode · auto mode handles these prompts for you',
    'Yes, and switch to accept edits for this session (shift+tab)',
    'Yes, and use auto mode',
    'Yes, allow all edits during this session',
    'Yes, manually approve edits',
    'Yes, implement this plan          Switch to Default and start coding',
    'Yes, I trust this folder',
    'Yes, proceed',
    'Yes to all',
    'YES',
    'Always allow',
    'Allow always',
    'Allow for this session',
    'Allow for all future sessions',
    'Allow',
    'Approve',
    'Accept',
    'Proceed',
    'Trust and continue',
    'Red',
    'No',
  ])('is another: %s', (answer) => {
    for (const mark of ['❯', '›', '●']) {
      const below = ['   2. Yes', '   3. No', ...KEYS]
      expect(answerIn([` ${mark} 1. ${answer}`, ...below])).toBe('other')
      const above = ['   1. Yes', '   2. Allow once']
      expect(answerIn([...above, ` ${mark} 3. ${answer}`, ...KEYS])).toBe('other')
      expect(answerIn([...above, `│ ${mark} 3. ${answer}   │`, '╰──╯'])).toBe('other')
    }
  })

  test.each([
    ['none is marked', ['   1. Yes', '   2. No']],
    ['it has no list', ['Yes']],
    ['two are marked', [' ❯ 1. Yes', ' ❯ 2. No']],
    ['the list begins above the screen', [' ❯ 2. Yes', '   3. No']],
    ['somebody said it', ['❯ Yes please, delete it', '   1. Yes', ' ❯ 2. No, keep it']],
    [
      'what is marked has no number',
      [' ❯ 1. Yes', '   2. No', '', ' ❯ No, exit', '   Yes, I trust'],
    ],
    [
      'an answer that is too long for a line says it',
      [' ❯ 2. Always, for `echo', ' ❯ 1. Yes', ' 3. No'],
    ],
    ['a list was said right above a dialog that marks by its colours', [...SAID, ...COLOURED]],
  ])('is another if %s', (_, lines) => expect(answerIn(lines)).toBe('other'))

  test('does not depend on what is above it', () => {
    const words = fc.constantFrom(
      '❯',
      '›',
      '●',
      '│',
      ' ',
      '1.',
      '2.',
      '3.',
      'Yes',
      'Allow once',
      'x',
    )
    const line = fc.array(words, { maxLength: 5 }).map((some) => some.join(' '))
    const above = fc.array(line, { maxLength: 12 })
    const dialogs = fc.constantFrom<[string[], 'yes' | 'other']>(
      [[' ❯ 1. Yes', '   2. Always', '   3. No', ...KEYS], 'yes'],
      [['   1. Yes', ' ❯ 2. Always', '   3. No', ...KEYS], 'other'],
      [['   1. Yes', '   2. Always', ' ❯ 3. No', ...KEYS], 'other'],
      [['   1. Yes', '   2. Always', '   3. No', ...KEYS], 'other'],
      [[' ❯ No, exit', '   Yes, I trust this folder', ...KEYS], 'other'],
      [COLOURED, 'other'],
    )
    fc.assert(
      fc.property(above, dialogs, (said, [dialog, answer]) => {
        expect(answerIn([...said, ...dialog])).toBe(answer)
      }),
    )
  })

  const HARNESSES = ['claude-code', 'codex', 'gemini', 'opencode']
  test.each(HARNESSES)(
    'is a yes on screens of %s only if they show a yes that applies only once',
    (name) => {
      const asking = screensOf(name).filter(({ reason }) => reason === 'permission')
      const taken = asking.filter(({ lines }) => answerIn(lines) === 'yes')
      for (const { lines } of taken) expect(lines.filter((line) => ONCE.test(line))).not.toEqual([])
      const offered = asking.filter(({ lines }) => lines.slice(-12).some((line) => ONCE.test(line)))
      expect(taken).toEqual(offered)
      expect(asking.length).toBeGreaterThan(0)
    },
  )
})

const ONCE = /^(?: ❯ 1\. Yes|› 1\. Yes, proceed \(y\)|│ ● 1\. Allow once +│)$/

/** The even-numbered ones are reserved for scoring the screen rules. */
function screensOf(harness: string): { reason?: string; lines: string[] }[] {
  const place = new URL(`../../../../test/fixtures/screens/${harness}/`, import.meta.url)
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((path) => /--\d*[13579]\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(new URL(path, place), 'utf8')))
}
