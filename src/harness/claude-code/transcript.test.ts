import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recording } from '../../../test/support/recording.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import { type TranscriptState, transcriptReader } from './transcript.ts'

const TIME = '2026-11-15T22:09:10.197Z'

function readAll(
  records: unknown[],
  from: TranscriptState = transcriptReader.start('s'),
): { state: TranscriptState; events: AgentEvent[] } {
  const events: AgentEvent[] = []
  let state = from
  for (const record of records) {
    const read = transcriptReader.read(state, record)
    state = read.state
    if (read.event) events.push(read.event)
  }
  return { state, events }
}

function claims(...records: unknown[]): string[] {
  return readAll(records).events.map(({ kind, reason, block }) =>
    [kind, reason, block].filter(Boolean).join(' '),
  )
}

const line = (type: string, more: object) => ({ type, timestamp: TIME, cwd: '/p', ...more })
const prompt = (content: unknown, more: object = {}) =>
  line('user', { message: { role: 'user', content }, ...more })
const said = (text: string, stop_reason: string | null = 'end_turn', id = 'm1') =>
  line('assistant', { message: { id, content: [{ type: 'text', text }], stop_reason } })
const uses = (id: string, name: string, input: unknown, message = 'm1') =>
  line('assistant', {
    message: {
      id: message,
      content: [{ type: 'tool_use', id, name, input }],
      stop_reason: 'tool_use',
    },
  })
const result = (...ids: string[]) =>
  prompt(ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'ok' })))
const system = (subtype: string, more: object = {}) => line('system', { subtype, ...more })
const dequeue = line('queue-operation', { operation: 'dequeue' })

describe('lines that claim nothing', () => {
  test.each<[what: string, record: unknown]>([
    ['bookkeeping', { type: 'permission-mode', permissionMode: 'default', timestamp: TIME }],
    ['a line of a subagent', { ...said('inner'), isSidechain: true }],
    ['a prompt made by the program', prompt('<local-command-caveat>…', { isMeta: true })],
    ['a command of the program', prompt('<command-name>/cost</command-name>')],
    ['what a command printed', prompt('<local-command-stdout>…</local-command-stdout>')],
    ['a shell command of the human', prompt('<bash-input>ls</bash-input>')],
    ['the summary of a compaction', prompt('This session is…', { isCompactSummary: true })],
    ['a queued prompt', { type: 'queue-operation', operation: 'enqueue', timestamp: TIME }],
    ['a note of the program', system('informational', { content: 'Unknown command' })],
    ['a line without a time', { ...said('Done.'), timestamp: undefined }],
    ['a line whose time is no time', { ...said('Done.'), timestamp: 'yesterday' }],
    ['an empty prompt', prompt('')],
    ['nothing at all', null],
  ])('%s', (_, record) => {
    expect(claims(record)).toEqual([])
  })
})

describe('who starts a turn', () => {
  test.each<[what: string, record: unknown, claimed: string]>([
    ['a human', prompt('go on', { origin: { kind: 'human' } }), 'unstuck'],
    ['a human, as older versions write it', prompt('go on'), 'unstuck'],
    ['a human with a picture', prompt([{ type: 'image' }]), 'unstuck'],
    [
      'a human with a command that asks the model',
      prompt('<command-name>/greet</command-name>', { turnOrigin: 'human' }),
      'unstuck',
    ],
    [
      'a human who types what an interrupt looks like',
      prompt('[Request interrupted by user]', { origin: { kind: 'human' } }),
      'unstuck',
    ],
    ['a background task', prompt('…', { origin: { kind: 'task-notification' } }), 'seen'],
    ['a background task, without origin', prompt('<task-notification>…'), 'seen'],
    ['the queue', dequeue, 'unstuck'],
  ])('%s', (_, record, claimed) => {
    expect(claims(record)).toEqual([claimed])
  })

  test('the queue line comes before the harness publishes the turn, and before the end of the last turn is reported', () => {
    const { events } = readAll([prompt('go on'), dequeue, said('Done.'), system('turn_duration')])
    expect(events[1]).toMatchObject({ kind: 'unstuck', prompt: true })
    expect(events.at(-1)).toMatchObject({ kind: 'stuck', ask: { text: 'Done.' } })
  })
})

