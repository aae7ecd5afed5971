import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TrailBossError } from '../../core/errors.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { Hook } from '../adapter/adapter.ts'
import { hookEvents } from './hook.ts'

const COMMON = {
  session_id: '5e551000-0000-4000-8000-000000000001',
  transcript_path: '/home/op/.claude/projects/-home-op-proj/5e55.jsonl',
  cwd: '/home/op/proj',
  permission_mode: 'default',
}
const BASH = { tool_name: 'Bash', tool_input: { command: 'make deploy', description: 'Deploy' } }

function events(payload: Record<string, unknown>, hook: Partial<Hook> = {}): AgentEvent[] {
  return hookEvents({ at: 1_000, payload: { ...COMMON, ...payload }, ...hook })
}

function claims(name: string, more: Record<string, unknown> = {}): unknown[] {
  return events({ hook_event_name: name, ...more }).map(
    ({ kind, reason, ask, note, block, subagent }) =>
      JSON.parse(
        JSON.stringify({ kind, reason, ask: ask?.text, note, block, subagent }),
      ) as unknown,
  )
}

describe('a hook that another program runs claims nothing', () => {
  test.each<[string, Record<string, unknown>, Partial<Hook>]>([
    ['Cursor', { hook_event_name: 'Stop', cursor_version: '1.7.2' }, {}],
    ['Cursor, with a name of its own', { hook_event_name: 'stop', cursor_version: '1.7.2' }, {}],
    ['Grok', { hookEventName: 'Stop', sessionId: 's' }, {}],
    ['Grok, by its environment', { hook_event_name: 'Stop' }, { runner: 'grok' }],
    ['Devin', { hook_event_name: 'PermissionRequest', ...BASH }, { runner: 'devin' }],
  ])('%s', (_, payload, hook) => {
    expect(events(payload, hook)).toEqual([])
  })

  test('whatever else is in its payload', () => {
    expect(hookEvents({ at: 1, payload: { cursor_version: '1.7.2' } })).toEqual([])
    expect(() => hookEvents({ at: 1, payload: { version: '1.7.2' } })).toThrow(TrailBossError)
  })
})

