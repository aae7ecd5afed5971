import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Screen } from '../core/screen/screen.ts'
import { matchScreen } from '../core/screen/screen-match.ts'
import type { AgentEvent } from '../core/session/event.ts'
import { noEvidence, withEvent } from '../core/session/evidence.ts'
import { verdictOf } from '../core/session/verdict.ts'
import type { WaitLabel } from '../core/session/wait-label.ts'
import { adapterFor } from './registry.ts'

const AT = Date.UTC(2026, 0, 1, 12)
const TIMESTAMP = new Date(AT).toISOString()

const labelAfter = (events: AgentEvent[]): WaitLabel | undefined => {
  const verdict = verdictOf(events.reduce(withEvent, noEvidence))
  return verdict.state === 'stuck' ? verdict.label : undefined
}

describe('a hook', () => {
  const questions = [{ question: 'Which?', options: [{ label: 'Red' }] }]
  test.each<[harness: string, name: string, payload: object, WaitLabel]>([
    ['claude-code', 'PermissionRequest', { tool_name: 'Bash', tool_input: {} }, 'permission'],
    ['claude-code', 'PermissionRequest', asked('AskUserQuestion', { questions }), 'asks'],
    ['claude-code', 'PermissionRequest', asked('ExitPlanMode', { plan: 'Go' }), 'asks'],
    ['claude-code', 'Elicitation', { mcp_server_name: 'ranch', message: 'Which?' }, 'asks'],
    ['claude-code', 'Notification', { notification_type: 'elicitation_dialog' }, 'asks'],
    ['claude-code', 'Notification', { notification_type: 'permission_prompt' }, 'permission'],
    ['claude-code', 'Stop', { last_assistant_message: 'Done.' }, 'finished'],
    ['claude-code', 'Stop', {}, 'finished'],
    ['claude-code', 'StopFailure', { error: 'overloaded' }, 'error'],
    ['codex', 'PermissionRequest', asked('shell', { command: 'ls' }), 'permission'],
    ['codex', 'PreToolUse', asked('request_user_input', { questions }), 'asks'],
    ['codex', 'Stop', { last_assistant_message: 'Done.' }, 'finished'],
    ['codex', 'Stop', {}, 'waits'],
    ['codex', 'Interrupt', {}, 'interrupted'],
    ['gemini', 'BeforeTool', asked('ask_user', { questions }), 'asks'],
    ['gemini', 'BeforeTool', asked('exit_plan_mode', {}), 'asks'],
    ['gemini', 'Notification', dialog({ type: 'exec', command: 'ls' }), 'permission'],
    ['gemini', 'Notification', dialog({ type: 'ask_user' }), 'asks'],
    ['gemini', 'AfterAgent', { prompt_response: 'Done.' }, 'finished'],
    ['opencode', 'permission.asked', { id: 'p', permission: 'bash' }, 'permission'],
    ['opencode', 'question.asked', { id: 'q', questions }, 'asks'],
    ['opencode', 'session.idle', { message: 'Done.' }, 'finished'],
    ['opencode', 'session.error', { error: { name: 'APIError', message: 'no' } }, 'error'],
    ['opencode', 'session.error', { error: { name: 'MessageAbortedError' } }, 'interrupted'],
    ['qwen', 'PermissionRequest', asked('run_shell_command', { command: 'ls' }), 'permission'],
    ['qwen', 'PermissionRequest', asked('ask_user_question', { questions }), 'asks'],
    ['qwen', 'Stop', { last_assistant_message: 'Done.' }, 'finished'],
    ['qwen', 'StopFailure', { error: 'rate_limit' }, 'error'],
    ['qwen', 'Notification', { notification_type: 'idle_prompt' }, 'waits'],
  ])('%s %s %j is labelled %s', (harness, hook_event_name, payload, label) => {
    const events = adapterFor(harness)?.hookEvents({
      at: AT,
      payload: { session_id: 's', cwd: '/home/op', hook_event_name, ...payload },
    })
    expect(labelAfter(events ?? [])).toBe(label)
  })

  function asked(tool_name: string, tool_input: object): object {
    return { tool_name, tool_input }
  }

  function dialog(details: object): object {
    return { notification_type: 'ToolPermission', details }
  }
})