describe('tools', () => {
  test('an ordinary tool may wait or run: it is only a sign of life', () => {
    expect(claims(uses('t1', 'Bash', { command: 'ls' }))).toEqual(['seen'])
  })

  test.each(['AskUserQuestion', 'ExitPlanMode'])('%s waits for the human', (tool) => {
    const [event] = readAll([
      uses('t1', tool, { plan: 'P', questions: [{ question: 'Q?' }] }),
    ]).events
    expect(event).toMatchObject({ kind: 'stuck', reason: 'permission', ask: { tool } })
  })

  test('a result lifts the permission of its own tool and of no other', () => {
    expect(
      claims(
        uses('t1', 'Bash', { command: 'a' }),
        uses('t2', 'Bash', { command: 'b' }),
        result('t1'),
        result('t2'),
      ),
    ).toEqual(['seen', 'seen', 'unstuck Bash:a', 'unstuck Bash:b'])
  })

  test('results that answer everything at once lift everything', () => {
    const both = [uses('t1', 'Bash', { command: 'a' }), uses('t2', 'Bash', { command: 'b' })]
    expect(claims(...both, result('t1', 't2')).at(-1)).toBe('unstuck')
    expect(claims(...both, uses('t3', 'Bash', { command: 'c' }), result('t1', 't2')).at(-1)).toBe(
      'unstuck Bash:a',
    )
  })

  test('a result whose tool was not read lifts nothing', () => {
    expect(claims(result('t9'))).toEqual(['seen'])
  })

  test('a text beside a pending tool does not end the turn', () => {
    expect(claims(uses('t1', 'Bash', { command: 'a' }), said('and', 'end_turn'))).toEqual([
      'seen',
      'seen',
    ])
  })

  test('a tool whose result never came is not pending in the next message', () => {
    expect(claims(uses('t1', 'Bash', { command: 'a' }), said('Done.', 'end_turn', 'm2'))).toEqual([
      'seen',
      'stuck stopped',
    ])
  })

  test('the state stays small, however many tools are pending', () => {
    const many = Array.from({ length: 500 }, (_, i) => uses(`t${i}`, 'Bash', { command: `${i}` }))
    const long = uses('t'.repeat(100_000), 'Bash', { command: 'y'.repeat(100_000) })
    const { state } = readAll([long, ...many, long, said('x'.repeat(1_000_000), 'tool_use')])
    expect(JSON.stringify(state).length).toBeLessThan(32_000)
    expect(transcriptReader.read(state, result('t499')).event?.block).toBe('Bash:499')
    expect(readAll([system('turn_duration')], state).state.pending).toEqual([])
  })
})

