import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from './event.ts'
import { type Evidence, noEvidence, withEvent, withProcess } from './evidence.ts'
import { asksSeveralThings, SCREEN_DELAY_MS, verdictOf } from './verdict.ts'

type Told = Partial<AgentEvent> & Pick<AgentEvent, 'kind' | 'at'>

function event(given: Told): AgentEvent {
  return { v: 1, harness: 'claude-code', session: 's', source: 'hook', ...given }
}

function evidenceOf(...given: Told[]): Evidence {
  return given.map(event).reduce(withEvent, noEvidence)
}

const permission = (at: number, block = 'Bash:ls', more: Partial<AgentEvent> = {}): Told => ({
  kind: 'stuck',
  reason: 'permission',
  at,
  block,
  ask: { text: block },
  ...more,
})
const stop = (at: number, more: Partial<AgentEvent> = {}): Told => ({
  kind: 'stuck',
  reason: 'stopped',
  at,
  ...more,
})

describe('several permissions that were asked for at once', () => {
  const both = [permission(1, 'touch b'), permission(1, 'touch a')]
  const dialog = (at: number, text: string): Told => ({
    kind: 'stuck',
    reason: 'permission',
    source: 'screen',
    at,
    ask: { text },
  })

  test('the ask is the one whose dialog is on the screen', () => {
    for (const name of ['touch a', 'touch b']) {
      const evidence = evidenceOf(...both, dialog(2, `Shell ${name}\n1. Yes`))
      expect(verdictOf(evidence)).toMatchObject({ ask: { text: name }, since: 1, by: 'hook' })
    }
  })

  test('even if the screen wraps a secret, which is then redacted differently', () => {
    const asked = [permission(1, 'deploy [redacted] to b'), permission(1, 'deploy [redacted] to a')]
    const given = evidenceOf(...asked, dialog(2, 'deploy [redacted]\ntail to\na\nDo you want to?'))
    expect(verdictOf(given)).toMatchObject({ ask: { text: 'deploy [redacted] to a' } })
  })

  test('later work on the screen answers all of them, even if the first tool ends later', () => {
    const working: Told = { kind: 'unstuck', source: 'screen', at: 3_000 }
    const ended: Told = { kind: 'unstuck', block: 'touch a', at: 4_000 }
    expect(verdictOf(evidenceOf(...both, working, ended)).state).toBe('working')
    expect(verdictOf(evidenceOf(...both, ended)).state).toBe('stuck')
    expect(verdictOf(evidenceOf(...both, working, permission(5_000, 'touch c'))).state).toBe(
      'stuck',
    )
  })
})

