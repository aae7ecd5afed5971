import { expect, test } from 'vitest'
import type { Outcome } from './episode.ts'
import { type AgentEvent, sessionKey } from './event.ts'
import { apply, commit, type Entry, emptyState } from './state.ts'

type Told = Partial<AgentEvent>

/** The outcome of the episode that the events begin and end, after the last correction. */
function outcomeAfter(...given: (Told | Entry)[]): Outcome | undefined {
  const state = emptyState()
  let outcome: Outcome | undefined
  for (const [index, each] of given.entries()) {
    const event = { v: 1, harness: 'h', session: 's', source: 'hook', kind: 'stuck', at: index }
    const entry: Entry =
      'type' in each
        ? each
        : { type: 'event.received', event: { ...event, ...each } as AgentEvent, recovered: false }
    const changes = apply(state, { seq: index + 1, admittedAt: 1_000 + index, entry })
    commit(state, changes)
    outcome = changes.transitions[0]?.closed?.outcome ?? outcome
    outcome = changes.revised?.[0]?.outcome ?? outcome
  }
  return outcome
}

const stop: Told = { kind: 'stuck', reason: 'stopped', ask: { text: 'Done.' }, at: 10 }
const permission: Told = { kind: 'stuck', reason: 'permission', block: 'b', at: 10 }
const idle: Told = { ...stop, source: 'status' }
const prompt: Told = { kind: 'unstuck', prompt: true, at: 20 }
const marks = ['abcdefghij']
const process = (state: 'gone' | 'suspended' | 'alive', at: number): Entry => ({
  type: 'process.observed',
  session: sessionKey('h', 's'),
  process: { at, state, detail: state },
})

test.each<[what: string, given: (Told | Entry)[], Outcome]>([
  ['a prompt', [stop, prompt], 'answered'],
  [
    'an approved tool that has ended',
    [permission, { kind: 'unstuck', block: 'b', at: 20 }],
    'answered',
  ],
  [
    'work after a dialog',
    [permission, { kind: 'unstuck', source: 'screen', at: 2_000 }],
    'answered',
  ],
  [
    'work that the harness publishes',
    [{ kind: 'seen', at: 1 }, idle, { kind: 'unstuck', source: 'status', at: 20 }],
    'answered',
  ],
  ['work on the screen', [stop, { kind: 'unstuck', source: 'screen', at: 2_000 }], 'answered'],
  ['fg', [{ kind: 'seen' }, process('suspended', 5), process('alive', 9)], 'answered'],
  ['a report of a background task', [stop, { kind: 'seen', at: 20 }], 'settled'],
  [
    'work where a background task was left',
    [
      { ...stop, note: '1 background task still running' },
      { kind: 'unstuck', source: 'screen', at: 2_000 },
    ],
    'settled',
  ],
  ['a prompt of ours', [stop, { ...prompt, marks }], 'settled'],
  ["a reply of the operator's", [stop, { ...prompt, marks: ['obcdefghij'] }], 'answered'],
  [
    'a stall that has passed',
    [
      { ...stop, source: 'screen', label: 'stalled' },
      { kind: 'unstuck', source: 'screen', at: 2_000 },
    ],
    'settled',
  ],
  ['a killed process', [stop, process('gone', 20)], 'ended'],
  ['the end of the session', [permission, { kind: 'ended', at: 20 }], 'ended'],
  ['a process that is gone while it asks', [permission, process('gone', 20)], 'ended'],
])('an episode that is over by %s', (_what, given, outcome) => {
  expect(outcomeAfter(...given)).toBe(outcome)
})

test('another session that takes the pane ends the one that was stuck there', () => {
  const pane = { socket: '/s', id: '%1' }
  const state = emptyState()
  const entries = [
    { ...stop, session: 'a', pane },
    { kind: 'started', session: 'b', pane, at: 30 },
  ]
  const closed = entries.flatMap((given, index) => {
    const event = { v: 1, harness: 'h', source: 'hook', ...given } as AgentEvent
    const entry: Entry = { type: 'event.received', event, recovered: false }
    const changes = apply(state, { seq: index + 1, admittedAt: 1_000 + index, entry })
    commit(state, changes)
    return changes.transitions.flatMap((transition) => transition.closed ?? [])
  })
  expect(closed).toMatchObject([{ outcome: 'ended' }])
})

test('a prompt that is reported after the work it began is still an answer', () => {
  const busy: Told = { kind: 'seen', at: 20 }
  expect(outcomeAfter(stop, busy, { ...prompt, at: 25 })).toBe('answered')
  expect(outcomeAfter(stop, busy, { ...prompt, at: 9_000 })).toBe('settled')
})

test('a prompt whose marks are reported later, or first, was ours', () => {
  const marked: Told = { kind: 'seen', marks, at: 21 }
  expect(outcomeAfter(stop, prompt, marked)).toBe('settled')
  expect(outcomeAfter(stop, { ...prompt, marks }, { ...prompt, at: 22 })).toBe('settled')
})

test('nobody answers a session with nobody in front of it', () => {
  expect(outcomeAfter({ ...stop, headless: true }, prompt)).toBeUndefined()
})
