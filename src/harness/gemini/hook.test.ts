import { describe, expect, test } from 'vitest'
import { hookEvents } from './hook.ts'

const SESSION = 'f84371d7-d978-4fc7-b735-477b427a8509'
const base = { session_id: SESSION, cwd: '/home/op/ranch', transcript_path: '/home/op/chat.jsonl' }

function eventsOf(event: string, fields: Record<string, unknown> = {}) {
  return hookEvents({ at: 1_000, payload: { ...base, hook_event_name: event, ...fields } })
}

function claims(event: string, fields: Record<string, unknown> = {}) {
  return eventsOf(event, fields).map(({ kind, reason, block, ask, prompt }) => ({
    kind,
    ...(reason && { reason }),
    ...(block && { block }),
    ...(ask && { ask: ask.text }),
    ...(prompt && { prompt }),
  }))
}

const command = (text: string) => ({
  tool_name: 'run_shell_command',
  tool_input: { command: text, description: 'As asked' },
})
const permission = (details: Record<string, unknown>) => ({
  notification_type: 'ToolPermission',
  message: 'Tool requires confirmation',
  details,
})

describe('a hook of Gemini CLI', () => {
  test('names its session, where it runs and what it is about', () => {
    expect(eventsOf('SessionStart', { source: 'startup' })).toEqual([
      {
        v: 1,
        kind: 'started',
        harness: 'gemini',
        session: SESSION,
        at: 1_000,
        source: 'hook',
        cwd: base.cwd,
        transcript: base.transcript_path,
        detail: 'SessionStart startup',
      },
    ])
  })

  test.each([
    ['SessionEnd', { kind: 'ended' }],
    ['BeforeAgent', { kind: 'unstuck', prompt: true }],
    ['BeforeTool', { kind: 'seen' }],
  ])('%s', (event, claim) => {
    expect(claims(event)).toEqual([claim])
  })

  test.each(['PreCompress', 'BeforeModel', 'AfterModel', 'Unheard', 'toString'])(
    '%s says nothing about waiting',
    (event) => {
      expect(claims(event)).toEqual([])
    },
  )
})

describe('a permission and the end of its tool have the same name', () => {
  test.each([
    ['a command', { type: 'exec', command: 'make all' }, command('make all')],
    [
      'an edit',
      { type: 'edit', filePath: '/home/op/ranch/a.txt', fileDiff: '@@ -1 +1 @@\n-a\n+b\n' },
      { tool_name: 'replace', tool_input: { file_path: 'a.txt', old_string: 'a' } },
    ],
    [
      'a tool of an MCP server',
      { type: 'mcp', serverName: 'barn', toolName: 'open', toolDisplayName: 'Open' },
      {
        tool_name: 'mcp_barn_open',
        tool_input: {},
        mcp_context: { server_name: 'barn', tool_name: 'open' },
      },
    ],
  ])('%s', (_what, details, tool) => {
    const [asked] = eventsOf('Notification', permission(details))
    const [ended] = eventsOf('AfterTool', tool)
    expect(asked).toMatchObject({ kind: 'stuck', reason: 'permission' })
    expect(asked?.block).toBeDefined()
    expect(ended).toMatchObject({ kind: 'unstuck', block: asked?.block })
  })

  test('but that of another command has another', () => {
    const [asked] = eventsOf('Notification', permission({ type: 'exec', command: 'make all' }))
    const [ended] = eventsOf('AfterTool', command('make some'))
    expect(ended?.block).not.toBe(asked?.block)
  })

  test('one that its dialog does not identify ends with any answer', () => {
    const [asked] = eventsOf('Notification', permission({ type: 'info', prompt: 'Fetch it' }))
    expect(asked).toMatchObject({ kind: 'stuck', ask: { text: 'Fetch it' } })
    expect(asked?.block).toBeUndefined()
  })
})

test('a question is asked with its choices, and both of its signs are lifted', () => {
  const questions = [{ question: 'Which?', options: [{ label: 'This', description: 'near' }] }]
  const tool = { tool_name: 'ask_user', tool_input: { questions } }
  const [asked] = claims('BeforeTool', tool)
  const [shown] = claims('Notification', permission({ type: 'ask_user', title: 'Ask User' }))
  expect(asked).toMatchObject({ kind: 'stuck', ask: 'Which?\n  1. This: near' })
  expect(claims('AfterTool', tool)).toEqual([
    { kind: 'unstuck', block: asked?.block },
    { kind: 'unstuck', block: shown?.block },
  ])
})

describe('the end of a turn', () => {
  test('has the answer, joined from its pieces', () => {
    expect(claims('AfterAgent', { prompt_response: 'One  two  three. \n' })).toEqual([
      { kind: 'stuck', reason: 'stopped', ask: 'One two three.' },
    ])
  })

  test.each(['[no response text]', '', 7, undefined])('without one (%s) asks nothing', (text) => {
    expect(claims('AfterAgent', { prompt_response: text })).toEqual([
      { kind: 'stuck', reason: 'stopped' },
    ])
  })
})

test('if its process is not visible, the hook does not say who sits in front of it', () => {
  expect(eventsOf('BeforeAgent')[0]).not.toHaveProperty('headless')
})

test.each([
  null,
  [],
  'text',
  {},
  { session_id: '', hook_event_name: 'AfterAgent' },
  { session_id: 'a', hook_event_name: 7 },
])('%j is no hook', (payload) => {
  expect(() => hookEvents({ at: 1, payload })).toThrow(
    expect.objectContaining({ code: 'BAD_EVENT' }),
  )
})

test.each([
  { details: [], notification_type: 'ToolPermission' },
  { details: { type: 'edit', filePath: 7, fileDiff: {} }, notification_type: 'ToolPermission' },
  { details: { type: 'exec', command: 'x'.repeat(100_000) }, notification_type: 'ToolPermission' },
  { details: { type: 'info', urls: [1, null] }, notification_type: 'ToolPermission', message: 'm' },
  { tool_name: 7, tool_input: 'x', mcp_context: 1 },
  { cwd: 'relative', transcript_path: '../x' },
])('hostile fields are ignored: %#', (fields) => {
  for (const event of ['Notification', 'BeforeTool', 'AfterTool', 'AfterAgent']) {
    for (const one of eventsOf(event, fields)) {
      expect((one.ask?.text ?? '').length).toBeLessThanOrEqual(16_000)
      expect((one.block ?? '').length).toBeLessThanOrEqual(512)
    }
  }
})
