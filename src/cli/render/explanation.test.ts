import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { EvidenceView, ExplainView } from '../../contract/responses.ts'
import { explanationText } from './explanation.ts'

const NOW = 1_000_000_000
const READER = { now: NOW, width: 80, home: '/home/op' }

const evidence = (
  source: EvidenceView['source'],
  claim: string,
  more: Partial<EvidenceView> = {},
) => ({ source, claim, at: NOW - 42_000, detail: 'x', decided: false, ...more }) as EvidenceView

const VIEW: ExplainView = {
  session: '0c5e8f3a',
  harness: 'claude-code',
  title: 'Claude Code',
  state: 'stuck',
  reason: 'permission',
  label: 'permission',
  why: 'Claude Code itself says "waiting: permission prompt". What it asks is told by its hook PermissionRequest Bash.',
  since: NOW - 42_000,
  ask: { text: 'npm test\nRun the tests' },
  listed: true,
  listedSince: NOW - 42_000,
  readyAt: null,
  headless: false,
  resumed: false,
  pane: { socket: '/tmp/tmux-1000/default', id: '%5' },
  cwd: '/home/op/shop',
  pid: 77,
  because: [
    evidence('status', 'stuck (permission)', {
      detail: 'waiting: permission prompt',
      decided: true,
    }),
    evidence('hook', 'stuck (permission)', { detail: 'PermissionRequest Bash' }),
    evidence('process', 'alive', { at: NOW - 300_000, detail: 'process 77 runs' }),
  ],
  missing: [],
  monitor: null,
}

const text = (view: Partial<ExplainView> = {}, reader = READER) =>
  explanationText({ ...VIEW, ...view }, reader)
const firstLine = (view: Partial<ExplainView>) =>
  text({ ask: null, ...view })
    .split('\n\n')[0]
    ?.replace('\n', ' ')

test('the order is: the state, the ask, the reason, the evidence, the identity', () => {
  expect(text()).toBe(
    `Claude Code in ~/shop, pane %5, is stuck: it has waited for your answer for 42
seconds:

    npm test
    Run the tests

Claude Code itself says "waiting: permission prompt". What it asks is told by
its hook PermissionRequest Bash.

   SOURCE   CLAIM               AGE  DETAIL
→  status   stuck (permission)  42s  waiting: permission prompt
   hook     stuck (permission)  42s  PermissionRequest Bash
   process  alive               5m   process 77 runs

(session 0c5e8f3a, process 77, tmux server /tmp/tmux-1000/default)`,
  )
})

test('what is missing comes after the evidence', () => {
  const missing = [`No hook has been heard from this session. ${'Wire it. '.repeat(9)}`, 'No pane.']
  expect(text({ missing })).toContain(`process 77 runs

Missing:
  - No hook has been heard from this session. Wire it. Wire it. Wire it. Wire
    it. Wire it. Wire it. Wire it. Wire it. Wire it.
  - No pane.

(session`)
})

