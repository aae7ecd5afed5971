import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/session/event.ts'
import { noEvidence, withEvent } from '../../core/session/evidence.ts'
import { claudeCode } from '../claude-code/adapter.ts'
import { codex } from '../codex/adapter.ts'
import { gemini } from '../gemini/adapter.ts'
import { opencode } from '../opencode/adapter.ts'
import { qwen } from '../qwen/adapter.ts'
import type { Adapter } from './adapter.ts'

const MARK = '[tb:k3f9x2m7q1]'

/** What a recorded session reports if each of its lines is changed like this first. */
function toldIn(
  adapter: Adapter,
  recording: string,
  change: (line: string) => string,
): AgentEvent[] {
  const file = new URL(`../../../test/fixtures/${recording}.jsonl`, import.meta.url)
  let state = adapter.transcript?.start('s')
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const { at = 1, hook, record } = JSON.parse(change(line))
      if (hook) return adapter.hookEvents({ at, payload: hook })
      if (record === undefined || !adapter.transcript) return []
      const read = adapter.transcript.read(state, record)
      state = read.state
      return read.event ?? []
    })
}

const RECORDED: [recording: string, adapter: Adapter, prompt: string][] = [
  ['claude-code/2.1.325/approved', claudeCode, 'Make the marker file'],
  ['claude-code/2.1.325/queued-prompt', claudeCode, 'Say hello'],
  ['claude-code/2.1.325/queued-turn', claudeCode, 'Count to two'],
  ['codex/0.166.0/turn', codex, 'Record a turn'],
  ['gemini/0.61.0/turn', gemini, 'Record a turn'],
]

describe('the mark in a prompt', () => {
  test.each(RECORDED)(
    'is reported by the hook and by the transcript: %s',
    (recording, adapter, prompt) => {
      const marked = toldIn(adapter, recording, (line) =>
        line.replaceAll(`"${prompt}"`, `"${MARK} ${prompt}"`),
      )
      const sources = marked
        .filter(({ marks }) => marks)
        .map(({ source, marks }) => [source, marks])
      expect(sources.toSorted()).toEqual([
        ['hook', ['k3f9x2m7q1']],
        ['transcript', ['k3f9x2m7q1']],
      ])
      expect(JSON.stringify(marked.filter(({ marks }) => marks))).not.toContain(prompt)
    },
  )

  test.each(RECORDED)('is not reported for a prompt without one: %s', (recording, adapter) => {
    const events = toldIn(adapter, recording, (line) => line)
    expect(events.length).toBeGreaterThan(1)
    for (const event of events) expect(event).not.toHaveProperty('marks')
  })

  test.each(RECORDED)(
    'changes nothing of what is known but whose it is: %s',
    (recording, adapter) => {
      const events = toldIn(adapter, recording, (line) => line)
      const marked = events.map((event) => ({ ...event, marks: ['k3f9x2m7q1'] }))
      const { ownPromptAt, ...known } = marked.reduce(withEvent, noEvidence)
      const { otherPromptAt, ...expected } = events.reduce(withEvent, noEvidence)
      expect(known).toEqual(expected)
      expect([ownPromptAt, otherPromptAt]).not.toContain(undefined)
    },
  )

  test('is reported by the plugin of opencode, with the prompt or after it', () => {
    const payload = { session_id: 'ses_1', at: 1 }
    const events = ['chat.message', 'prompt.marked'].flatMap((hook_event_name) =>
      opencode.hookEvents({ at: 1, payload: { ...payload, hook_event_name, marks: MARK } }),
    )
    expect(events).toMatchObject([
      { kind: 'unstuck', prompt: true, marks: ['k3f9x2m7q1'] },
      { kind: 'seen', marks: ['k3f9x2m7q1'] },
    ])
  })

  test('is reported by the hook of Qwen Code', () => {
    const payload = { session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: `${MARK} Go` }
    expect(qwen.hookEvents({ at: 1, payload })).toMatchObject([{ marks: ['k3f9x2m7q1'] }])
  })
})

describe('a mark outside the prompts of the operator and ours', () => {
  const timestamp = '2026-11-15T22:09:10.197Z'
  const claudeUser = (content: unknown, more = {}) => ({
    ...{ type: 'user', timestamp, message: { role: 'user', content }, ...more },
  })
  const result = [{ type: 'tool_result', tool_use_id: 't', content: MARK }]
  const said = [{ type: 'text', text: MARK }]
  const codexItem = (type: string, more: object) => ({
    ...{ timestamp, type: 'response_item', payload: { type, ...more } },
  })

  test.each<[what: string, adapter: Adapter, record: unknown]>([
    ['a tool of Claude Code', claudeCode, claudeUser(result)],
    ['a subagent of Claude Code', claudeCode, claudeUser(MARK, { isSidechain: true })],
    ['a task', claudeCode, claudeUser(MARK, { origin: { kind: 'task-notification' } })],
    ['a summary', claudeCode, claudeUser(MARK, { isCompactSummary: true })],
    ['a prompt taken back', claudeCode, queued({ operation: 'remove', reason: 'popped' })],
    ['a prompt in the queue', claudeCode, queued({ operation: 'enqueue' })],
    ['Claude', claudeCode, { type: 'assistant', timestamp, message: { content: said } }],
    ['a tool of Codex', codex, codexItem('function_call_output', { output: MARK })],
    ['Codex', codex, codexItem('message', { role: 'assistant', content: said })],
    ['the context of Codex', codex, codexItem('message', { role: 'user', content: said })],
    ['Gemini', gemini, { type: 'gemini', timestamp, content: MARK }],
    [
      'a tool of Gemini',
      gemini,
      { type: 'user', timestamp, content: [{ functionResponse: MARK }] },
    ],
  ])('is not reported: %s', (_, adapter, record) => {
    const state = adapter.transcript?.start('s')
    expect(adapter.transcript?.read(state, record).event ?? {}).not.toHaveProperty('marks')
  })

  function queued(more: object) {
    return { type: 'queue-operation', timestamp, content: MARK, ...more }
  }

  test('is not reported by the hook of a prompt from a machine or a subagent', () => {
    const prompted = { session_id: 's', hook_event_name: 'UserPromptSubmit' }
    const task = { ...prompted, prompt: `<task-notification>${MARK}` }
    expect(claudeCode.hookEvents({ at: 1, payload: task })).toEqual([
      expect.not.objectContaining({ marks: expect.anything() }),
    ])
    const inner = { ...prompted, agent_id: 'a', prompt: MARK }
    expect(codex.hookEvents({ at: 1, payload: inner })).toEqual([])
  })
})
