import { describe, expect, test } from 'vitest'
import { type Recorded, recording } from '../../../test/support/recording.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { noEvidence, withEvent } from '../../core/session/evidence.ts'
import { type Verdict, verdictOf } from '../../core/session/verdict.ts'
import { hookEvents } from './hook.ts'
import { statusSource } from './status.ts'
import { type TranscriptState, transcriptReader } from './transcript.ts'

type Tellers = 'all' | 'both' | 'hooks' | 'transcript'

/** The states that a recorded session goes through, according to its hooks, its transcript, or all sources. */
function statesOf(lines: Recorded[], by: Tellers): string[] {
  let evidence = noEvidence
  let state: TranscriptState = transcriptReader.start('s')
  const states: string[] = []
  for (const line of lines) {
    let events: (AgentEvent | undefined)[] = []
    if ('hook' in line) {
      if (by !== 'transcript') events = hookEvents({ at: line.at, payload: line.hook })
    } else if ('status' in line) {
      if (by === 'all') events = statusEvents(line.status)
    } else if ('record' in line && by !== 'hooks') {
      const read = transcriptReader.read(state, line.record)
      state = read.state
      events = [read.event]
    }
    for (const event of events) if (event) evidence = withEvent(evidence, event)
    const now = stateOf(verdictOf(evidence))
    if (now !== 'unknown' && now !== states.at(-1)) states.push(now)
  }
  return states
}

function statusEvents(status: Record<string, unknown>): AgentEvent[] {
  const reading = statusSource.read(JSON.stringify(status), STATUS_FILE)
  return reading.ok ? reading.events : []
}

const STATUS_FILE = '/home/op/.claude/sessions/4242.json'

function stateOf(verdict: Verdict): string {
  if (verdict.state !== 'stuck') return verdict.state
  return verdict.reason === 'permission' ? 'permission' : `stopped: ${verdict.ask.text}`
}

const WORKING = 'working'
const PERMISSION = 'permission'
const INTERRUPTED = 'stopped: Interrupted by you.'
const answered = (text: string) => [WORKING, PERMISSION, WORKING, `stopped: ${text}`]
const stopped = (text: string) => [WORKING, `stopped: ${text}`]

describe('what hooks and transcript report together', () => {
  test.each<[name: string, states: string[]]>([
    ['approved', answered('Bash finished.')],
    ['approved-with-feedback', answered('Bash finished.')],
    ['tool-failed', answered('Failed ok.')],
    ['denied', [WORKING, PERMISSION, WORKING, INTERRUPTED]],
    ['denied-with-feedback', answered('Bash finished.')],
    ['two-approved', [WORKING, PERMISSION, ...answered('Both finished.')]],
    ['two-denied-at-first', [WORKING, PERMISSION, WORKING, INTERRUPTED]],
    ['two-denied-at-second', [WORKING, PERMISSION, WORKING, PERMISSION, WORKING, INTERRUPTED]],
    ['edit-relative-path', answered('Edited.')],
    ['question-answered', answered('Thanks.')],
    ['question-declined', [WORKING, PERMISSION, WORKING, INTERRUPTED]],
    ['plan-approved', answered('Plan finished.')],
    ['elicitation', answered('MCP done.')],
    ['permission-notified', answered('Bash finished.')],
    ['interrupted-in-tool', [WORKING, PERMISSION, WORKING, INTERRUPTED]],
    ['interrupted-mid-stream', [WORKING, INTERRUPTED]],
    ['interrupted-before-token', [WORKING]],
    ['api-error', stopped('API Error: 400 bad thing')],
    ['queued-prompt', answered('Hello, done.')],
    ['slash-command', stopped('Hello, done.')],
    ['shell-command', stopped('Heard.')],
    ['stop-refused', [...stopped('Hello, done.'), ...stopped('Hello, done.')]],
    ['compacted', ['stopped: Finished its turn.']],
    ['killed-at-question', [WORKING, PERMISSION, WORKING, 'stopped: Hello, done.', 'ended']],
  ])('%s', (name, states) => {
    expect(statesOf(recording(name), 'both')).toEqual(states)
  })

  test('a background shell is named while it runs, and its end is work', () => {
    expect(statesOf(recording('background-shell'), 'both').slice(-3)).toEqual([
      'stopped: Started in background.\n\n(1 background task still running)',
      WORKING,
      'stopped: Noted the notification.',
    ])
  })

  test('/clear ends one session and starts another', () => {
    const [before, after] = [[], []] as Recorded[][]
    for (const line of recording('cleared')) {
      const isOld = 'hook' in line && line.hook['hook_event_name'] === 'SessionEnd'
      ;(isOld ? before : after)?.push(line)
    }
    expect(statesOf(before ?? [], 'both')).toEqual(['ended'])
    expect(statesOf(after ?? [], 'both')).toEqual(stopped('Hello, done.'))
  })

  test("a subagent's denied permission blocks the session after its main thread stopped", () => {
    const running = 'stopped: Agent launched.\n\n(1 background task still running)'
    expect(statesOf(recording('subagent-denied'), 'both').slice(-5)).toEqual([
      running,
      PERMISSION,
      running,
      WORKING,
      'stopped: Noted the notification.',
    ])
  })

  test("a subagent's permission that was asked before the main stop is lifted by its own answer", () => {
    expect(statesOf(recording('subagent-approved'), 'both').slice(0, 3)).toEqual([
      WORKING,
      PERMISSION,
      'stopped: Agent launched.\n\n(1 background task still running)',
    ])
  })
})

