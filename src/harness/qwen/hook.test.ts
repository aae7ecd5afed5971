import { expect, test } from 'vitest'
import { hookEvents } from './hook.ts'

const about = { session_id: 's1', cwd: '/ranch', transcript_path: '/home/op/.qwen/chats/s1.jsonl' }

function claims(name: string, fields: Record<string, unknown> = {}) {
  const events = hookEvents({ at: 7, payload: { ...about, hook_event_name: name, ...fields } })
  return events.map(({ kind, reason, prompt, block, ask }) => ({
    kind,
    ...(reason && { reason }),
    ...(prompt && { prompt }),
    ...(block && { block }),
    ...(ask && { ask: ask.text }),
  }))
}

const shell = {
  tool_name: 'run_shell_command',
  tool_input: { command: 'touch it', description: 'As asked', is_background: false },
}

test('an event has the session, the pane and the time of its hook', () => {
  const pane = { socket: '/tmp/t', id: '%1' }
  const payload = { ...about, hook_event_name: 'SessionStart', source: 'startup' }
  expect(hookEvents({ at: 7, pid: 42, pane, payload })).toEqual([
    {
      v: 1,
      harness: 'qwen',
      session: 's1',
      at: 7,
      source: 'hook',
      kind: 'started',
      pane,
      pid: 42,
      cwd: '/ranch',
      transcript: '/home/op/.qwen/chats/s1.jsonl',
      detail: 'SessionStart startup',
    },
  ])
})

test('a submission is a prompt, unless it contains the results of tools', () => {
  const prompted = claims('UserPromptSubmit', { prompt: 'Go', submitted_prompt: 'Go' })
  expect(prompted).toEqual([{ kind: 'unstuck', prompt: true }])
  expect(claims('UserPromptSubmit', { prompt: '' })).toEqual([])
})

test('a permission is asked for with what the tool would do, under its own name', () => {
  const payload = { ...about, hook_event_name: 'PermissionRequest', ...shell }
  const [asked] = hookEvents({ at: 7, payload })
  expect(asked).toMatchObject({ kind: 'stuck', reason: 'permission' })
  expect(asked?.ask).toMatchObject({ text: 'touch it\nAs asked', tool: 'run_shell_command' })
})

test.each(['PreToolUse', 'PostToolUse', 'PostToolUseFailure'])(
  'it is answered when the tool begins, and when it ends: %s',
  (name) => {
    const [asked] = claims('PermissionRequest', shell)
    expect(asked?.block).toBeDefined()
    expect(claims(name, { ...shell, tool_use_id: 't' })).toEqual([
      { kind: 'unstuck', block: asked?.block },
    ])
  },
)

test('changes and questions are reported like those of Claude Code', () => {
  const file_path = '/ranch/a.txt'
  const edit = { file_path, old_string: 'one', new_string: 'two' }
  const questions = [{ question: 'Which?', options: [{ label: 'This' }, { label: 'That' }] }]
  const asks = [
    { tool_name: 'write_file', tool_input: { file_path, content: 'one\n' } },
    { tool_name: 'edit', tool_input: edit },
    { tool_name: 'ask_user_question', tool_input: { questions } },
    { tool_name: 'mcp__ranch__note', tool_input: {} },
  ].map((fields) => claims('PermissionRequest', fields)[0]?.ask)
  expect(asks).toEqual([
    'Write /ranch/a.txt\n+ one',
    'Edit /ranch/a.txt\n- one\n+ two',
    'Which?\n  1. This\n  2. That',
    'note (MCP server ranch)',
  ])
})

test('a turn ends with its answer, with an error, or only with being idle', () => {
  expect(claims('Stop', { last_assistant_message: 'Done.', background_tasks: [] })).toEqual([
    { kind: 'stuck', reason: 'stopped', ask: 'Done.' },
  ])
  const failed = {
    error: 'invalid_request',
    error_details: '400 no such thing',
    last_assistant_message: '[API Error: 400 no such thing]',
  }
  expect(claims('StopFailure', failed)).toEqual([
    { kind: 'stuck', reason: 'stopped', ask: 'API error (invalid_request): 400 no such thing' },
  ])
  expect(claims('Notification', { notification_type: 'idle_prompt' })).toEqual([
    { kind: 'stuck', reason: 'stopped' },
  ])
})

test.each<[string, Record<string, unknown>]>([
  ['Notification', { notification_type: 'permission_prompt', message: 'told before' }],
  ['PreCompact', {}],
  ['SubagentStop', {}],
  ['Whatever', {}],
])('%s %j says nothing about waiting', (name, fields) => {
  expect(claims(name, fields)).toEqual([])
})

test('a session that answers one prompt and exits is headless', () => {
  const payload = { ...about, hook_event_name: 'Stop' }
  const process = { argv: ['node', '/usr/bin/qwen', '-p', 'look'], hasTerminal: true }
  expect(hookEvents({ at: 1, payload, process })[0]?.headless).toBe(true)
  expect(hookEvents({ at: 1, payload })[0]).not.toHaveProperty('headless')
})

test.each([null, [], {}, { session_id: 's' }])('%j is no hook', (payload) => {
  expect(() => hookEvents({ at: 1, payload })).toThrow(
    expect.objectContaining({ code: 'BAD_EVENT', message: expect.stringContaining('Qwen Code') }),
  )
})
