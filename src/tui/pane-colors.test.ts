import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coloredLines } from './pane-colors.ts'

const ESC = '\u001b'

/** Each run as its sequence and its text. */
const runs = (screen: string) =>
  coloredLines(screen).map((line) =>
    line.map(([ink, text]) => [typeof ink === 'string' ? ink : ink.color, text]),
  )

test.each<[what: string, screen: string, runs: string[][]]>([
  ['nothing', 'plain', [['', 'plain']]],
  ['the palette', `${ESC}[31mred${ESC}[39m not`, [['31', 'red'], ['', ' not']]], // biome-ignore format: one line each
  ['bright ones', `${ESC}[1;92;104mx`, [['1;92;104', 'x']]],
  ['256 colours', `${ESC}[38;5;208;48;5;17mx`, [['38;5;208;48;5;17', 'x']]],
  ['true colour', `${ESC}[38;2;1;2;3mx`, [['38;2;1;2;3', 'x']]],
  ['colons', `${ESC}[38:2::1:2:3;4:3mx`, [['4;38;2;1;2;3', 'x']]],
  ['attributes that end', `${ESC}[1;3;7ma${ESC}[22;27mb`, [['1;3;7', 'a'], ['3', 'b']]], // biome-ignore format: one line each
  ['a reset', `${ESC}[1;31ma${ESC}[mb`, [['1;31', 'a'], ['', 'b']]], // biome-ignore format: one line each
  ['line drawing', `\u000elqk\u000fq`, [['', '┌─┐q']]],
])('keeps %s', (_what, screen, expected) => {
  expect(runs(screen)).toEqual([expected])
})

test.each<[what: string, screen: string, text: string]>([
  ['what hides or blinks', `${ESC}[8msecret${ESC}[5mblink`, 'secretblink'],
  ['colours that are none', `${ESC}[38;5;999;48;2;1;2;400;77;1000mx`, 'x'],
  ['a colour without its numbers', `${ESC}[38mx${ESC}[48;5my`, 'xy'],
  ['the colour of an underline', `${ESC}[58;5;1mx`, 'x'],
  ['other sequences', `a${ESC}[2Jb${ESC}]0;pwn\u0007c${ESC}[1;1Hd\u009b31me`, 'abcde'],
  ['links', `${ESC}]8;;http://x${ESC}\\here${ESC}]8;;${ESC}\\ and`, 'here and'],
  ['private parameters', `${ESC}[?25lx${ESC}[>4;2my`, 'xy'],
])('leaves out %s', (_what, screen, text) => {
  expect(runs(screen)).toEqual([[['', text]]])
})

test('a colour continues over the end of a line, and only visible blanks are kept', () => {
  expect(runs(`${ESC}[32mone  \ntwo\n${ESC}[44m  ${ESC}[0m  `)).toEqual([
    [['32', 'one']],
    [['32', 'two']],
    [['32;44', '  ']],
  ])
})

test('a combining character takes the colour of the one before it', () => {
  expect(runs(`${ESC}[31me${ESC}[32m\u0301x`)).toEqual([[['31', 'e\u0301x']]])
})

test('whatever a pane shows, only colours and attributes remain', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(`${ESC}[`, 'm', ';', '38;5;', ESC, '\u009b', `${ESC}]8;;`, '\u0007', '1;31m'),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      for (const [color, text] of runs(parts.join('')).flat()) {
        expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u)
        expect(color).toMatch(
          /^(?:(?:[1-479]|[349][0-7]|10[0-7]|[34]8;5;\d{1,3}|[34]8;2;\d+;\d+;\d+)(?:;|$))*$/,
        )
      }
    }),
  )
})
