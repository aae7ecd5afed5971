import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/session/event.ts'
import { hookEvents } from './hook.ts'
import { transcriptReader } from './transcript.ts'

const SESSION = '01a1e2b9-c596-7532-a3fa-9c11eac756f5'

const meta = (more: Record<string, unknown> = {}) => ({
  type: 'session_meta',
  payload: { id: SESSION, cwd: '/home/op/proj', originator: 'codex-tui', source: 'cli', ...more },
})
const event = (type: string, more: Record<string, unknown> = {}) => ({
  type: 'event_msg',
  payload: { type, turn_id: 't', ...more },
})
const item = (type: string, more: Record<string, unknown> = {}) => ({
  type: 'response_item',
  payload: { type, ...more },
})
const says = (text: string) =>
  item('message', { role: 'assistant', content: [{ type: 'output_text', text }] })
const calls = (name: string, input: unknown, call_id = 'call_1') =>
  item('function_call', { name, arguments: JSON.stringify(input), call_id })
const output = (call_id = 'call_1') => item('function_call_output', { call_id, output: 'ok' })
const STARTED = event('task_started')

function read(...records: object[]): AgentEvent[] {
  let state = transcriptReader.start(SESSION)
  return records.flatMap((record, index) => {
    const timestamp = new Date(1_700_000_000_000 + index * 1_000).toISOString()
    const step = transcriptReader.read(state, { timestamp, ...record })
    state = step.state
    return step.event ?? []
  })
}

const last = (...records: object[]) => read(...records).at(-1)

