import fc from 'fast-check'
import { expect, test } from 'vitest'
import { confCommands } from './conf-commands.ts'

const words = (text: string) => confCommands(text).map((command) => command.words)

test('words are split at blanks, commands at newlines and semicolons', () => {
  expect(words('set -g a  b ; bind g next\r\n\tbind S prev')).toEqual([
    ['set', '-g', 'a', 'b'],
    ['bind', 'g', 'next'],
    ['bind', 'S', 'prev'],
  ])
})

test('quotes and escapes are undone', () => {
  expect(words(`bind \\; display "a \\"b\\" c" 'd;e # f'"g" \\#h`)).toEqual([
    ['bind', ';', 'display', 'a "b" c', 'd;e # fg', '#h'],
  ])
  expect(words(`set -g x ''`)).toEqual([['set', '-g', 'x', '']])
})

test('comments are skipped, and a # inside a word is not a comment', () => {
  expect(words('# bind g x\nset -g a #b\nset c#d # bind S')).toEqual([
    ['set', '-g', 'a'],
    ['set', 'c#d'],
  ])
})

test('a line that ends in a backslash continues in the next', () => {
  expect(words('bind g \\\n  run x \\\r\n  y\nz')).toEqual([['bind', 'g', 'run', 'x', 'y'], ['z']])
})

test('a block in braces is one word, whatever is in it', () => {
  expect(words('bind g {\n a "}" # }\n b { c }\n}\nz')).toEqual([
    ['bind', 'g', '\n a "}" # }\n b { c }\n'],
    ['z'],
  ])
})

test('a command inside %if begins, for inserting before it, where the %if does', () => {
  const text = 'a\n%if x\n%if y\nb\n%endif\nc\n%endif\nd\n'
  const starts = Object.fromEntries(confCommands(text).map((c) => [c.words[0], c.lineStart]))
  expect(starts).toMatchObject({ a: 0, b: 2, c: 2, d: text.indexOf('d\n') })
})

test('any text is read to its end', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab \t\n\r;#%{}\'"\\$') }), (text) => {
      for (const command of confCommands(text)) {
        expect(command.words.length).toBeGreaterThan(0)
        expect(command.lineStart === 0 || text[command.lineStart - 1] === '\n').toBe(true)
      }
    }),
  )
})
