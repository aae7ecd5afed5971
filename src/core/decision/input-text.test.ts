import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines, inputText } from './input-text.ts'

test.each<[tool: string | undefined, input: unknown, text: string]>([
  ['Bash', { command: 'ls', timeout: 5 }, 'Bash\ncommand: ls\ntimeout: 5'],
  ['Write', { path: '/a', content: 'x\ny' }, 'Write\npath: /a\ncontent:\n  x\n  y'],
  [
    'Edit',
    { file_path: '/a', old_string: 'a\nb\nc', new_string: 'a\nB\nc' },
    'Edit\nfile_path: /a\n  a\n- b\n+ B\n  c',
  ],
  [
    'MultiEdit',
    { edits: [{ old_string: 'a' }, { new_string: 'b' }] },
    'MultiEdit\nedits 1:\n  - a\nedits 2:\n  + b',
  ],
  [
    'Edit',
    { old_string: { evil: 'content' }, new_string: 'safe' },
    'Edit\nold_string:\n  {\n    "evil": "content"\n  }\nnew_string: safe',
  ],
  ['Edit', { old_string: null, new_string: 'new' }, 'Edit\nold_string: null\nnew_string: new'],
  ['Edit', { old_string: 'p', new_string: 'p\n' }, 'Edit\n  p\n+ '],
  ['Edit', { old_string: 'p\nq\n', new_string: 'p\nr\n' }, 'Edit\n  p\n- q\n+ r'],
  ['Odd', { list: [1, 2], none: null }, 'Odd\nlist:\n  [\n    1,\n    2\n  ]\nnone: null'],
  ['Bare', 'text', 'Bare\ntext'],
  ['Nothing', undefined, 'Nothing'],
  [undefined, { a: '1' }, 'a: 1'],
])('%s %j', (tool, input, text) => {
  expect(inputText(tool, input)).toBe(text)
})

test('a long input is hardly longer as text, however deep it is', () => {
  let nested: unknown = Array.from({ length: 50_000 }, () => 0)
  for (let depth = 0; depth < 30; depth++) nested = [nested]
  const input = { note: 'a\nb', nested, old_string: 'x', new_string: 'y' }
  const text = inputText('T', input)
  expect(text.length).toBeLessThan(JSON.stringify(input).length + 100)
  expect(text).toContain('note:\n  a\n  b\n')
  expect(text).toContain('- x\n+ y')
})

test('a diff gives back both texts, and keeps nothing that both begin and end with', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c')).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after)
      const side = (mark: string) =>
        lines
          .filter((line) => line.startsWith(mark) || line.startsWith('  '))
          .map((l) => l.slice(2))
      expect(side('-').join('\n')).toBe(before)
      expect(side('+').join('\n')).toBe(after)
      const changed = lines.filter((line) => !line.startsWith('  '))
      if (before === after) expect(changed).toEqual([])
    }),
  )
})
