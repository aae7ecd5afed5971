import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasOwnMark } from '../../session/event.ts'
import { markFrom, markPrefix, marksIn, replyMarkFrom, withoutMarks } from './mark.ts'

const MARK = fc.stringMatching(/^[a-z0-9]{10}$/)

test('the mark at the beginning of a prompt is found', () => {
  fc.assert(
    fc.property(MARK, fc.string(), (mark, text) => {
      expect(marksIn(`${markPrefix(mark)}${text}`)[0]).toBe(mark)
    }),
  )
})

test.each<[text: string, marks: string[]]>([
  ['', []],
  ['[tb:k3f9x2m7q1] Go on', ['k3f9x2m7q1']],
  ['a draft[tb:k3f9x2m7q1] Go on\n[tb:aaaaaaaaaa]', ['k3f9x2m7q1', 'aaaaaaaaaa']],
  ['[tb:k3f9x2m7q1] [tb:k3f9x2m7q1]', ['k3f9x2m7q1']],
  ['[tb:k3f9x2m7q] [tb:k3f9x2m7q12] [tb:K3F9X2M7Q1] tb:k3f9x2m7q1 [tb:k3f9x2\nm7q1]', []],
])('%j', (text, marks) => {
  expect(marksIn(text)).toEqual(marks)
})

test('it finds no more marks than an event may have', () => {
  const text = Array.from({ length: 40 }, (_, n) => markPrefix(`${n}`.padStart(10, 'a'))).join('')
  expect(marksIn(text)).toHaveLength(16)
})

test('a new mark is found', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
      expect(marksIn(markPrefix(markFrom(bytes)))).toEqual([markFrom(bytes)])
    }),
  )
})

test('a reply has a mark that no trigger has, so that it counts as a prompt of the operator', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 10, maxLength: 10 }), (bytes) => {
      const mark = replyMarkFrom(bytes)
      expect(marksIn(markPrefix(mark))).toEqual([mark])
      expect([hasOwnMark([mark]), hasOwnMark([markFrom(bytes)])]).toEqual([false, true])
    }),
  )
})

test('text from somebody else carries no mark into a prompt', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), MARK.map(markPrefix))), (parts) => {
      expect(marksIn(withoutMarks(parts.join('')))).toEqual([])
    }),
  )
})
