import { describe, expect, test } from 'vitest'
import { stoppedAsk } from '../adapter/ask-text.ts'
import { apiError, elicitationAsk, tasksNote, toolAsk } from './ask.ts'

describe('what a permission prompt asks', () => {
  test.each<[tool: string, input: unknown, text: string]>([
    ['Bash', { command: 'rm -rf build', description: 'Clean' }, 'rm -rf build\nClean'],
    ['Bash', { command: 17 }, 'Bash\n{"command":17}'],
    ['Write', { file_path: '/a.txt', content: 'one\ntwo\n' }, 'Write /a.txt\n+ one\n+ two'],
    [
      'Edit',
      { file_path: '/a.txt', old_string: 'one', new_string: 'two\nthree' },
      'Edit /a.txt\n- one\n+ two\n+ three',
    ],
    [
      'MultiEdit',
      { file_path: '/a.txt', edits: [{ old_string: 'a', new_string: 'b' }, { old_string: 'c' }] },
      'Edit /a.txt\n- a\n+ b\n- c',
    ],
    ['NotebookEdit', { notebook_path: '/n.ipynb', new_source: 'x' }, 'Edit /n.ipynb\n+ x'],
    ['WebFetch', { url: 'http://a/', prompt: 'read' }, 'Fetch http://a/\nread'],
    ['ExitPlanMode', { plan: '# Plan\n1. do it' }, '# Plan\n1. do it'],
    ['ExitPlanMode', {}, 'Wants to leave plan mode.'],
    ['mcp__lab__ask_me', { x: '1' }, 'ask_me (MCP server lab)\n{"x":"1"}'],
    ['Unheard', {}, 'Unheard'],
    ['AskUserQuestion', { questions: 'none' }, 'AskUserQuestion\n{"questions":"none"}'],
  ])('%s %j', (tool, input, text) => {
    expect(toolAsk(tool, input)).toEqual({ text, tool, input })
  })

  test('a question comes with its options', () => {
    const questions = [
      {
        question: 'Which colour?',
        multiSelect: true,
        options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }],
      },
      { question: 'Sure?', options: [{ label: 'Yes' }] },
    ]
    expect(toolAsk('AskUserQuestion', { questions }).text).toBe(
      'Which colour? (choose any)\n  1. Red: warm\n  2. Blue\n\nSure?\n  1. Yes',
    )
  })

  test('a long file is shown by its beginning', () => {
    const content = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n')
    const { text } = toolAsk('Write', { file_path: '/a', content })
    expect(text).toContain('+ line 59\n… 40 more lines')
    expect(text).not.toContain('line 60')
  })

  test('no text is longer than 16,000 characters', () => {
    const long = 'x'.repeat(100_000)
    for (const ask of [
      toolAsk('Bash', { command: long }),
      toolAsk('mcp__a__b', { long }),
      stoppedAsk(long),
      apiError(long, long).ask,
      elicitationAsk('lab', { message: long }),
    ]) {
      expect(ask.text.length).toBeLessThanOrEqual(16_000)
    }
  })

  test('an input nested too deep to pass on is described by its text only', () => {
    let deep: unknown = 1
    for (let i = 0; i < 20; i++) deep = { deep }
    expect(toolAsk('mcp__a__b', deep)).not.toHaveProperty('input')
  })
})

describe('what a stopped session asks', () => {
  test.each([
    [stoppedAsk('Done.'), 'Done.'],
    [stoppedAsk(undefined), 'Finished its turn.'],
    [apiError('unknown', 'API Error: 400 bad thing').ask, 'API Error: 400 bad thing'],
    [
      apiError('authentication_failed', 'Invalid API key').ask,
      'API error (authentication_failed): Invalid API key',
    ],
    [apiError(undefined, undefined).ask, 'API error'],
  ])('%j', (ask, text) => {
    expect(ask.text).toBe(text)
  })

  test.each([
    [0, undefined],
    [1, '1 background task still running'],
    [2, '2 background tasks still running'],
  ])('%i background tasks', (running, note) => {
    expect(tasksNote(running).note).toBe(note)
  })
})