describe('what hooks and transcript report', () => {
  test('a session that nobody has reported is unknown', () => {
    expect(verdictOf(noEvidence).state).toBe('unknown')
  })

  test('a session that only started waits for nothing yet', () => {
    expect(verdictOf(evidenceOf({ kind: 'started', at: 1 })).state).toBe('unknown')
  })

  test('a finished turn is stuck, starting when it finished', () => {
    expect(
      verdictOf(evidenceOf({ kind: 'unstuck', at: 1 }, stop(2, { ask: { text: 'Done.' } }))),
    ).toMatchObject({
      state: 'stuck',
      reason: 'stopped',
      since: 2,
      ask: { text: 'Done.' },
      by: 'hook',
    })
  })

  test('a prompt after the stop is work', () => {
    expect(verdictOf(evidenceOf(stop(2), { kind: 'unstuck', at: 3 })).state).toBe('working')
  })

  test('a prompt that arrives after a later stop does not lift it', () => {
    expect(verdictOf(evidenceOf(stop(5), { kind: 'unstuck', at: 3 })).state).toBe('stuck')
  })

  test('only its own answer lifts a permission', () => {
    const two = [permission(2, 'Bash:ls'), permission(3, 'Bash:rm')]
    expect(
      verdictOf(evidenceOf(...two, { kind: 'unstuck', at: 4, block: 'Bash:ls' })),
    ).toMatchObject({
      state: 'stuck',
      ask: { text: 'Bash:rm' },
    })
  })

  test('the same command asked again after its answer is a new permission', () => {
    const asked = evidenceOf(
      permission(2),
      { kind: 'unstuck', at: 3, block: 'Bash:ls' },
      permission(4),
    )
    expect(verdictOf(asked)).toMatchObject({ state: 'stuck', since: 4 })
  })

  test("a tool's end that is stamped after the end of its turn leaves the turn ended", () => {
    const late: Told = { kind: 'unstuck', block: 'Bash:ls', at: 10_200 }
    const stopped = stop(10_000, { ask: { text: 'Done.' } })
    for (const given of [
      [permission(9_000), stopped, late],
      [permission(9_000), late, stopped],
    ]) {
      expect(verdictOf(evidenceOf(...given))).toMatchObject({
        state: 'stuck',
        ask: { text: 'Done.' },
      })
    }
    const idle = stop(10_100, { source: 'status' })
    expect(verdictOf(evidenceOf(stopped, late, idle))).toMatchObject({ ask: { text: 'Done.' } })
    const begun: Told = { kind: 'seen', at: 10_150 }
    expect(verdictOf(evidenceOf(stopped, begun, late)).state).toBe('working')
    expect(verdictOf(evidenceOf(stopped, { ...late, at: 11_500 })).state).toBe('working')
  })

  test('a sign of life lifts a stop, but no permission', () => {
    expect(verdictOf(evidenceOf(stop(2), { kind: 'seen', at: 3 })).state).toBe('working')
    expect(verdictOf(evidenceOf(permission(2), { kind: 'seen', at: 3 })).state).toBe('stuck')
  })

  test('a permission without a name waits until anything is answered', () => {
    const { block: _, ...hearsay } = permission(5)
    expect(verdictOf(evidenceOf(hearsay))).toMatchObject({ state: 'stuck', since: 5 })
    for (const answer of [{ block: 'Bash:ls' }, {}, { subagent: 'a1', block: 'Bash:rm' }]) {
      const given = evidenceOf({ kind: 'seen', at: 1 }, hearsay, {
        kind: 'unstuck',
        at: 6,
        ...answer,
      })
      expect(verdictOf(given).state).toBe('working')
    }
    expect(verdictOf(evidenceOf(hearsay, { kind: 'seen', at: 6 })).state).toBe('stuck')
  })

  test('the main thread stopping answers its own permissions', () => {
    expect(verdictOf(evidenceOf(permission(2), stop(3)))).toMatchObject({ reason: 'stopped' })
  })

  test('a subagent that waits for permission blocks its session, before and after the main stop', () => {
    const blocked = permission(2, 'Bash:ls', { subagent: 'a1' })
    for (const given of [
      [blocked, stop(3)],
      [stop(1), blocked],
    ]) {
      const verdict = verdictOf(evidenceOf(...given))
      expect(verdict).toMatchObject({ state: 'stuck', reason: 'permission' })
    }
    expect(
      verdictOf(evidenceOf(blocked, stop(3), { kind: 'unstuck', at: 4, subagent: 'a1' })),
    ).toMatchObject({ state: 'stuck', reason: 'stopped' })
  })

  test.each(['constructor', 'toString', '__proto__'])('a subagent may be called %s', (subagent) => {
    const blocked = permission(2, 'Bash:ls', { subagent })
    expect(verdictOf(evidenceOf(blocked))).toMatchObject({ state: 'stuck', reason: 'permission' })
    const answered = evidenceOf(blocked, { kind: 'unstuck', at: 3, subagent })
    expect(verdictOf(answered).state).toBe('unknown')
    expect(verdictOf(withEvent(answered, event({ kind: 'ended', at: 4 }))).state).toBe('ended')
  })

  test('answered permissions and subagents take bounded memory', () => {
    const given = Array.from({ length: 300 }, (_, i) => [
      permission(i * 2 + 1, `Bash:${i}`, { subagent: `s${i}` }),
      stop(i * 2 + 2, i % 2 ? {} : { subagent: `s${i}` }),
    ]).flat()
    const evidence = evidenceOf(...given)
    expect(Object.keys(evidence.lifted).length).toBeLessThanOrEqual(64)
    expect(Object.values(evidence.blocks).filter((b) => b.ask === undefined).length).toBeLessThan(
      64,
    )
  })

  test("a subagent's work says nothing about the main thread", () => {
    expect(verdictOf(evidenceOf(stop(2), { kind: 'seen', at: 3, subagent: 'a1' })).state).toBe(
      'stuck',
    )
  })

  test('the transcript lifts what the hooks left behind', () => {
    const interrupted = evidenceOf(
      permission(2),
      stop(3, { source: 'transcript', ask: { text: 'Interrupted' } }),
    )
    expect(verdictOf(interrupted)).toMatchObject({
      reason: 'stopped',
      ask: { text: 'Interrupted' },
    })
  })

  test('the ask comes from the hook even if the transcript reports the same stop later', () => {
    const both = evidenceOf(
      stop(2, { ask: { text: 'from the hook' } }),
      stop(3, { source: 'transcript', ask: { text: 'from the file' } }),
    )
    expect(verdictOf(both)).toMatchObject({ since: 2, ask: { text: 'from the hook' } })
  })

  test('a restart voids everything older', () => {
    expect(verdictOf(evidenceOf(permission(2), stop(3), { kind: 'started', at: 4 })).state).toBe(
      'unknown',
    )
  })

  test('an ended session that shows life again is back', () => {
    expect(verdictOf(evidenceOf(stop(2), { kind: 'ended', at: 3 })).state).toBe('ended')
    expect(verdictOf(evidenceOf(stop(2), { kind: 'ended', at: 3 }, stop(4))).state).toBe('stuck')
  })
})

