import { describe, expect, test } from 'vitest'
import { parseTomlText } from './toml-text.ts'

const EVERYTHING = `# what people have
model = "gpt-5" # a comment
"quoted key" = 'C:\\path'
a.b . "c.d" = 1_000.5e-3
day = 1979-05-27 07:32:00Z
text = """
[not.a.table]
x = "y\\"""" # still one value
raw = '''
'[no]' ''''
list = [
  "one", # [no.header]
  { k = [1, 2], "q" = 'v' },
]
[table] # with a comment
yes = true

[[items]]
[ "hooks" . state . "/h/hooks.json:stop:0:0" ]
trusted_hash = "sha256:00"
`

describe('a TOML text', () => {
  test('is split into tables and pairs', () => {
    const tables = parseTomlText(EVERYTHING)
    expect(tables.map(({ path }) => path)).toEqual([
      [],
      ['table'],
      ['items'],
      ['hooks', 'state', '/h/hooks.json:stop:0:0'],
    ])
    expect(tables[0].pairs.map(({ path }) => path.join('|'))).toEqual([
      'model',
      'quoted key',
      'a|b|c.d',
      'day',
      'text',
      'raw',
      'list',
    ])
    const values = tables.flatMap(({ pairs }) =>
      pairs.map(({ value }) => EVERYTHING.slice(value.start, value.end)),
    )
    expect(values).toContain('1979-05-27 07:32:00Z')
    expect(values).toContain(`'''\n'[no]' ''''`)
    expect(values.at(-1)).toBe('"sha256:00"')
  })

  test('a table ends with its last pair, not with the comments above the next one', () => {
    const text = '[a]\nx = 1\n\n# about b\n[b]\n'
    const [, a, b] = parseTomlText(text)
    expect(text.slice(a?.start, a?.end)).toBe('[a]\nx = 1\n')
    expect(text.slice(b?.start, b?.end)).toBe('[b]\n')
  })

  test.each([
    ['', 1],
    ['\ufeff# only a comment', 1],
    ['x = 1\r\n[a]\r\ny = 2', 2],
    ['[a.b]\n[a]\n[a.c]\nx.y = 1\nx.z = 2\n[a.c.x.w]\n', 5],
    ['[[a]]\nx = 1\n[a.b]\n[[a]]\nx = 1\n[a.b]\n', 5],
  ])('%j has %i tables', (text, count) => {
    expect(parseTomlText(text)).toHaveLength(count)
  })

  test.each([
    ['x = ', 'line 1, column 5: a value belongs here, but the file ends.'],
    ['x = 1\ny 2\n', 'line 2, column 3: a = is missing after the key: there is 2.'],
    ['x = 1 2\n', 'line 1, column 7: the line should end here, but there is 2.'],
    ['[a\nx = 1\n', 'line 1, column 3: a ] is missing here: the line ends.'],
    ['x = "open\n', 'line 1, column 5: a text begins here and has no closing quote on its line.'],
    ['x = """open\n', 'line 1, column 5: a text begins here and has no closing """.'],
    ['x = [1 2]\n', 'line 1, column 8: a comma or a ] is missing here: there is 2.'],
    ['= 1\n', 'line 1, column 1: a key belongs here, but there is =.'],
    ['{"hooks": {}}', 'line 1, column 1: a key belongs here, but there is {.'],
    ['x = yes\n', 'line 1, column 5: a value belongs here, but there is yes.'],
    ['a=1\na=2\n', 'line 2, column 1: a is there already, in line 1, column 1.'],
    ['[a]\nx = 1\n[a]\n', 'line 3, column 1: a is there already, in line 1, column 1.'],
    ['[a.b]\n[a]\n[a]\n', 'line 3, column 1: a is there already, in line 2, column 1.'],
    ['a = "x"\n[a.b]\n', 'line 2, column 1: a is there already, in line 1, column 1.'],
    ['a.b = 1\n[a]\n', 'line 2, column 1: a is there already, in line 1, column 1.'],
    ['a = {}\na.b = 1\n', 'line 2, column 1: a is there already, in line 1, column 1.'],
    ['[[a]]\n[a]\n', 'line 2, column 1: a is there already, in line 1, column 1.'],
    ['x = [{ a = 1, "a" = 2 }]\n', 'line 1, column 15: a is there already, in line 1, column 8.'],
    [`x = ${'['.repeat(500)}`, 'line 1, column 205: it is nested more than 200 deep.'],
  ])('%j is refused with the place', (text, message) => {
    expect(() => parseTomlText(text)).toThrow(message)
  })
})