describe('what each hook claims', () => {
  test.each<[name: string, more: Record<string, unknown>, claimed: unknown[]]>([
    ['SessionStart', { source: 'startup' }, [{ kind: 'started' }]],
    ['SessionStart', { source: 'resume' }, [{ kind: 'started' }]],
    ['SessionStart', { source: 'clear' }, [{ kind: 'started' }]],
    ['SessionStart', { source: 'fork' }, [{ kind: 'started' }]],
    ['SessionStart', { source: 'compact' }, []],
    ['SessionEnd', { reason: 'prompt_input_exit' }, [{ kind: 'ended' }]],
    ['UserPromptSubmit', { prompt: 'go on' }, [{ kind: 'unstuck' }]],
    [
      'UserPromptSubmit',
      { prompt: '<task-notification>\n<task-id>b1</task-id>' },
      [{ kind: 'seen' }],
    ],
    ['UserPromptSubmit', { prompt: 'what is <task-notification>?' }, [{ kind: 'unstuck' }]],
    ['PreToolUse', BASH, [{ kind: 'seen' }]],
    ['PreToolUse', { ...BASH, agent_id: 'a1' }, [{ kind: 'seen', subagent: 'a1' }]],
    [
      'PermissionRequest',
      BASH,
      [
        {
          kind: 'stuck',
          reason: 'permission',
          ask: 'make deploy\nDeploy',
          block: 'Bash:make deploy',
        },
      ],
    ],
    ['PostToolUse', BASH, [{ kind: 'unstuck', block: 'Bash:make deploy' }]],
    [
      'PostToolUseFailure',
      { ...BASH, error: 'Exit code 1', agent_id: 'a1' },
      [{ kind: 'unstuck', block: 'Bash:make deploy', subagent: 'a1' }],
    ],
    [
      'Stop',
      { last_assistant_message: 'All done.', background_tasks: [], stop_hook_active: true },
      [{ kind: 'stuck', reason: 'stopped', ask: 'All done.' }],
    ],
    [
      'Stop',
      {
        last_assistant_message: 'Started.',
        background_tasks: [{ status: 'running' }, { status: 'completed' }, { status: 'running' }],
      },
      [
        {
          kind: 'stuck',
          reason: 'stopped',
          ask: 'Started.',
          note: '2 background tasks still running',
        },
      ],
    ],
    [
      'StopFailure',
      { error: 'rate_limit', last_assistant_message: 'Too many requests' },
      [{ kind: 'stuck', reason: 'stopped', ask: 'API error (rate_limit): Too many requests' }],
    ],
    [
      'SubagentStop',
      { agent_id: 'a1', agent_type: 'general-purpose', last_assistant_message: 'Inner result.' },
      [{ kind: 'unstuck', subagent: 'a1' }],
    ],
    ['SubagentStop', { agent_id: 'a1', agent_type: '' }, []],
    ['SubagentStop', { agent_type: 'general-purpose' }, []],
    [
      'Elicitation',
      {
        mcp_server_name: 'lab',
        message: 'Please give your name',
        mode: 'form',
        requested_schema: { type: 'object', properties: { name: { type: 'string' } } },
      },
      [
        {
          kind: 'stuck',
          reason: 'permission',
          ask: 'MCP server lab asks: Please give your name\nFields: name',
          block: 'elicitation:["lab"]',
        },
      ],
    ],
    [
      'ElicitationResult',
      { mcp_server_name: 'lab', mode: 'form', action: 'decline' },
      [{ kind: 'unstuck', block: 'elicitation:["lab"]' }],
    ],
    [
      'ElicitationResult',
      { mcp_server_name: 'lab', elicitation_id: 'e7', mode: 'url', action: 'accept' },
      [{ kind: 'unstuck', block: 'elicitation:["e7"]' }],
    ],
    [
      'Notification',
      { notification_type: 'permission_prompt', message: 'Claude needs your permission' },
      [
        {
          kind: 'stuck',
          reason: 'permission',
          ask: 'Claude needs your permission',
        },
      ],
    ],
    [
      'Notification',
      { notification_type: 'elicitation_dialog', message: 'Claude Code needs your input' },
      [
        {
          kind: 'stuck',
          reason: 'permission',
          ask: 'Claude Code needs your input',
        },
      ],
    ],
    ['Notification', { notification_type: 'idle_prompt', message: 'waiting' }, []],
    ['Notification', { notification_type: 'elicitation_response', message: 'x' }, []],
    ['Notification', { message: 'Claude needs your permission' }, []],
    ['SubagentStart', { agent_id: 'a1' }, []],
    ['MessageDisplay', {}, []],
    ['PreCompact', { trigger: 'manual' }, []],
    ['PostCompact', { trigger: 'manual' }, []],
    ['PostToolBatch', {}, []],
    ['SomethingNew', {}, []],
  ])('%s %j', (name, more, claimed) => {
    expect(claims(name, more)).toEqual(claimed)
  })

  test('a permission carries the tool and its input', () => {
    const [asked] = events({ hook_event_name: 'PermissionRequest', ...BASH })
    expect(asked?.ask).toMatchObject({ tool: 'Bash', input: BASH.tool_input })
  })
})

