import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TrailBossError } from '../../core/errors.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { Hook } from '../adapter/adapter.ts'
import { hookEvents } from './hook.ts'

const COMMON = {
  session_id: '01a1e2b9-c596-7532-a3fa-9c11eac756f5',
  turn_id: '01a1e2b9-d043-7ad2-b3b5-209f08d66d9a',
  transcript_path: '/home/op/.codex/sessions/2026/11/16/rollout-2026-11-16T04-59-47-01a1.jsonl',
  cwd: '/home/op/proj',
  model: 'gpt-5',
  permission_mode: 'default',
}
const BASH = { tool_name: 'Bash', tool_input: { command: 'make deploy' } }
const PATCH = '*** Begin Patch\n*** Add File: /etc/motd\n+hello\n*** End Patch'
const QUESTION = {
  tool_name: 'request_user_input',
  tool_input: {
    questions: [{ id: 'q', question: 'Which way?', options: [{ label: 'North' }] }],
  },
}

function events(payload: Record<string, unknown>, hook: Partial<Hook> = {}): AgentEvent[] {
  return hookEvents({ at: 1_000, payload: { ...COMMON, ...payload }, ...hook })
}

function claims(name: string, more: Record<string, unknown> = {}): unknown[] {
  return events({ hook_event_name: name, ...more }).map(
    ({ kind, reason, ask, block, subagent, prompt }) =>
      JSON.parse(
        JSON.stringify({ kind, reason, ask: ask?.text, block, subagent, prompt }),
      ) as unknown,
  )
}

describe('what each hook claims', () => {
  test.each<[name: string, more: Record<string, unknown>, claimed: unknown[]]>([
    ['SessionStart', { source: 'startup' }, [{ kind: 'started' }]],
    ['SessionStart', { source: 'resume' }, [{ kind: 'started' }]],
    ['SessionStart', { source: 'compact' }, []],
    ['SessionEnd', { reason: 'other' }, [{ kind: 'ended' }]],
    ['UserPromptSubmit', { prompt: 'go on' }, [{ kind: 'unstuck', prompt: true }]],
    ['UserPromptSubmit', { prompt: 'look into it', agent_id: 'a1' }, []],
    ['PreToolUse', BASH, [{ kind: 'seen' }]],
    ['PreToolUse', { ...BASH, agent_id: 'a1' }, [{ kind: 'seen', subagent: 'a1' }]],
    [
      'PermissionRequest',
      { ...BASH, tool_input: { command: 'make deploy', description: 'As you asked' } },
      [
        {
          kind: 'stuck',
          reason: 'permission',
          ask: 'make deploy\nAs you asked',
          block: 'command:make deploy',
        },
      ],
    ],
    ['PostToolUse', BASH, [{ kind: 'unstuck', block: 'command:make deploy' }]],
    [
      'PreToolUse',
      QUESTION,
      [
        {
          kind: 'stuck',
          reason: 'permission',
          ask: 'Which way?\n  1. North',
          block: 'question:["Which way?"]',
        },
      ],
    ],
    ['PostToolUse', QUESTION, [{ kind: 'unstuck', block: 'question:["Which way?"]' }]],
    [
      'Stop',
      { last_assistant_message: 'All done.' },
      [{ kind: 'stuck', reason: 'stopped', ask: 'All done.' }],
    ],
    ['Stop', { last_assistant_message: null }, [{ kind: 'stuck', reason: 'stopped' }]],
    ['Interrupt', {}, [{ kind: 'stuck', reason: 'stopped', ask: 'Interrupted by you.' }]],
    ['SubagentStop', { agent_id: 'a1' }, [{ kind: 'unstuck', subagent: 'a1' }]],
    ['SubagentStart', { agent_id: 'a1' }, []],
    ['PreModelRequest', {}, []],
    ['SomethingNew', {}, []],
  ])('%s %j', (name, more, claimed) => {
    expect(claims(name, more)).toEqual(claimed)
  })
})

describe('a patch', () => {
  const asked = { tool_name: 'apply_patch', tool_input: { command: PATCH } }

  test('is shown without the lines that every patch has', () => {
    expect(claims('PermissionRequest', asked)).toMatchObject([
      { ask: 'Add File: /etc/motd\n+hello' },
    ])
  })

  test('has one name, whether it was asked for or ran as a command', () => {
    const run = {
      tool_name: 'Bash',
      tool_input: { command: `apply_patch <<'EOF'\n${PATCH}\nEOF\n` },
    }
    const [{ block: opened }] = events({ hook_event_name: 'PermissionRequest', ...asked }) as [
      AgentEvent,
    ]
    const [{ block: lifted }] = events({ hook_event_name: 'PostToolUse', ...run }) as [AgentEvent]
    expect(opened).toBe(lifted)
    expect(opened).toMatch(/^patch:/)
  })
})

describe('whose it is', () => {
  test("a subagent's rollout is not that of the session", () => {
    const [main] = events({ hook_event_name: 'PreToolUse', ...BASH })
    const [sub] = events({ hook_event_name: 'PreToolUse', ...BASH, agent_id: 'a1' })
    expect(main).toMatchObject({ transcript: COMMON.transcript_path, cwd: '/home/op/proj' })
    expect(sub).not.toHaveProperty('transcript')
    expect(sub?.session).toBe(COMMON.session_id)
  })

  test.each<[argv: string[], headless: boolean | undefined]>([
    [['codex'], false],
    [['codex', 'fix the build'], false],
    [['codex', '-m', 'gpt-5', 'resume', '--last'], false],
    [['/opt/codex', '--no-daemon', '--', 'exec'], false],
    [['codex', 'exec', 'go'], true],
    [['codex', '-C', '/p', 'exec', 'resume', '01a1', 'go'], true],
    [['codex', 'app-server'], true],
    [['codex', 'app-server', '--listen', 'unix://', '--managed-daemon'], undefined],
  ])('%j has headless %s', (argv, headless) => {
    const [event] = events({ hook_event_name: 'Stop' }, { process: { argv, hasTerminal: true } })
    expect(event?.headless).toBe(headless)
  })
})

describe('bad payloads', () => {
  test.each([null, 'text', 42, [], {}, { session_id: '', hook_event_name: 'Stop' }])(
    '%j is no hook of Codex',
    (payload) => {
      expect(() => hookEvents({ at: 1, payload })).toThrow(/Not a hook of Codex/)
    },
  )

  test('any JSON is either refused or understood', () => {
    const names = ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop', 'Interrupt', 'x']
    const payload = fc.record(
      {
        session_id: fc.oneof(fc.string(), fc.jsonValue()),
        hook_event_name: fc.oneof(fc.constantFrom(...names), fc.jsonValue()),
        tool_name: fc.jsonValue(),
        tool_input: fc.oneof(fc.jsonValue(), fc.record({ command: fc.jsonValue() })),
        agent_id: fc.jsonValue(),
        last_assistant_message: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(payload, fc.jsonValue()), (given) => {
        try {
          hookEvents({ at: 1, payload: given })
        } catch (error) {
          expect(error).toBeInstanceOf(TrailBossError)
        }
      }),
      { numRuns: 500 },
    )
  })
})
