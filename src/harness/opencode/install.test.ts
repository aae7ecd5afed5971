import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addPlugin, namesPlugin, removePlugin } from './install.ts'

const TEXTS = [
  '{}',
  '{ }\n',
  '{\n}\n',
  '{"theme":"tokyonight"}',
  '{\n  "theme": "tokyonight"\n}\n',
  '{\r\n\t"theme": "tokyonight"\r\n}\r\n',
  '{\n  "plugin": []\n}\n',
  '{\n  "plugin": [\n  ],\n  "theme": "x"\n}',
  '{\n  "plugin": ["./mine.js", ["other@1.2.3", { "a": 1 }]]\n}\n',
  '{\n  "plugin": [\n    "./mine.js",\n    "./yours.js"\n  ],\n  "scroll_speed": 2.50\n}\n',
  '{\n  // my own\n  "plugin": ["./mine.js"], // and why\n  "keybinds": { "leader": "ctrl+x" }\n}\n',
  '{\n  // nothing yet\n}\n',
  '\ufeff{ "theme": "x" }\n',
]

describe('the line that names the plugin', () => {
  test.each(TEXTS)('is added and removed to the byte: %j', (text) => {
    const added = addPlugin(text)
    expect(namesPlugin(added)).toBe(true)
    expect(addPlugin(added)).toBe(added)
    expect(removePlugin(added, text)).toBe(text)
    expect(namesPlugin(removePlugin(added, undefined) ?? '{}')).toBe(false)
  })

  test('a file created for it is removed with it', () => {
    const made = addPlugin(undefined)
    expect(JSON.parse(made)).toMatchObject({ plugin: ['./trailboss.js'] })
    expect(removePlugin(made, undefined)).toBeUndefined()
    expect(removePlugin(addPlugin(''), '')).toBe('')
  })

  test('what the user has added since stays', () => {
    const made = addPlugin(undefined).replace('"plugin"', '"theme": "x",\n  "plugin"')
    expect(removePlugin(made, undefined)).toBe(
      '{\n  "$schema": "https://opencode.ai/tui.json",\n  "theme": "x"\n}\n',
    )
    const joined = addPlugin('{ "plugin": [] }').replace(']', ', "./new.js"]')
    expect(removePlugin(joined, '{ "plugin": [] }')).toBe('{ "plugin": ["./new.js"] }')
  })

  test('an entry with options belongs to the user', () => {
    const own = '{ "plugin": [["./trailboss.js", {}]] }'
    expect(namesPlugin(own)).toBe(false)
    expect(removePlugin(own, undefined)).toBe(own)
  })

  test.each([
    ['[]', 'line 1, column 1: the settings are not an object'],
    ['{\n  "plugin": "x"\n}', 'line 2, column 13: "plugin" is not a list'],
    ['{ "plugin": [], "plugin": [] }', 'line 1, column 17: "plugin" is there twice'],
    ['{ "theme": }', 'line 1, column 12: a value belongs here'],
  ])('a file that opencode would not accept is refused, with the place: %s', (text, message) => {
    expect(() => addPlugin(text)).toThrow(message)
  })

  test('everything else in the file keeps its meaning', () => {
    const plugins = fc.array(fc.constantFrom('./a.js', 'b@1', './c.ts'), { maxLength: 3 })
    const settings = fc.record(
      { theme: fc.string(), plugin: plugins, keybinds: fc.dictionary(fc.string(), fc.string()) },
      { requiredKeys: [] },
    )
    const layouts = fc.constantFrom(undefined, 2, 4, '\t')
    fc.assert(
      fc.property(settings, layouts, (value, space) => {
        const text = JSON.stringify(value, null, space)
        const added = addPlugin(text)
        const { plugin, ...rest } = JSON.parse(added)
        const { plugin: others = [], ...before } = value
        expect(plugin).toEqual([...others, './trailboss.js'])
        expect(rest).toEqual(JSON.parse(JSON.stringify(before)))
        expect(removePlugin(added, text)).toBe(text)
        const taken = JSON.parse(removePlugin(added, undefined) ?? '{}')
        expect(taken.plugin ?? []).toEqual(others)
      }),
      { numRuns: 300 },
    )
  })
})