describe('what every event carries', () => {
  test('where the session runs and what was observed', () => {
    const pane = { socket: '/tmp/tmux-1000/default', id: '%4' }
    const claimed = events({ hook_event_name: 'PostToolUse', ...BASH }, { pane, pid: 77 })
    expect(claimed).toHaveLength(1)
    for (const event of claimed) {
      expect(event).toMatchObject({
        v: 1,
        harness: 'claude-code',
        session: COMMON.session_id,
        at: 1_000,
        source: 'hook',
        pane,
        pid: 77,
        cwd: COMMON.cwd,
        transcript: COMMON.transcript_path,
        detail: 'PostToolUse Bash',
      })
    }
  })

  test.each([
    ['sdk-cli', true],
    ['sdk-ts', true],
    ['cli', false],
    [undefined, undefined],
  ])('a session started as %s is headless: %s', (entrypoint, headless) => {
    const claimed = events(
      { hook_event_name: 'PostToolUse', ...BASH },
      entrypoint === undefined ? {} : { entrypoint },
    )
    expect(claimed.map((event) => event.headless)).toEqual([headless])
  })

  describe('a session that runs in the background', () => {
    const job = COMMON.session_id.slice(0, 8)

    test('has the name of its job, and is not headless', () => {
      const stop = { hook_event_name: 'Stop', last_assistant_message: 'Done.' }
      expect(events(stop, { entrypoint: 'cli', job })).toMatchObject([
        { kind: 'stuck', headless: false, job },
      ])
    })

    test('does not begin when its worker starts', () => {
      const start = { hook_event_name: 'SessionStart', source: 'startup' }
      expect(events(start, { entrypoint: 'cli', job })).toEqual([])
      expect(events(start, { entrypoint: 'cli' })).toMatchObject([{ kind: 'started' }])
    })

    test.each(['deadbeef', '5e55 1000', ''])(
      'is not one that inherited the name %j',
      (inherited) => {
        const [event] = events({ hook_event_name: 'Stop' }, { entrypoint: 'cli', job: inherited })
        expect(event).not.toHaveProperty('job')
      },
    )
  })

  test('a field of the wrong type counts as absent', () => {
    const [event] = events({
      hook_event_name: 'Stop',
      cwd: 7,
      transcript_path: 'relative.jsonl',
      agent_id: {},
      last_assistant_message: ['x'],
      background_tasks: 'none',
    })
    expect(event).toMatchObject({ kind: 'stuck', ask: { text: 'Finished its turn.' } })
    for (const field of ['cwd', 'transcript', 'subagent']) expect(event).not.toHaveProperty(field)
  })
})

describe('what is not a hook of Claude Code', () => {
  test.each([
    null,
    'text',
    [],
    {},
    { session_id: 's' },
    { hook_event_name: 'Stop' },
    { session_id: '', hook_event_name: 'Stop' },
    { session_id: 's'.repeat(10_000), hook_event_name: 'Stop' },
    { session_id: 's', hook_event_name: 5 },
  ])('%j is refused', (payload) => {
    expect(() => hookEvents({ at: 1, payload })).toThrow(
      expect.objectContaining({ code: 'BAD_EVENT' }) as Error,
    )
  })

  test('any JSON is either refused or understood', () => {
    const names = [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'Stop',
      'StopFailure',
      'SubagentStop',
      'Elicitation',
      'ElicitationResult',
      'Notification',
    ]
    const tools = ['Bash', 'Write', 'Edit', 'MultiEdit', 'AskUserQuestion', 'ExitPlanMode']
    const payload = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          session_id: fc.oneof(fc.constant('s'), fc.jsonValue()),
          hook_event_name: fc.oneof(fc.constantFrom(...names), fc.jsonValue()),
          tool_name: fc.oneof(fc.constantFrom(...tools, 'mcp__a__b'), fc.jsonValue()),
          tool_input: fc.oneof(
            fc.jsonValue(),
            fc.record(
              {
                command: fc.jsonValue(),
                file_path: fc.jsonValue(),
                content: fc.jsonValue(),
                edits: fc.jsonValue(),
                questions: fc.oneof(
                  fc.jsonValue(),
                  fc.array(fc.record({ question: fc.jsonValue(), options: fc.jsonValue() })),
                ),
              },
              { requiredKeys: [] },
            ),
          ),
          notification_type: fc.constantFrom('permission_prompt', 'idle_prompt'),
          message: fc.jsonValue(),
          requested_schema: fc.jsonValue(),
          background_tasks: fc.jsonValue(),
          agent_id: fc.jsonValue(),
          cwd: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    )
    fc.assert(
      fc.property(payload, (hostile) => {
        try {
          for (const event of hookEvents({ at: 1, payload: hostile })) {
            expect(event.session.length).toBeLessThanOrEqual(200)
            expect(event.ask?.text.length ?? 0).toBeLessThanOrEqual(16_000)
          }
        } catch (error) {
          if (!(error instanceof TrailBossError) || error.code !== 'BAD_EVENT') throw error
        }
      }),
      { numRuns: 500 },
    )
  })
})