describe('process, status and screen', () => {
  test('a permission is answered when the screen later shows no dialog', () => {
    const hung = stop(3, { source: 'screen', ask: { text: 'It hangs.' }, detail: 'stalled: hung' })
    const after = { reason: 'stopped', ask: { text: 'It hangs.' }, by: 'screen' }
    expect(verdictOf(evidenceOf(permission(2), hung))).toMatchObject(after)
    expect(verdictOf(evidenceOf(hung, permission(4)))).toMatchObject({ reason: 'permission' })
  })

  test('a process that is gone ends the session, one that could not be looked at does not', () => {
    const stuck = evidenceOf(stop(2))
    expect(verdictOf(withProcess(stuck, { at: 3, state: 'gone', detail: '' })).state).toBe('ended')
    expect(verdictOf(withProcess(stuck, { at: 3, state: 'unobservable', detail: '' })).state).toBe(
      'unknown',
    )
  })

  test('a session that resumed after its process was gone is back', () => {
    const gone = withProcess(evidenceOf(stop(2)), { at: 3, state: 'gone', detail: '' })
    expect(verdictOf(withEvent(gone, event(stop(4)))).state).toBe('stuck')
  })

  test('a suspended process waits for the human, whatever else is claimed', () => {
    const busy = evidenceOf({ kind: 'unstuck', at: 2 })
    expect(verdictOf(withProcess(busy, { at: 3, state: 'suspended', detail: '' }))).toMatchObject({
      state: 'stuck',
      by: 'process',
    })
  })

  test('what the harness publishes outweighs hooks, which still give the ask', () => {
    const approved = evidenceOf(permission(2), { kind: 'unstuck', at: 3, source: 'status' })
    expect(verdictOf(approved)).toMatchObject({ state: 'working', by: 'status' })
    const waiting = evidenceOf(permission(2), {
      kind: 'stuck',
      reason: 'permission',
      at: 3,
      source: 'status',
    })
    expect(verdictOf(waiting)).toMatchObject({ by: 'status', ask: { text: 'Bash:ls' } })
  })

  test('a prompt is work before the harness has published it, until it publishes a stop again', () => {
    const stopped = (at: number): Told => stop(at, { source: 'status' })
    const first = evidenceOf(stopped(2), { kind: 'unstuck', at: 3, prompt: true })
    expect(verdictOf(first)).toMatchObject({ state: 'working', by: 'hook' })
    const escaped = withEvent(first, event(stopped(4)))
    expect(verdictOf(escaped)).toMatchObject({ state: 'stuck', by: 'status' })
    const waiting = evidenceOf(permission(2, 'Bash:ls', { source: 'status' }), {
      kind: 'seen',
      at: 3,
    })
    expect(verdictOf(waiting)).toMatchObject({ state: 'stuck', by: 'status' })
  })

  test('what follows from a prompt overtakes an older published stop as well', () => {
    const idle = stop(5, { source: 'status' })
    const prompt: Told = { kind: 'unstuck', at: 6, prompt: true }
    const tool: Told = { kind: 'seen', at: 7 }
    expect(verdictOf(evidenceOf(idle, prompt, tool)).state).toBe('working')
    const asked = evidenceOf(idle, prompt, tool, permission(8))
    expect(verdictOf(asked)).toMatchObject({ state: 'stuck', reason: 'permission', by: 'hook' })
    const published = evidenceOf(idle, prompt, tool, stop(9, { source: 'status' }))
    expect(verdictOf(published)).toMatchObject({ state: 'stuck', by: 'status' })
  })

  test.each([{ block: 'Bash:ls' }, {}])(
    'results that the transcript reports after a published stop do not lift it: %j',
    (about) => {
      const result: Told = { kind: 'unstuck', at: 3, source: 'transcript', ...about }
      const stopped = evidenceOf(permission(1), stop(2, { source: 'status' }), result)
      expect(verdictOf(stopped)).toMatchObject({ state: 'stuck', by: 'status' })
    },
  )

  test('an idle that was never busy waits for its first prompt', () => {
    const started: Told = { kind: 'started', at: 1, source: 'status' }
    const idle = stop(5, { source: 'status', detail: 'idle' })
    expect(verdictOf(evidenceOf(started, idle))).toMatchObject({ state: 'unknown', by: 'status' })
    const busy: Told = { kind: 'unstuck', at: 3, source: 'status' }
    expect(verdictOf(evidenceOf(started, busy, idle))).toMatchObject({ state: 'stuck' })
    const before: Told = { kind: 'unstuck', at: 0, source: 'transcript' }
    expect(verdictOf(evidenceOf(before, started, idle)).state).toBe('unknown')
  })

  test.each<[what: string, given: Told[], text: string]>([
    ['the last message', [stop(4, { ask: { text: 'Done.' } })], 'Done.'],
    ['a note', [stop(4, { ask: { text: 'Done.' }, note: 'one runs' })], 'Done.\n\n(one runs)'],
    ['a prompt without an answer', [{ kind: 'unstuck', at: 2 }], 'Interrupted before it answered.'],
    ['an older message', [stop(1, { ask: { text: 'Old.' } })], 'Waits at its prompt.'],
    [
      'the last message, if the hook of its prompt was held up',
      [stop(4, { ask: { text: 'Done.' } }), { kind: 'unstuck', at: 1_004 }],
      'Done.',
    ],
    [
      'the last message, also once the harness has published again that it is idle',
      [
        stop(4, { ask: { text: 'Done.' } }),
        { kind: 'unstuck', at: 900 },
        stop(3_000, { source: 'status' }),
      ],
      'Done.',
    ],
    [
      'the prompt that came after the message',
      [stop(4, { ask: { text: 'Done.' } }), { kind: 'unstuck', at: 1_005 }],
      'Interrupted before it answered.',
    ],
  ])('an idle asks with %s', (_, given, text) => {
    const busy: Told = { kind: 'unstuck', at: 3, source: 'status' }
    const evidence = evidenceOf(...given, busy, stop(5, { source: 'status' }))
    expect(verdictOf(evidence)).toMatchObject({ state: 'stuck', ask: { text } })
  })

  test('of two that are asked for at once, the screen shows which one it is about', () => {
    const left = permission(9_000, 'left', { subagent: 'l', ask: { text: 'make left\nLeft' } })
    const right = permission(9_001, 'right', { subagent: 'r', ask: { text: 'make right\nRight' } })
    const waiting: Told = { kind: 'stuck', reason: 'permission', at: 9_100, source: 'status' }
    const both = evidenceOf(left, right, waiting)
    const shown = (at: number, text: string) =>
      event({ kind: 'stuck', reason: 'permission', at, source: 'screen', ask: { text } })
    expect(asksSeveralThings(both)).toBe(true)
    expect(verdictOf(both)).toMatchObject({ ask: { text: 'make left\nLeft' } })
    const second = withEvent(both, shown(9_500, 'Bash command\n  make\n  right\nProceed?'))
    expect(verdictOf(second)).toMatchObject({ ask: { text: 'make right\nRight' } })
    const other = withEvent(both, shown(9_500, 'Something else?'))
    expect(verdictOf(other)).toMatchObject({ ask: { text: 'Something else?' } })
    expect(asksSeveralThings(evidenceOf(left, waiting))).toBe(false)
    const notified: Told = { kind: 'stuck', reason: 'permission', at: 15_000 }
    expect(asksSeveralThings(evidenceOf(left, waiting, notified))).toBe(false)
  })

  test.each<[what: string, given: Told[], text: string]>([
    ['the permission that was asked for', [permission(9_000, 'Bash:b')], 'Bash:b'],
    [
      'not with one that was approved and runs',
      [permission(1, 'Bash:a'), permission(9_000, 'Bash:b')],
      'Bash:b',
    ],
    ['the older of two', [permission(9_000, 'Bash:a'), permission(9_001, 'Bash:b')], 'Bash:a'],
    [
      'not with one from before it published work',
      [
        permission(9_000, 'Bash:a'),
        { kind: 'unstuck', at: 9_200, source: 'status' },
        permission(9_300, 'Bash:b'),
      ],
      'Bash:b',
    ],
    [
      'a tool without a result',
      [{ kind: 'seen', at: 9_000, source: 'transcript', pending: [{ text: 'ls' }] }],
      'ls',
    ],
    [
      'the screen',
      [permission(9_500, 'x', { source: 'screen', ask: { text: 'Trust it?' } })],
      'Trust it?',
    ],
    ['nothing known', [], 'Waits for your permission.'],
  ])('a published wait asks with %s', (_, given, text) => {
    const waiting = permission(9_400, 'x', { source: 'status' })
    const { ask: __, ...nameless } = waiting
    expect(verdictOf(evidenceOf(...given, nameless))).toMatchObject({
      state: 'stuck',
      ask: { text },
    })
  })

  test('a status that says nothing usable leaves the verdict to the others', () => {
    expect(verdictOf(evidenceOf(stop(2), { kind: 'seen', at: 3, source: 'status' }))).toMatchObject(
      {
        state: 'stuck',
        by: 'hook',
      },
    )
  })

  test('the screen raises a wait that nothing else saw, and clears one only if seen later', () => {
    const busy: Told = { kind: 'unstuck', at: 2 }
    expect(verdictOf(evidenceOf(busy, stop(3, { source: 'screen' }))).by).toBe('screen')
    const cleared: Told = { kind: 'unstuck', at: 4_000, source: 'screen' }
    expect(verdictOf(evidenceOf(stop(3_000), cleared)).state).toBe('working')
    expect(verdictOf(evidenceOf(stop(5_000), cleared)).state).toBe('stuck')
    const looked: Told = { kind: 'seen', at: 6_000, source: 'screen' }
    expect(verdictOf(evidenceOf(stop(5_000), looked)).state).toBe('stuck')
  })

  test('a screen that still shows the work of a turn contradicts neither its end nor its permission', () => {
    const prompt: Told = { kind: 'unstuck', prompt: true, at: 100 }
    const waits: Told[] = [
      stop(1_677, { ask: { text: 'Said.' } }),
      stop(1_677, { source: 'transcript' }),
      permission(1_677),
    ]
    fc.assert(
      fc.property(fc.constantFrom(...waits), fc.integer({ min: -50, max: 2000 }), (wait, later) => {
        const seen: Told = { kind: 'unstuck', source: 'screen', at: wait.at + later }
        const isDrawn = later >= SCREEN_DELAY_MS
        const { state } = verdictOf(evidenceOf(prompt, wait, seen))
        expect(state).toBe(isDrawn ? 'working' : 'stuck')
      }),
    )
  })
})

