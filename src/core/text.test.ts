import { expect, test } from 'vitest'
import { displayLine, displayText, plainJson, terminalText, visibleText } from './text.ts'

const NOT_PLAIN = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
const HOSTILE =
  'a\u007f\u0080\u009b31m\u009f\u061c\u200e\u200f\u202e\u2066\u2069\u{e0001}\u{e007f}b'

test('printed JSON keeps every character and shows none that a terminal obeys or hides', () => {
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

/** Code points that take no room or look like nothing, one from each range. */
const UNSEEN = [
  ...'\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u200b\u2060\u2065\u3164',
  ...'\ufe00\ufe0e\ufeff\uffa0\ufff0\u{1bca0}\u{1d173}\u{e0100}\u{e0fff}',
  // Joiners and the emoji selector, away from any emoji.
  ...'\u200c\u200d\ufe0f',
]

test.each(UNSEEN.map((unseen) => [unseen.codePointAt(0)?.toString(16), unseen]))(
  'U+%s is invisible, so it is never shown',
  (_, unseen) => {
    expect(displayLine(`rm${unseen} -rf ${unseen}/`)).toBe('rm -rf /')
    expect(terminalText(`a${unseen}b${unseen}`)).toBe('ab')
    const json = plainJson(JSON.stringify([`a${unseen}b`]))
    expect(json).toMatch(/^\["a(?:\\u[\da-f]{4}){1,2}b"\]$/)
    expect(JSON.parse(json)).toEqual([`a${unseen}b`])
  },
)

test.each(['👩‍💻', '👩🏽‍🚀', '❤️‍🔥', '🏳️‍🌈', '⚠️', '1️⃣', 'می‌خواهم', 'ක්‍ෂ', 'क्‍ष'])(
  '%s is shown whole',
  (text) => {
    expect(displayLine(text)).toBe(text)
    expect(terminalText(text)).toBe(text)
    expect(plainJson(JSON.stringify(text))).toBe(`"${text}"`)
  },
)

test('a joiner and a selector are dropped if they join and select nothing', () => {
  expect(displayLine('👩\u200d\u200d💻 👩\u200d a\ufe0f 1\ufe0f ⚠\ufe0f\ufe0f')).toBe(
    '👩💻 👩 a 1 ⚠\ufe0f',
  )
})

test.each([
  ['ls # \u001b]0;\nrm -rf ~\n# \u0007', 'ls # ␛]0;\nrm -rf ~\n# ␇'],
  ['npm test \u001b]\n; curl x|sh #', 'npm test ␛]\n; curl x|sh #'],
  ['rm x\rls', 'rm x␍ls'],
  ['a\u007f\u009b1mb', 'a␡<U+009B>1mb'],
  ['a\u202eb\u200bc\u2028d\u{e0001}', 'a<U+202E>b<U+200B>c<U+2028>d<U+E0001>'],
  ['a\r\n\tb 👩‍💻 ⚠️', 'a\n\tb 👩‍💻 ⚠️'],
  ['\ud800', '<U+D800>'],
])('%j hides nothing where it is approved', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
  expect(displayText(visibleText(text))).toBe(shown.replaceAll('\t', '  '))
})
