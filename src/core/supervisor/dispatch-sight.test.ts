import { describe, expect, test } from 'vitest'
import { endsWithQuestion, markedAnswer } from './dispatch-sight.ts'

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

describe('the marked answer of a dialog', () => {
  test.each([
    [' ❯ 1. Yes', '   2. No'],
    ['› 1. Yes, proceed (y)', '  2. No'],
    ['│ ● 1. Allow once  │', '│   2. No  │'],
  ])('is a yes: %s', (...lines) => expect(markedAnswer(lines)).toBe('yes'))

  test.each([
    ['   1. Yes', ' ❯ 2. No'],
    [' ❯ 1. Red', '   2. Yes'],
    ['❯ Yes please, delete it', '   1. Yes', ' ❯ 2. No, keep it'],
    ['Yes'],
  ])('is another: %s', (...lines) => expect(markedAnswer(lines)).toBe('other'))
})