describe('a line of a transcript', () => {
  const tool = (name: string) => ({ type: 'tool_use', id: 't', name, input: {} })
  const said = (content: object[], more: object = {}) => ({
    type: 'assistant',
    message: { id: 'm', content, stop_reason: 'end_turn' },
    ...more,
  })
  const rollout = (payload: object) => ({ type: 'event_msg', payload })
  test.each<[harness: string, what: string, record: object, WaitLabel]>([
    ['claude-code', 'an answer', said([{ type: 'text', text: 'Done.' }]), 'finished'],
    ['claude-code', 'a question', said([tool('AskUserQuestion')]), 'asks'],
    ['claude-code', 'a plan', said([tool('ExitPlanMode')]), 'asks'],
    ['claude-code', 'an error', said([], { isApiErrorMessage: true, error: 'x' }), 'error'],
    ['claude-code', 'an interrupt', userSaid('[Request interrupted by user]'), 'interrupted'],
    ['codex', 'an answer', rollout({ type: 'task_complete' }), 'finished'],
    ['codex', 'an error', rollout({ type: 'task_complete', error: { message: 'no' } }), 'error'],
    ['codex', 'an interrupt', rollout({ type: 'turn_aborted' }), 'interrupted'],
    ['gemini', 'an error', { type: 'error', content: '[API Error: no]' }, 'error'],
    ['gemini', 'an interrupt', { type: 'info', content: 'Request cancelled.' }, 'interrupted'],
  ])('%s: %s', (harness, _what, record, label) => {
    const reader = adapterFor(harness)?.transcript
    const { event } = reader?.read(reader.start('s'), { timestamp: TIMESTAMP, ...record }) ?? {}
    expect(labelAfter(event ? [event] : [])).toBe(label)
  })

  function userSaid(text: string): object {
    return { type: 'user', message: { content: [{ type: 'text', text }] } }
  }
})

test.each<[waitingFor: string, WaitLabel]>([
  ['permission prompt', 'permission'],
  ['sandbox request', 'permission'],
  ['input needed', 'asks'],
  ['dialog open', 'asks'],
])('Claude Code publishes that it waits for "%s"', (waitingFor, label) => {
  const file = { pid: 7, sessionId: 's', startedAt: 1, statusUpdatedAt: 2, status: 'waiting' }
  const text = JSON.stringify({ ...file, waitingFor })
  const reading = adapterFor('claude-code')?.status?.read(text, '/h/.claude/sessions/7.json')
  expect(labelAfter(reading?.ok ? reading.events : [])).toBe(label)
})

describe('the recorded screens of', () => {
  const root = new URL('../../test/fixtures/screens/', import.meta.url)
  const EXPECTED: [WaitLabel, RegExp][] = [
    [
      'interrupted',
      /^ {2}⎿ \s*Interrupted · |^■ Conversation interrupted|^ℹ Request cancelled| · interrupted/,
    ],
    ['asks', /Which colour\?|trust|Implement this plan\?|Would you like to$|to proceed\?$/i],
    ['permission', /Do you want to |Would you like to |Allow once|△ |Always allow/],
    ['error', /API Error|This request failed|■ \{"error"|no such (?:key|model)/],
  ]
  test.each(readdirSync(root))('%s have the right label', (harness) => {
    const rules = adapterFor(harness)?.screenRules ?? []
    const [version = ''] = readdirSync(new URL(`${harness}/`, root))
    const place = new URL(`${harness}/${version}/`, root)
    const labels = new Map<WaitLabel | undefined, number>()
    for (const file of readdirSync(place).filter((name) => name.startsWith('waiting'))) {
      const screen = JSON.parse(readFileSync(new URL(file, place), 'utf8')) as Screen
      const sight = matchScreen(rules, screen)
      if (!sight || sight.shows === 'working') continue
      labels.set(sight.label, (labels.get(sight.label) ?? 0) + 1)
      const pattern = EXPECTED.find(([label]) => label === sight.label)?.[1]
      const lines = [...(sight.ask?.split('\n') ?? []), ...screen.lines]
      if (pattern) expect(lines.join('\n'), file).toMatch(new RegExp(pattern.source, 'im'))
      if (sight.shows === 'dialog') expect(['asks', 'permission'], file).toContain(sight.label)
      if (sight.shows === 'failed') expect(sight.label, file).toBe('error')
    }
    for (const label of ['asks', 'permission', 'finished', 'error', 'interrupted'] as const) {
      expect(labels.get(label), label).toBeGreaterThan(0)
    }
  })
})
