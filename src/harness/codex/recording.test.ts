import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../core/session/event.ts'
import { type Evidence, noEvidence, withEvent } from '../../core/session/evidence.ts'
import { verdictOf } from '../../core/session/verdict.ts'
import { hookEvents } from './hook.ts'
import { transcriptReader } from './transcript.ts'

type Line = { at: number; hook?: { session_id: string }; record?: unknown }
type Tellers = 'both' | 'hooks' | 'rollout'

const VERSION = '0.166.0'

function recording(name: string): Line[] {
  const file = `../../../test/fixtures/codex/${VERSION}/${name}.jsonl`
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

/** The states that a recorded session goes through, according to its hooks and its rollout. */
function statesOf(name: string, by: Tellers = 'both'): string[] {
  const lines = recording(name)
  const session = lines.find(({ hook }) => hook)?.hook?.session_id ?? 's'
  let evidence: Evidence = noEvidence
  let state = transcriptReader.start(session)
  const states: string[] = []
  for (const { at, hook, record } of lines) {
    let events: (AgentEvent | undefined)[] = []
    if (hook && by !== 'rollout') events = hookEvents({ at, payload: hook })
    if (record !== undefined && by !== 'hooks') {
      const read = transcriptReader.read(state, record)
      state = read.state
      events = [read.event]
    }
    for (const event of events) if (event) evidence = withEvent(evidence, event)
    const verdict = verdictOf(evidence)
    const now = verdict.state === 'stuck' ? `${verdict.reason}: ${verdict.ask.text}` : verdict.state
    if (now !== 'unknown' && now !== states.at(-1)) states.push(now)
  }
  return states
}

const W = 'working'
const INTERRUPTED = 'stopped: Interrupted by you.'

describe('what hooks and rollout report together', () => {
  test.each<[name: string, states: unknown[]]>([
    ['turn', [W, 'stopped: Recorded.']],
    ['approved', [W, 'permission: echo approved\nAs you asked', W, 'stopped: Approved.']],
    ['denied', [W, 'permission: echo denied\nAs you asked', W, INTERRUPTED]],
    [
      'patched',
      [W, expect.stringMatching(/^permission: Add File: .*\n\+one$/), W, 'stopped: Patched.'],
    ],
    ['interrupted', [W, INTERRUPTED]],
    ['failed', [W, 'stopped: Error: no such model']],
    ['question', [W, expect.stringMatching(/^permission: Which\?\n/), W, 'stopped: This one.']],
    ['plan', [W, 'stopped: Waits at its prompt.', 'stopped: # Ride\n\n1. Saddle up\n']],
    ['ended', ['ended']],
  ])('%s', (name, states) => {
    expect(statesOf(name)).toEqual(states)
  })

  test("a subagent's permission blocks the session, even after the main thread has stopped", () => {
    const states = statesOf('subagent')
    expect(states).toContain('permission: echo inner\nAs you asked')
    expect(states.at(-1)).toBe('stopped: Delegated.')
  })
})

describe('what one of them reports alone', () => {
  test('the hooks say nothing about a failed turn', () => {
    expect(statesOf('failed', 'hooks')).toEqual([W])
  })

  test('the rollout knows no permission, but pending tools and how everything ends', () => {
    expect(statesOf('approved', 'rollout')).toEqual([W, 'stopped: Approved.'])
    expect(statesOf('denied', 'rollout')).toEqual([W, INTERRUPTED])
    expect(statesOf('question', 'rollout')).toEqual([
      W,
      expect.stringMatching(/^permission: Which\?\n/),
      W,
      'stopped: This one.',
    ])
  })
})