describe('what the rollout claims', () => {
  test('a turn begins, works, and ends with the last message', () => {
    const claimed = read(
      meta(),
      STARTED,
      says('One moment.'),
      event('token_count'),
      says('Done.'),
      event('task_complete', { last_agent_message: 'Done.' }),
    )
    expect(claimed.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual([
      'unstuck task_started',
      'seen message',
      'seen message',
      'stuck task_complete',
    ])
    expect(claimed[0]).toMatchObject({ prompt: true, source: 'transcript', cwd: '/home/op/proj' })
    expect(claimed.at(-1)).toMatchObject({ reason: 'stopped', ask: { text: 'Done.' } })
  })

  test('a turn that failed asks with its error', () => {
    const error = { message: 'exceeded retry limit, last status: 429', codex_error_info: {} }
    expect(
      last(STARTED, event('task_complete', { last_agent_message: null, error })),
    ).toMatchObject({
      kind: 'stuck',
      ask: { text: 'Error: exceeded retry limit, last status: 429' },
      detail: 'task_complete error',
    })
  })

  test('an error in JSON is shown by its message', () => {
    const message = '{"error":{"message":"no such model","type":"server_error","code":null}}'
    const failed = event('task_complete', { last_agent_message: null, error: { message } })
    expect(last(STARTED, failed)?.ask?.text).toBe('Error: no such model')
  })

  test('an interrupt is a stop, a turn replaced by another one is not', () => {
    const aborted = (reason: string) => last(STARTED, event('turn_aborted', { reason }))
    expect(aborted('interrupted')).toMatchObject({
      kind: 'stuck',
      reason: 'stopped',
      ask: { text: 'Interrupted by you.' },
    })
    expect(aborted('replaced')).toMatchObject({ detail: 'task_started' })
  })

  test('a turn can end with a plan', () => {
    const plan = event('item_completed', { item: { type: 'Plan', text: '# Plan\n\n1. Ride\n' } })
    const marked = says('<proposed_plan>\n# Plan\n\n1. Ride\n</proposed_plan>')
    const over = event('task_complete', { last_agent_message: null })
    expect(last(STARTED, plan, marked, over)?.ask?.text).toBe('# Plan\n\n1. Ride\n')
  })

  test('a tool is pending until its result, which lifts its permission', () => {
    const cmd = 'touch /etc/foo'
    const begun = last(STARTED, calls('exec_command', { cmd, justification: 'because' }))
    expect(begun).toMatchObject({ kind: 'seen', pending: [{ text: `${cmd}\nbecause` }] })
    const ended = last(STARTED, calls('exec_command', { cmd }), output())
    expect(ended).toMatchObject({ kind: 'unstuck', block: `command:${cmd}` })
    expect(ended).not.toHaveProperty('pending')
    expect(last(STARTED, output('call_unknown'))).toMatchObject({ kind: 'seen' })
  })

  test('a question waits, and continues with its answer', () => {
    const input = { questions: [{ question: 'Which way?', options: [{ label: 'North' }] }] }
    const asked = last(STARTED, calls('request_user_input', input))
    expect(asked).toMatchObject({
      kind: 'stuck',
      reason: 'permission',
      block: 'question:["Which way?"]',
    })
    const answered = last(STARTED, calls('request_user_input', input), output())
    expect(answered).toMatchObject({ kind: 'unstuck', block: 'question:["Which way?"]' })
  })

  test.each([
    ['exec_command', { cmd: 'make' }, { tool_name: 'Bash', tool_input: { command: 'make' } }],
    [
      'shell',
      { command: ['bash', '-lc', 'make'] },
      { tool_name: 'Bash', tool_input: { command: 'make' } },
    ],
    [
      'mcp__ranch__note',
      { text: 'hi' },
      { tool_name: 'mcp__ranch__note', tool_input: { text: 'hi' } },
    ],
  ])('%s has the name that the hooks give it', (name, input, hook) => {
    const payload = { session_id: SESSION, hook_event_name: 'PermissionRequest', ...hook }
    const [asked] = hookEvents({ at: 1, payload })
    expect(last(STARTED, calls(name, input), output())?.block).toBe(asked?.block)
  })
})

describe('who sits in front of it', () => {
  const ended = event('task_complete', { last_agent_message: 'Done.' })

  test.each([
    ['codex-tui', undefined],
    ['codex_exec', true],
    ['codex_vscode', true],
  ])('%s: headless %s', (originator, headless) => {
    expect(last(meta({ originator }), STARTED, ended)?.headless).toBe(headless)
  })

  test('the header of another session, copied by a fork, does not count', () => {
    const other = meta({ id: 'another', originator: 'codex_exec', cwd: '/elsewhere' })
    const claimed = last(meta(), other, STARTED, ended)
    expect(claimed).toMatchObject({ cwd: '/home/op/proj' })
    expect(claimed).not.toHaveProperty('headless')
  })
})

test('an end whose words stand further up is incomplete', () => {
  const state = (...records: object[]) =>
    records.reduce<ReturnType<typeof transcriptReader.start>>(
      (before, record) =>
        transcriptReader.read(before, { timestamp: '2026-11-16T00:00:00Z', ...record }).state,
      transcriptReader.start(SESSION),
    )
  const over = event('task_complete', { last_agent_message: null })
  expect(transcriptReader.isLacking(state(over))).toBe(true)
  expect(transcriptReader.isLacking(state(STARTED, over))).toBe(false)
  expect(transcriptReader.isLacking(state(says('Done.'), over))).toBe(false)
})

test('no JSON makes it throw', () => {
  const types = fc.constantFrom('session_meta', 'event_msg', 'response_item')
  const kinds = fc.constantFrom(
    'task_complete',
    'turn_aborted',
    'function_call',
    'message',
    'function_call_output',
    'item_completed',
    'local_shell_call',
  )
  const record = fc.record({
    timestamp: fc.oneof(fc.constant('2026-11-16T00:00:00Z'), fc.jsonValue()),
    type: fc.oneof(types, fc.jsonValue()),
    payload: fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.oneof(kinds, fc.jsonValue()),
        arguments: fc.jsonValue(),
        name: fc.jsonValue(),
        call_id: fc.jsonValue(),
        error: fc.jsonValue(),
        content: fc.jsonValue(),
        item: fc.jsonValue(),
      }),
    ),
  })
  fc.assert(
    fc.property(fc.array(fc.oneof(record, fc.jsonValue())), (records) => {
      let state = transcriptReader.start(SESSION)
      for (const one of records) state = transcriptReader.read(state, one).state
    }),
    { numRuns: 500 },
  )
})