describe('the label', () => {
  const seenIdle = (at: number, more: Partial<AgentEvent> = {}): Told => ({
    ...stop(at, more),
    source: 'screen',
  })
  const labelled = (...given: Told[]) => {
    const verdict = verdictOf(evidenceOf(...given))
    return verdict.state === 'stuck' ? [verdict.label, verdict.ask.text] : []
  }

  test('goes with the ask that is shown', () => {
    const question = permission(1, 'Which?', { label: 'asks' })
    expect(labelled(question)).toEqual(['asks', 'Which?'])
    expect(labelled(question, permission(2, 'touch a'))).toEqual(['asks', 'Which?'])
    const published: Told = { ...permission(3, 'x', { source: 'status' }), ask: { text: 'Asks.' } }
    expect(labelled(permission(1, 'touch a'), { ...published, label: 'asks' })).toEqual([
      'permission',
      'touch a',
    ])
    expect(labelled({ ...published, label: 'asks' })).toEqual(['asks', 'Asks.'])
  })

  test('of a stop reported without a kind is what the screen has shown since', () => {
    const shown = { label: 'interrupted', ask: { text: 'Request cancelled.' } } as const
    expect(labelled(stop(5))).toEqual(['waits', 'Waits at its prompt.'])
    expect(labelled(seenIdle(6, shown), stop(5))).toEqual(['interrupted', 'Request cancelled.'])
    expect(labelled(seenIdle(4, shown), stop(5))).toEqual(['waits', 'Waits at its prompt.'])
    expect(labelled(seenIdle(6, shown), stop(5, { ask: { text: 'Done.' } }))).toEqual([
      'finished',
      'Done.',
    ])
    expect(labelled(seenIdle(6, { label: 'interrupted' }), stop(5))).toEqual([
      'interrupted',
      'Interrupted by you.',
    ])
  })

  test('of a suspended session is that it was interrupted', () => {
    expect(labelled({ kind: 'stuck', source: 'process', at: 1 })[0]).toBe('interrupted')
  })
})
