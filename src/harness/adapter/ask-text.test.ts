import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, shortened } from '../config-edit/json-value.ts'
import { askAbout, firstLines, MAX_ASK_CHARS } from './ask-text.ts'

test('the first lines are shown and the others counted, as if all had been split', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '\n')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 5 }), (given, most) => {
      const all = given.split('\n')
      const shown = all.slice(0, most)
      expect(firstLines(given, most)).toEqual({ shown, hidden: all.length - shown.length })
    }),
  )
})

test('a shortened value begins with the same JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 20 }), (value, chars) => {
      const start = (given: unknown) => canonicalJson(given).slice(0, chars)
      expect(start(shortened(value, chars))).toBe(start(value))
    }),
  )
})

test('an ask about a huge input is cut, and says so', () => {
  const { text } = askAbout('Any', { text: 'x'.repeat(1_000_000) }, undefined)
  expect(text).toHaveLength(MAX_ASK_CHARS)
  expect(text).toMatch(/^Any\n\{"text":"x+…$/)
})