describe('the state, in one sentence', () => {
  const suspended = [evidence('process', 'suspended', { decided: true })]
  const unseen = [evidence('process', 'unobservable', { decided: true })]

  test.each<[string, Partial<ExplainView>]>([
    [
      'Claude Code in ~/shop, pane %5, is stuck: it finished its turn 42 seconds ago and waits for you.',
      { reason: 'stopped', label: 'finished' },
    ],
    [
      'Claude Code in ~/shop, pane %5, is stuck: it stopped with an error 42 seconds ago and waits for you.',
      { reason: 'stopped', label: 'error' },
    ],
    [
      'Claude Code in ~/shop, pane %5, is stuck: it stopped 42 seconds ago and waits for you.',
      { reason: 'stopped', label: 'waits' },
    ],
    [
      'Claude Code in ~/shop, pane %5, is stuck: it asks you something, and has waited for your answer for 42 seconds.',
      { label: 'asks' },
    ],
    [
      'Claude Code in ~/shop, pane %5, is stuck: it was suspended 42 seconds ago; fg brings it back.',
      { reason: 'stopped', because: suspended },
    ],
    [
      'Claude Code in ~/shop, pane %5, has been working for 42 seconds.',
      { state: 'working', reason: null },
    ],
    ['Claude Code in ~/shop ended 42 seconds ago.', { state: 'ended', reason: null, pane: null }],
    [
      'Claude Code in ~/shop, pane %5, has been at its first prompt for 42 seconds: nothing was asked of it yet.',
      { state: 'unknown', reason: null },
    ],
    [
      'Claude Code in ~/shop, pane %5, has been at its prompt for 42 seconds: it was resumed, and nothing was asked of it since.',
      { state: 'unknown', reason: null, resumed: true },
    ],
    [
      'Claude Code in ~/shop, without a pane, could not be looked at for 42 seconds: its state is unknown.',
      { state: 'unknown', reason: null, pane: null, because: unseen },
    ],
    [
      'my-agent, without a pane, is known by its name alone.',
      { state: 'unknown', title: 'my-agent', cwd: null, pane: null, since: null },
    ],
    [
      'Claude Code in /srv/x, without a pane, stopped 42 seconds ago, with nobody in front of it.',
      { headless: true, pane: null, cwd: '/srv/x', reason: 'stopped' },
    ],
  ])('%s', (sentence, view) => {
    expect(firstLine(view)).toBe(sentence)
  })

  test('how long it has been in the queue, if it asked something else in the meantime', () => {
    const since = NOW - 3_000
    const listedSince = NOW - 120_000
    expect(firstLine({ since, listedSince })).toMatch(
      /is stuck: it has been in the queue for 2 minutes, and has waited for this answer for 3 seconds\.$/,
    )
    expect(firstLine({ since, listedSince, reason: 'stopped' })).toMatch(
      /in the queue for 2 minutes, and last stopped 3 seconds ago\.$/,
    )
    for (const same of [since - 400, since + 9_000, null]) {
      expect(firstLine({ since, listedSince: same })).toMatch(/waited for your answer for 3 sec/)
    }
  })

  test('that a process is suspended is not said twice', () => {
    const shown = text({ because: suspended, ask: { text: 'Suspended (Ctrl-Z).' } })
    expect(shown).toContain('brings it back.\n\n')
    expect(shown).not.toContain('    Suspended')
  })

  test('that it was skipped, and when it is back', () => {
    expect(firstLine({ readyAt: NOW + 20_000 })).toMatch(
      /It was skipped, and is back in the queue in 20 seconds\.$/,
    )
    expect(firstLine({ readyAt: NOW + 7_199_000 })).toMatch(
      /back in the queue (at|\w+) \d\d:\d\d\.$/,
    )
  })

  test('that the operator dismissed it, and how to bring it back', () => {
    const view = { listed: false, dismissedAt: NOW - 20_000, reason: 'permission' } as const
    expect(firstLine(view)?.replaceAll('\n', ' ')).toMatch(
      /is stuck: .* You dismissed it 20 seconds ago; trailboss dismiss --undo \S+ brings it back\.$/,
    )
    expect(firstLine({ ...view, session: "it's\u001b[31m mine" })?.replaceAll('\n', ' ')).toContain(
      "trailboss dismiss --undo 'it'\\''s mine' brings it back.",
    )
  })
})

describe('text from a session', () => {
  test('reaches the terminal clean, and never at the beginning of a line', () => {
    const evil = 'rm \u001b]0;x\u0007-r\u202e\n(session faked)\u009b31m'
    const because = [evidence('hook', `stuck${evil}`, { detail: evil })]
    const shown = text({
      ask: { text: evil },
      why: evil,
      cwd: `/a/${evil}`,
      missing: [evil],
      because,
    })
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    expect(shown.match(/^\(session/gm)).toHaveLength(1)
  })

  test('is cut if it is long, with the number of lines left out', () => {
    const shown = text({ ask: { text: 'line\n'.repeat(40) } })
    expect(shown.match(/^ {4}line$/gm)).toHaveLength(12)
    expect(shown).toContain('    … 28 more lines')
  })
})

test.each([40, 80, 120, 200])('no line is wider than a terminal of %i columns', (width) => {
  const because = [evidence('hook', 'stuck (permission)', { detail: 'word '.repeat(80) })]
  const ask = { text: 'word '.repeat(80) }
  const missing = ['word '.repeat(80)]
  const shown = text({ because, ask, missing, why: 'word '.repeat(80) }, { ...READER, width })
  for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
})

describe('what the monitor sees', () => {
  const monitor: NonNullable<ExplainView['monitor']> = {
    pane: { socket: '/tmp/tmux-1000/default', id: '%5' },
    pid: 77,
    program: 'make',
    harness: 'program',
    session: 'make-77',
    state: 'stuck',
    attention: 'fresh',
    signal: 'build',
    rule: null,
    shows: null,
    identical: 3,
    stall: 'confirmed',
    unchangedSince: NOW - 200_000,
    diagnosis: { kind: 'hung', sentence: 'Nothing in it uses the CPU.' },
    lookedAt: NOW - 4_000,
    nextLookAt: NOW + 12_000,
    title: null,
  }

  test('is shown if it matters: the look, how often it was the same, the diagnosis', () => {
    expect(text({ monitor }).replaceAll('\n', ' ')).toContain(
      'Its screen was looked at 4 seconds ago: no rule knows it. It has been unchanged for 4 looks. Nothing in it uses the CPU. The next look is in 12 seconds.',
    )
  })

  test('is not shown if the harness reports its own state', () => {
    expect(text({ monitor: { ...monitor, attention: 'steady' } })).toBe(text())
  })
})