describe('the end of a turn', () => {
  test.each([
    ['end_turn', 'stuck stopped'],
    ['stop_sequence', 'stuck stopped'],
    ['max_tokens', 'stuck stopped'],
    ['refusal', 'stuck stopped'],
    ['tool_use', 'seen'],
    [null, 'seen'],
  ])('an assistant line with stop_reason %s', (stopReason, claimed) => {
    expect(claims(said('Hm.', stopReason))).toEqual([claimed])
  })

  test('asks with the last words of the turn', () => {
    const thought = line('assistant', {
      message: {
        id: 'm1',
        content: [{ type: 'thinking', thinking: '…' }],
        stop_reason: 'end_turn',
      },
    })
    const asks = readAll([
      said('Older.', 'end_turn', 'm0'),
      prompt('next'),
      thought,
      said('Newer.'),
      system('stop_hook_summary'),
      system('turn_duration', { pendingBackgroundAgentCount: 2 }),
    ]).events.map(({ ask, note }) => (note ? `${ask?.text} (${note})` : ask?.text))
    expect(asks).toEqual([
      'Older.',
      undefined,
      'Finished its turn.',
      'Newer.',
      'Newer.',
      'Newer. (2 background tasks still running)',
    ])
  })

  test('an interrupt stays the ask when the end of the turn is reported after it', () => {
    const events = readAll([
      said('Half a', null),
      prompt([{ type: 'text', text: '[Request interrupted by user for tool use]' }]),
      system('turn_duration'),
    ]).events
    expect(events.map(({ ask }) => ask?.text)).toEqual([
      undefined,
      'Interrupted by you.',
      'Interrupted by you.',
    ])
  })

  test('text that the program made up is not the ask', () => {
    const made = line('assistant', {
      message: {
        id: 'x',
        model: '<synthetic>',
        content: 'No response requested.',
        stop_reason: 'stop_sequence',
      },
    })
    expect(readAll([said('Done.'), made]).events.at(-1)?.ask?.text).toBe('Done.')
  })

  test('a manual compaction ends at the prompt, an automatic one in the middle of the work', () => {
    const compacted = (trigger: string) =>
      system('compact_boundary', { compactMetadata: { trigger } })
    expect(claims(compacted('manual'))).toEqual(['stuck stopped'])
    expect(claims(compacted('auto'))).toEqual(['seen'])
  })

  test('a Stop hook that sends it back to work keeps the turn open', () => {
    const feedback = prompt('Stop hook feedback:\nRun the tests.', { isMeta: true })
    expect(claims(said('Done.'), feedback, system('stop_hook_summary'))).toEqual([
      'stuck stopped',
      'seen',
    ])
  })
})

describe('what every event carries', () => {
  test("the line's own time, the session, where it runs and what was seen", () => {
    const [event] = readAll([{ ...said('Done.'), entrypoint: 'cli' }]).events
    expect(event).toEqual({
      v: 1,
      kind: 'stuck',
      reason: 'stopped',
      harness: 'claude-code',
      session: 's',
      at: Date.UTC(2026, 10, 15, 22, 9, 10, 197),
      source: 'transcript',
      cwd: '/p',
      headless: false,
      ask: { text: 'Done.' },
      detail: 'assistant end_turn',
    })
  })

  test('a session without a human in front of it says so', () => {
    const [event] = readAll([{ ...said('Done.'), entrypoint: 'sdk-cli' }]).events
    expect(event?.headless).toBe(true)
  })
})

describe('hostile lines', () => {
  const recorded = readdirSync(
    new URL('../../../test/fixtures/claude-code/2.1.325/', import.meta.url),
  )
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => recording(file.replace('.jsonl', '')))
    .flatMap((signal) => ('record' in signal ? [signal.record] : []))

  test('reading does not change a state that was handed out', () => {
    let state = transcriptReader.start('s')
    for (const record of recorded) {
      const before = structuredClone(state)
      const { state: next } = transcriptReader.read(state, record)
      expect(state).toEqual(before)
      state = next
    }
  })

  test('no JSON makes it throw', () => {
    const torn = fc
      .tuple(fc.constantFrom(...recorded), fc.infiniteStream(fc.nat(20)), fc.jsonValue())
      .map(([record, choices, value]) => tornAt(record, choices, value))
    const records = fc.array(fc.oneof({ weight: 4, arbitrary: torn }, fc.jsonValue()))
    fc.assert(
      fc.property(records, (hostile) => {
        for (const event of readAll(hostile).events) {
          expect(Number.isInteger(event.at)).toBe(true)
          expect(event.ask?.text.length ?? 0).toBeLessThanOrEqual(16_000)
        }
      }),
      { numRuns: 500 },
    )
  })

  /** The record with one value somewhere in it replaced. */
  function tornAt(record: unknown, choices: Iterator<number>, value: unknown): unknown {
    if (typeof record !== 'object' || record === null) return value
    const keys = Object.keys(record)
    const key = keys[(choices.next().value as number) % (keys.length + 1)]
    if (key === undefined) return value
    const inner: unknown = (record as Record<string, unknown>)[key]
    const torn = tornAt(inner, choices, value)
    if (Array.isArray(record)) return record.map((item, i) => (String(i) === key ? torn : item))
    return { ...record, [key]: torn }
  }
})