describe('what all sources report with the status that Claude Code publishes', () => {
  test.each<[name: string, states: string[]]>([
    ['approved', answered('Bash finished.')],
    ['approved-with-feedback', answered('Bash finished.')],
    ['tool-failed', answered('Failed ok.')],
    ['denied', [WORKING, PERMISSION, INTERRUPTED]],
    ['denied-with-feedback', answered('Bash finished.')],
    ['two-approved', [WORKING, PERMISSION, ...answered('Both finished.')]],
    ['two-denied-at-first', [WORKING, PERMISSION, INTERRUPTED]],
    ['two-denied-at-second', [WORKING, PERMISSION, WORKING, PERMISSION, INTERRUPTED]],
    ['edit-relative-path', answered('Edited.')],
    ['question-answered', answered('Thanks.')],
    ['question-declined', [WORKING, PERMISSION, INTERRUPTED]],
    ['plan-approved', answered('Plan finished.')],
    ['permission-notified', answered('Bash finished.')],
    ['elicitation', [WORKING, PERMISSION, ...answered('MCP done.')]],
    ['interrupted-mid-stream', [WORKING, INTERRUPTED]],
    ['interrupted-before-token', [WORKING, 'stopped: Interrupted before it answered.']],
    ['api-error', stopped('API Error: 400 bad thing')],
    ['api-error-retried', stopped('At last.')],
    ['queued-prompt', answered('Hello, done.')],
    ['queued-turn', stopped('Two.')],
    ['slash-command', stopped('Hello, done.')],
    ['shell-command', stopped('Heard.')],
    ['stop-refused', stopped('Hello, done.')],
    ['compacted', stopped('Finished its turn.')],
    ['killed-at-question', [WORKING, PERMISSION, WORKING, 'stopped: Hello, done.', 'ended']],
  ])('%s', (name, states) => {
    expect(statesOf(recording(name), 'all')).toEqual(states)
  })
})

describe('what the transcript alone reports', () => {
  test.each<[name: string, states: string[]]>([
    ['approved', stopped('Bash finished.')],
    ['denied', [WORKING, INTERRUPTED]],
    ['denied-with-feedback', stopped('Bash finished.')],
    ['two-denied-at-first', [WORKING, INTERRUPTED]],
    ['two-denied-at-second', [WORKING, INTERRUPTED]],
    ['question-answered', answered('Thanks.')],
    ['question-declined', [WORKING, PERMISSION, WORKING, INTERRUPTED]],
    ['plan-approved', answered('Plan finished.')],
    ['interrupted-in-tool', [WORKING, INTERRUPTED]],
    ['interrupted-mid-stream', [WORKING, INTERRUPTED]],
    ['api-error', stopped('API Error: 400 bad thing')],
    ['queued-prompt', stopped('Hello, done.')],
    [
      'background-shell',
      [...stopped('Started in background.'), ...stopped('Noted the notification.')],
    ],
    ['stop-refused', [...stopped('Hello, done.'), ...stopped('Hello, done.')]],
    [
      'killed-at-question',
      [WORKING, PERMISSION, ...stopped('One moment.'), ...stopped('Hello, done.')],
    ],
  ])('%s', (name, states) => {
    expect(statesOf(recording(name), 'transcript')).toEqual(states)
  })
})

describe('what the hooks alone report', () => {
  test.each<[name: string, states: string[]]>([
    ['approved', answered('Bash finished.')],
    ['denied', [WORKING, PERMISSION]],
    ['denied-with-feedback', [WORKING, PERMISSION, 'stopped: Bash finished.']],
    ['interrupted-mid-stream', [WORKING]],
    ['plan-approved', answered('Plan finished.')],
    ['question-answered', answered('Thanks.')],
    ['permission-notified', answered('Bash finished.')],
    ['compacted', []],
  ])('%s', (name, states) => {
    expect(statesOf(recording(name), 'hooks')).toEqual(states)
  })
})
