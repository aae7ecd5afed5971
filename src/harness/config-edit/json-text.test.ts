import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonNode, parseJsonText, placeIn } from './json-text.ts'

function valueIn(node: JsonNode | undefined): unknown {
  if (node === undefined || node.kind === 'scalar') return node?.value
  if (node.kind === 'array') return node.items.map(valueIn)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, valueIn(value)]))
}

const ROUNDS = { numRuns: 300 }

describe('a JSON text', () => {
  test('gives the same values as JSON.parse, whatever the white space', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent).replaceAll('\n', '\r\n')
        expect(valueIn(parseJsonText(text))).toEqual(JSON.parse(text))
      }),
      ROUNDS,
    )
  })

  test('gives the place of each value', () => {
    const text = '\ufeff{ "a": [1, {"b":null}] }\n'
    const root = parseJsonText(text)
    const texts: string[] = []
    const visit = (node: JsonNode): void => {
      texts.push(text.slice(node.start, node.end))
      if (node.kind === 'array') node.items.forEach(visit)
      if (node.kind === 'object') for (const { value } of node.members) visit(value)
    }
    if (root) visit(root)
    expect(texts).toEqual([
      '{ "a": [1, {"b":null}] }',
      '[1, {"b":null}]',
      '1',
      '{"b":null}',
      'null',
    ])
  })

  test('with nothing but white space has no value', () => {
    for (const text of ['', ' \r\n\t', '\ufeff\n']) expect(parseJsonText(text)).toBeUndefined()
  })

  test('is refused exactly when JSON.parse refuses it', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      'true',
      ' ',
      '\\',
    )
    const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (json) => {
        fc.pre(json.trim() !== '')
        expect(isRefused(() => parseJsonText(json))).toBe(isRefused(() => JSON.parse(json)))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('errors say what is wrong, with its place', () => {
  test.each([
    ['{\n  "a": 1,\n}', 'line 2, column 9: there is a comma too many before the }.'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma or a } is missing here: there is ".'],
    ['{\n  // mine\n}', /^line 2, column 3: a name in double quotes belongs here, but .* comment/],
    ['{"a": 1', 'line 1, column 8: a comma or a } is missing here: the file ends.'],
    ["{'a': 1}", "line 1, column 2: a name in double quotes belongs here, but there is '."],
    ['{"a" 1}', 'line 1, column 6: a colon is missing after "a": there is 1.'],
    ['{"a": yes}', 'line 1, column 7: a value belongs here, but there is yes.'],
    ['{"a": "b\n"}', 'line 1, column 7: a text begins here and has no closing quote on its line.'],
    ['{"a": "\\x"}', /^line 1, column 7: this text has a character or a \\ in it/],
    ['{} {}', 'line 1, column 4: nothing may follow the value, but there is {.'],
    ['\r\n\ufeff{}', /^line 2, column 1: .*an invisible character/],
    [`${'['.repeat(600)}`, /nested more than 500 deep/],
  ])('%j', (text, message) => {
    expect(() => parseJsonText(text)).toThrow(message)
  })

  test('a place is counted from one, after a byte order mark', () => {
    expect(placeIn('\ufeff{}', 1)).toBe('line 1, column 1')
    expect(placeIn('{\n\t"a"', 3)).toBe('line 2, column 2')
  })
})

function isRefused(parse: () => unknown): boolean {
  try {
    parse()
    return false
  } catch {
    return true
  }
}
