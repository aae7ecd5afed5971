import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TrailBossError } from '../../core/errors.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { noEvidence, withEvent } from '../../core/session/evidence.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import { hookEvents } from './hook.ts'

const AT = 1_800_000_000_000

function eventsOf(name: string, fields: Record<string, unknown> = {}, at = AT): AgentEvent[] {
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
  test('a session that is shown has started, with its place and the time of the report', () => {
    expect(eventsOf('session.shown')).toEqual([
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

  test('a session that left the screen has ended there, until it is shown again', () => {
    const idle = eventsOf('session.idle', {}, AT + 1)
    const left = eventsOf('session.left', {}, AT + 2)
    expect(verdictAfter(idle, left)).toMatchObject({ state: 'ended' })
    expect(verdictAfter(idle, left, eventsOf('session.shown', {}, AT + 3)).state).toBe('unknown')
  })

  test('a turn begins with a prompt and ends with the last message', () => {
    expect(eventsOf('chat.message')).toMatchObject([{ kind: 'unstuck', prompt: true }])
    const marked = eventsOf('chat.message', { marks: '[tb:k3f9x2m7q1]' })
    expect(marked).toMatchObject([{ kind: 'unstuck', prompt: true, marks: ['k3f9x2m7q1'] }])
    const [synthetic] = eventsOf('chat.message', { synthetic: true })
    expect(synthetic).toMatchObject({ kind: 'unstuck' })
    expect(synthetic).not.toHaveProperty('prompt')
    expect(eventsOf('session.idle', { message: 'Hello.\n' })).toMatchObject([
      { kind: 'stuck', reason: 'stopped', ask: { text: 'Hello.' } },
    ])
    expect(eventsOf('session.idle')[0]?.ask?.text).toBe('Finished its turn.')
  })

  test.each([
    [{ name: 'MessageAbortedError', message: 'Aborted' }, 'Interrupted by you.'],
    [{ name: 'APIError', message: 'invalid key' }, 'API error: invalid key'],
    [{ name: 'UnknownError' }, 'API error: UnknownError'],
  ])('a failed turn ends with its reason: %o', (error, text) => {
    for (const name of ['session.error', 'session.idle']) {
      expect(eventsOf(name, { error, message: 'Before that.' })).toMatchObject([
        { kind: 'stuck', reason: 'stopped', ask: { text } },
      ])
    }
  })

  test('a permission outweighs busy, until it is answered', () => {
    const asked = eventsOf('permission.asked', PERMISSION, AT + 1)
    const busy = eventsOf('session.status', { status: 'busy' }, AT + 2)
    expect(verdictAfter(asked, busy)).toMatchObject({
      state: 'stuck',
      reason: 'permission',
      ask: { text: 'touch a', tool: 'bash' },
    })
    const replied = eventsOf('permission.replied', { requestID: 'per_1', reply: 'once' }, AT + 3)
    expect(verdictAfter(asked, busy, replied)).toMatchObject({ state: 'working' })
  })

  test('a retry is work', () => {
    const idle = eventsOf('session.idle')
    const retry = eventsOf('session.status', { status: 'retry', attempt: 2 }, AT + 1)
    expect(verdictAfter(idle, retry)).toMatchObject({ state: 'working' })
  })

  test("a subagent's permission belongs to its parent, and is over when the subagent is idle", () => {
    const sub = { agent_id: 'ses_2' }
    const asked = eventsOf('permission.asked', { ...PERMISSION, ...sub }, AT + 1)
    const mainIdle = eventsOf('session.idle', {}, AT + 2)
    expect(verdictAfter(asked, mainIdle)).toMatchObject({ state: 'stuck', reason: 'permission' })
    const subIdle = eventsOf('session.idle', sub, AT + 3)
    expect(verdictAfter(asked, subIdle).state).not.toBe('stuck')
  })

  test('a question is asked with its choices, and gone when it is answered or declined', () => {
    const questions = [
      { question: 'Which?', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }] },
      { question: 'What else?', multiple: true, options: [] },
    ]
    const asked = eventsOf('question.asked', { id: 'que_1', questions })
    expect(asked[0]?.ask?.text).toBe('Which?\n  1. Red: warm\n  2. Blue\n\nWhat else? (choose any)')
    for (const name of ['question.replied', 'question.rejected']) {
      const answered = eventsOf(name, { requestID: 'que_1' }, AT + 1)
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
    const [event] = eventsOf('permission.asked', { id: 'p', permission, patterns: ['x'], metadata })
    expect(event?.ask?.text).toBe(text)
  })

  test('an event that says nothing about waiting is ignored', () => {
    expect(eventsOf('session.compacted')).toEqual([])
  })

  test('an impossible time is not used', () => {
    for (const at of [AT + 3_600_000, 0, -1, 1.5, Number.NaN]) {
      expect(eventsOf('session.idle', {}, at)[0]?.at).toBe(AT + 50)
    }
  })
})

describe('hostile payloads', () => {
  test.each([null, 1, 'x', [], {}, { hook_event_name: 'session.idle' }, { session_id: 's' }])(
    'anything but an event is refused: %o',
    (payload) => {
      expect(() => hookEvents({ at: AT, payload })).toThrow(TrailBossError)
    },
  )

  test('no event makes it throw, and the ask is bounded', () => {
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
