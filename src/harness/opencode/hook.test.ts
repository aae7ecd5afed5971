import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TrailBossError } from '../../core/errors.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { noEvidence, withEvent } from '../../core/session/evidence.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import { hookEvents } from './hook.ts'

const AT = 1_800_000_000_000

function told(name: string, fields: Record<string, unknown> = {}, at = AT): AgentEvent[] {
  const payload = {
    hook_event_name: name,
    session_id: 'ses_1',
    cwd: '/home/op/proj',
    at,
    ...fields,
  }
  return hookEvents({ at: AT + 50, payload })
}

function verdictAfter(...events: AgentEvent[][]) {
  return verdictOf(events.flat().reduce(withEvent, noEvidence))
}

const PERMISSION = {
  id: 'per_1',
  permission: 'bash',
  patterns: ['touch a'],
  metadata: { command: 'touch a' },
}

describe('what the events of opencode claim', () => {
  test('one that is shown has started, with where it runs and when that was told', () => {
    expect(told('session.shown')).toEqual([
      {
        v: 1,
        kind: 'started',
        harness: 'opencode',
        session: 'ses_1',
        at: AT,
        source: 'hook',
        cwd: '/home/op/proj',
        detail: 'session.shown',
      },
    ])
  })

  test('one that left the screen has ended there, until it is shown again', () => {
    const idle = told('session.idle', {}, AT + 1)
    const left = told('session.left', {}, AT + 2)
    expect(verdictAfter(idle, left)).toMatchObject({ state: 'ended' })
    expect(verdictAfter(idle, left, told('session.shown', {}, AT + 3)).state).toBe('unknown')
  })

  test('a turn begins with a prompt and ends with what was said', () => {
    expect(told('chat.message')).toMatchObject([{ kind: 'unstuck', prompt: true }])
    const marked = told('chat.message', { marks: '[tb:k3f9x2m7q1]' })
    expect(marked).toMatchObject([{ kind: 'unstuck', prompt: true, marks: ['k3f9x2m7q1'] }])
    const [synthetic] = told('chat.message', { synthetic: true })
    expect(synthetic).toMatchObject({ kind: 'unstuck' })
    expect(synthetic).not.toHaveProperty('prompt')
    expect(told('session.idle', { message: 'Hello.\n' })).toMatchObject([
      { kind: 'stuck', reason: 'stopped', ask: { text: 'Hello.' } },
    ])
    expect(told('session.idle')[0]?.ask?.text).toBe('Finished its turn.')
  })

  test.each([
    [{ name: 'MessageAbortedError', message: 'Aborted' }, 'Interrupted by you.'],
    [{ name: 'APIError', message: 'invalid key' }, 'API error: invalid key'],
    [{ name: 'UnknownError' }, 'API error: UnknownError'],
  ])('a turn that failed ends with why: %o', (error, text) => {
    for (const name of ['session.error', 'session.idle']) {
      expect(told(name, { error, message: 'Before that.' })).toMatchObject([
        { kind: 'stuck', reason: 'stopped', ask: { text } },
      ])
    }
  })

  test('a permission counts more than busy, until it is replied to', () => {
    const asked = told('permission.asked', PERMISSION, AT + 1)
    const busy = told('session.status', { status: 'busy' }, AT + 2)
    expect(verdictAfter(asked, busy)).toMatchObject({
      state: 'stuck',
      reason: 'permission',
      ask: { text: 'touch a', tool: 'bash' },
    })
    const replied = told('permission.replied', { requestID: 'per_1', reply: 'once' }, AT + 3)
    expect(verdictAfter(asked, busy, replied)).toMatchObject({ state: 'working' })
  })

  test('a retry is work', () => {
    const idle = told('session.idle')
    const retry = told('session.status', { status: 'retry', attempt: 2 }, AT + 1)
    expect(verdictAfter(idle, retry)).toMatchObject({ state: 'working' })
  })

  test("a subagent's permission is its parent's, and over when the subagent is idle", () => {
    const sub = { agent_id: 'ses_2' }
    const asked = told('permission.asked', { ...PERMISSION, ...sub }, AT + 1)
    const mainIdle = told('session.idle', {}, AT + 2)
    expect(verdictAfter(asked, mainIdle)).toMatchObject({ state: 'stuck', reason: 'permission' })
    const subIdle = told('session.idle', sub, AT + 3)
    expect(verdictAfter(asked, subIdle).state).not.toBe('stuck')
  })

  test('a question is asked with its choices, and gone when it is answered or declined', () => {
    const questions = [
      { question: 'Which?', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }] },
      { question: 'What else?', multiple: true, options: [] },
    ]
    const asked = told('question.asked', { id: 'que_1', questions })
    expect(asked[0]?.ask?.text).toBe('Which?\n  1. Red: warm\n  2. Blue\n\nWhat else? (choose any)')
    for (const name of ['question.replied', 'question.rejected']) {
      const answered = told(name, { requestID: 'que_1' }, AT + 1)
      expect(verdictAfter(asked, answered)).toMatchObject({ state: 'working' })
    }
  })

  test.each([
    [
      'edit',
      { filepath: '/p/a.txt', diff: 'Index: a\n@@ -1 +1 @@\n-a\n+b\n' },
      'Edit /p/a.txt\n-a\n+b',
    ],
    ['webfetch', { url: 'https://example.org' }, 'Fetch https://example.org'],
    ['external_directory', {}, 'Use files outside of the project: x'],
    ['mytool', { some: 1 }, 'mytool x'],
  ])('a permission for %s says what it is for', (permission, metadata, text) => {
    const [event] = told('permission.asked', { id: 'p', permission, patterns: ['x'], metadata })
    expect(event?.ask?.text).toBe(text)
  })

  test('an event that says nothing about waiting is passed over', () => {
    expect(told('session.compacted')).toEqual([])
  })

  test('a time that cannot be right is not taken', () => {
    for (const at of [AT + 3_600_000, 0, -1, 1.5, Number.NaN]) {
      expect(told('session.idle', {}, at)[0]?.at).toBe(AT + 50)
    }
  })
})

describe('hostile payloads', () => {
  test.each([null, 1, 'x', [], {}, { hook_event_name: 'session.idle' }, { session_id: 's' }])(
    'what is no event is refused: %o',
    (payload) => {
      expect(() => hookEvents({ at: AT, payload })).toThrow(TrailBossError)
    },
  )

  test('whatever is in an event, nothing is thrown and the ask is bounded', () => {
    const names = ['session.idle', 'session.error', 'permission.asked', 'permission.replied']
    const payload = fc.record(
      {
        hook_event_name: fc.constantFrom(...names, 'question.asked', 'session.status'),
        session_id: fc.constant('ses_1'),
        agent_id: fc.jsonValue(),
        at: fc.jsonValue(),
        id: fc.jsonValue(),
        requestID: fc.jsonValue(),
        permission: fc.jsonValue(),
        patterns: fc.jsonValue(),
        metadata: fc.jsonValue(),
        questions: fc.jsonValue(),
        error: fc.jsonValue(),
        message: fc.oneof(fc.jsonValue(), fc.constant('x'.repeat(50_000))),
      },
      { requiredKeys: ['hook_event_name', 'session_id'] },
    )
    fc.assert(
      fc.property(payload, (hostile) => {
        for (const event of hookEvents({ at: AT, payload: hostile })) {
          expect(Number.isSafeInteger(event.at)).toBe(true)
          expect(event.ask?.text.length ?? 0).toBeLessThanOrEqual(16_000)
          expect(event.block?.length ?? 0).toBeLessThanOrEqual(200)
        }
      }),
      { numRuns: 500 },
    )
  })
})
