import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../config/config.ts'
import { isWorkspaceName } from '../../config/workspaces.ts'
import { withWorkspace } from './config-text.ts'
import type { StartingWorkspace } from './starting-workspace.ts'

const RANCH: StartingWorkspace = {
  name: 'ranch',
  directory: '/home/op/the "ranch"',
  roles: { lead: 'mule', hand: 'ox' },
  orchestrator: 'lead',
  reviewer: 'hand',
}
const HARNESSES = ['mule', 'ox']
const added = (text: string | undefined, workspace = RANCH) =>
  withWorkspace(text, workspace, HARNESSES)
const read = (text: string) => parseConfig('config.json', text, {})

describe('a configuration with a workspace added', () => {
  test('is a complete file with comments if there was none', () => {
    for (const nothing of [undefined, '', ' \n']) {
      const text = added(nothing)
      expect(text).toMatch(/^\{\n {2}\/\/ Where Trail Boss runs agents[\s\S]*\n {2}\}\n\}\n$/)
      expect(text).toContain('      // Agents run in these directories and below, nowhere else.\n')
      expect(read(text).workspaces['ranch']).toMatchObject({
        directories: ['/home/op/the "ranch"'],
        orchestrator: 'lead',
        reviewer: 'hand',
        policy: 'escalate',
        roles: { lead: { harness: 'mule' }, hand: { harness: 'ox' } },
      })
    }
  })

  test('shows settings that nobody chose in a comment', () => {
    const { orchestrator: _, reviewer: __, ...plain } = RANCH
    const text = added(undefined, plain)
    expect(text).toContain('// "orchestrator": "lead",\n')
    expect(read(text).workspaces['ranch']?.orchestrator).toBeUndefined()
  })

  const FARM = '"farm": {"directories": ["/farm"]}'
  test.each([
    '{}',
    '{"port":0}',
    '{ "port": 0 }\n',
    '{\n  "port": 0\n}\n',
    '{\r\n\t"port": 0\r\n}\r\n',
    '// mine\n{\n    "port": 0 // none\n    // the end\n} // over\n',
    '{\n  // nothing yet\n}\n',
    '{"workspaces":{}}',
    '{\n  "workspaces": {},\n  "port": 0\n}\n',
    `{"workspaces": {${FARM}}, "port": 0}`,
    `{\n  "workspaces": {\n    ${FARM} // the old one\n    /* more to come */\n  },\n  "port": 0\n}\n`,
    `{\n  "workspaces": { ${FARM} }\n}\n`,
  ])('keeps every byte of %j', (text) => {
    const after = added(text)
    expect(leftOf(after, text)).toBe(text.replaceAll(/\s/g, ''))
    expect({ ...read(after), workspaces: {} }).toEqual({ ...read(text), workspaces: {} })
    expect(Object.keys(read(after).workspaces)).toEqual([
      ...Object.keys(read(text).workspaces),
      'ranch',
    ])
  })

  test('follows the indentation and the line ends of the file', () => {
    const text = added('{\r\n\t"port": 0\r\n}\r\n')
    expect(text).toMatch(/\r\n\t\t"ranch": \{\r\n\t\t\t\/\/ Agents/)
    expect(text).not.toMatch(/[^\r]\n/)
    expect(text).not.toMatch(/^ /m)
  })

  test('leaves a comment with the setting that it is about', () => {
    expect(added('{\n  "port": 0 // none\n}\n')).toContain('"port": 0, // none\n')
  })

  test('has a second workspace beside the first, whatever their names are', () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,40}$/).filter(isWorkspaceName)
    fc.assert(
      fc.property(name, name, (one, other) => {
        fc.pre(one !== other)
        const both = added(added(undefined, { ...RANCH, name: one }), { ...RANCH, name: other })
        expect(new Set(Object.keys(read(both).workspaces))).toEqual(new Set([one, other]))
      }),
      { numRuns: 50 },
    )
  })
})

/** The characters of `after` without the addition, including its comma, and without white space. */
function leftOf(after: string, before: string): string {
  const [now, was] = [after, before].map((text) => text.replaceAll(/\s/g, ''))
  let start = 0
  while (start < was!.length && now![start] === was![start]) start++
  // A comma that was added, or a comment that follows one, comes before the addition.
  const isComma = now![start] === ',' && was![start] !== ','
  const rest = isComma ? now!.slice(0, start) + now!.slice(start + 1) : now!
  let from = 0
  while (from < was!.length && rest[from] === was![from]) from++
  return rest.slice(0, from) + rest.slice(rest.length - (was!.length - from))
}
