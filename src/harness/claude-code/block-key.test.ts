import { describe, expect, test } from 'vitest'
import { type Recorded, recording } from '../../../test/support/recording.ts'
import { objectOf } from '../config-edit/json-value.ts'
import { blockKey } from './block-key.ts'

const CWD = '/home/op/proj'

describe('the name of a permission', () => {
  test.each([
    ['Bash', { command: 'ls', description: 'a' }, { description: 'b', command: 'ls', timeout: 5 }],
    ['Edit', { file_path: '/home/op/proj/a.ts', new_string: 'x' }, { file_path: './b/../a.ts' }],
    ['NotebookEdit', { notebook_path: 'n.ipynb' }, { notebook_path: '/home/op/proj/n.ipynb' }],
    ['ExitPlanMode', { plan: 'first this' }, {}],
    [
      'AskUserQuestion',
      { questions: [{ question: 'Which?', header: 'H', options: [] }] },
      { questions: [{ question: 'Which?' }], answers: { 'Which?': 'A' }, annotations: {} },
    ],
    ['mcp__lab__run', { a: 1, b: { c: [1, 2], d: null } }, { b: { d: null, c: [1, 2] }, a: 1 }],
  ])('%s keeps its name when irrelevant parts change', (tool, asked, ran) => {
    expect(blockKey(tool, ran, CWD)).toBe(blockKey(tool, asked, CWD))
  })

  test.each([
    ['Bash', { command: 'ls' }, { command: 'ls -l' }],
    ['Bash', { command: 'x'.repeat(500) }, { command: `${'x'.repeat(499)}y` }],
    ['Write', { file_path: '/a' }, { file_path: '/b' }],
    ['AskUserQuestion', { questions: [{ question: 'A?' }] }, { questions: [{ question: 'B?' }] }],
    ['mcp__lab__run', { a: 1 }, { a: '1' }],
    ['mcp__lab__run', { a: [1, 2] }, { a: [2, 1] }],
  ])('%s has another name for another call', (tool, one, other) => {
    expect(blockKey(tool, one, CWD)).not.toBe(blockKey(tool, other, CWD))
  })

  test('different tools have different names', () => {
    expect(blockKey('Read', { file_path: '/a' })).not.toBe(blockKey('Write', { file_path: '/a' }))
  })

  test('it is short, and readable if possible', () => {
    expect(blockKey('Bash', { command: 'make deploy' })).toBe('Bash:make deploy')
    const long = blockKey('t'.repeat(10_000), { command: 'x'.repeat(100_000) })
    expect(long.length).toBeLessThan(64)
  })

  test('even an absurdly nested input has a name', () => {
    let deep: unknown = {}
    for (let i = 0; i < 50_000; i++) deep = { deep }
    expect(blockKey('mcp__lab__run', deep)).toMatch(/^mcp__lab__run:/)
  })

  test.each([
    'approved',
    'edit-relative-path',
    'question-answered',
    'plan-approved',
    'elicitation',
  ])('the asking hook, the hook after it and the transcript agree: %s', (name) => {
    const lines = recording(name)
    const [asked] = hookKeys(lines, 'PermissionRequest')
    expect(asked).toBeDefined()
    expect(hookKeys(lines, 'PostToolUse')).toContain(asked)
    expect(transcriptKeys(lines)).toContain(asked)
  })
})

function hookKeys(lines: Recorded[], name: string): string[] {
  return lines.flatMap((line) =>
    'hook' in line && line.hook['hook_event_name'] === name
      ? [blockKey(String(line.hook['tool_name']), line.hook['tool_input'], CWD)]
      : [],
  )
}

function transcriptKeys(lines: Recorded[]): string[] {
  return lines.flatMap((line) => {
    if (!('record' in line)) return []
    const { content } = objectOf(objectOf(line.record)['message']) as { content?: unknown }
    const blocks = Array.isArray(content) ? content.map(objectOf) : []
    return blocks
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => blockKey(String(block['name']), block['input'], CWD))
  })
}
