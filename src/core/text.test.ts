import { expect, test } from 'vitest'
import { plainJson, terminalText } from './text.ts'

const NOT_PLAIN = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
const HOSTILE =
  'a\u007f\u0080\u009b31m\u009f\u061c\u200e\u200f\u202e\u2066\u2069\u{e0001}\u{e007f}b'

test('JSON to be printed keeps every character and shows none that a terminal obeys or hides', () => {
  const json = plainJson(JSON.stringify({ text: `${HOSTILE} ä 漢 👍🏽 \ud800` }))
  expect(json).not.toMatch(NOT_PLAIN)
  expect(JSON.parse(json)).toEqual({ text: `${HOSTILE} ä 漢 👍🏽 \ud800` })
  expect(json).toContain('\\udb40\\udc01')
  expect(json).toContain('ä 漢 👍🏽')
})

test('text for a terminal keeps colours and loses every other control', () => {
  const line = `\u001b[1;31mstuck\u001b[0m\t${HOSTILE}\u001b]2;title\u0007\u001b[2J\r\n`
  expect(terminalText(line)).toBe('\u001b[1;31mstuck\u001b[0m\ta31mb]2;title[2J\n')
})
