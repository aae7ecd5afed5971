import fc from 'fast-check'
import stringWidth from 'string-width'
import { beforeAll, describe, expect, test } from 'vitest'
import { coolingItem, failedTriggerItem, NOW, queueItem } from '../../test/support/queue-item.ts'
import type { QueueItem } from '../contract/responses.ts'
import { captureOf } from './capture.ts'
import { loadGraphemes } from './columns.ts'
import { entriesOf } from './entry.ts'
import type { Key } from './keys.ts'
import { initialModel, type Message, type Model } from './model.ts'
import { update } from './update.ts'
import { view } from './view.ts'

const SIZES: [columns: number, rows: number][] = [
  [60, 15],
  [80, 24],
  [120, 30],
  [200, 50],
  [30, 8],
]
const LONG_ASK = `The tables are migrated and all 214 tests pass.

1. The reporting job still expects a float. I can change the job, or keep a view with the old name.
2. Three old migrations need a seed that was deleted in March. Squash them?`
const SCREEN = `● Ran the tests\n  ⎿  214 passed ✅\n\n╭──────╮\n│ >    │\n╰──────╯\n\n\n`
const herd = [
  queueItem('s1', { project: 'billing', since: NOW - 3_900_000, ask: { text: LONG_ASK } }),
  queueItem('s2', {
    project: 'payments-api',
    reason: 'permission',
    ask: { text: 'npm run deploy -- --prod', tool: 'Bash' },
  }),
  queueItem('s3', {
    harness: 'opencode',
    project: '日本語ドキュメント',
    ask: { text: '翻訳が完了しました。用語集を統一しますか？' },
  }),
  queueItem('s4', { harness: 'codex', project: 'web', pane: null, since: NOW - 38_000 }),
  coolingItem('c1', { harness: 'codex', project: 'infra', since: NOW - 5_400_000 }),
]

beforeAll(loadGraphemes)

describe('the list', () => {
  test('at 80×24 has the preview under it', () => {
    expect(text(seen(live(herd, 80, 24), SCREEN))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck · 1 cooling down

      ▸ 1  1h05m  claude    billing           stopped     The tables are migrated and…
        2     4m  claude    payments-api      permission  npm run deploy -- --prod
        3     4m  opencode  日本語ドキュメ…   stopped     翻訳が完了しました。用語集…
        4    38s  codex     web               stopped     no pane · ask of s4
        5  1h30m  codex     infra             stopped     back in 42s · ask of c1
      ─ billing · claude-code · stopped · 1h05m ──────────────────────────────────────
       The tables are migrated and all 214 tests pass.

       1. The reporting job still expects a float. I can change the job, or keep a
       view with the old name.
       2. Three old migrations need a seed that was deleted in March. Squash them?
      ─ live pane %1 ─────────────────────────────────────────────────────────────────
       ● Ran the tests
         ⎿  214 passed ✅

       ╭──────╮
       │ >    │
       ╰──────╯



       ↵ jump   1-9 jump to   s skip   / filter   J/K scroll   ? help   q close"
    `)
  })

  test('at 60×15 keeps five rows and shows a little of ask and pane', () => {
    expect(text(seen(live(herd, 60, 15), SCREEN))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck · 1 cooling down
      ▸1  1h05m claude   billing        stop The tables are migra…
       2     4m claude   payments-api   perm npm run deploy -- --…
       3     4m opencode 日本語ドキュ…  stop 翻訳が完了しました。…
       4    38s codex    web            stop no pane · ask of s4
       5  1h30m codex    infra          stop back in 42s · ask of…
      ─ billing · claude-code · stopped · 1h05m ─────── 1–3 of 6 ─
       The tables are migrated and all 214 tests pass.

       1. The reporting job still expects a float. I can change
      ─ live pane %1 ─────────────────────────────────────────────
       ╭──────╮
       │ >    │
       ╰──────╯
       ↵ jump   1-9 jump to   s skip   / filter   ? help   q close"
    `)
  })

  test('at 120×20 has the preview beside it', () => {
    expect(text(press(live(herd, 120, 20), 'j'))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck · 1 cooling down

       1  1h05m claude   billing        stop The tables are mi…├─ payments-api · claude-code · permission · Bash · 4m ────────
      ▸2     4m claude   payments-api   perm npm run deploy --…│ npm run deploy -- --prod
       3     4m opencode 日本語ドキュ…  stop 翻訳が完了しまし… ├─ live pane %2 ───────────────────────────────────────────────
       4    38s codex    web            stop no pane · ask of …│
       5  1h30m codex    infra          stop back in 42s · ask…│
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
                                                               │
       ↵ jump   1-9 jump to   s skip   / filter   J/K scroll   ? help   q close"
    `)
  })

  test('at 30×8 leaves out what does not fit', () => {
    expect(text(seen(live(herd, 30, 8), SCREEN))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck
      ▸1  1h05m billing    The tabl…
       2     4m payments-… npm run …
       3     4m 日本語ド…  翻訳が完…
       4    38s web        no pane …
      ─ billing · claude-code · sto…
       The tables are migrated and
       ↵ jump   s skip   ? help"
    `)
  })

  test('at 60×15 has at least four rows, however few are stuck', () => {
    const lines = text(live(herd.slice(0, 1), 60, 15)).split('\n')
    expect(lines.findIndex((line) => line.startsWith('─ billing'))).toBe(5)
  })

  test('says which part of a long queue is on screen', () => {
    const many = Array.from({ length: 30 }, (_, index) => queueItem(`s${index}`))
    expect(text(live(many, 80, 24)).split('\n')[0]).toMatch(/1–8 of 30$/)
    expect(text(press(live(many, 80, 24), 'G')).split('\n')[0]).toMatch(/23–30 of 30$/)
  })

  test('highlights the selected row and dims what cools down', () => {
    const lines = view(press(live(herd, 80, 24), 'j'))
    expect(lines.filter((line) => line.includes('\u001b[7m'))).toHaveLength(1)
    expect(lines.find((line) => line.includes('\u001b[7m'))).toContain('payments-api')
    expect(lines.find((line) => line.includes('infra'))).toMatch(/^\u001b\[2m.*\u001b\[0m$/)
  })
})

describe('the preview', () => {
  test('scrolls the ask and says where it is', () => {
    const lines = text(press(live(herd, 60, 15), 'J', 'J')).split('\n')
    expect(lines[6]).toMatch(/^─ billing .* 3–5 of 6 ─$/)
    expect(lines[7]).toBe(' 1. The reporting job still expects a float. I can change')
  })

  test('says in short that there is more where the title is long', () => {
    const ask = { text: 'one\ntwo\nthree\nfour\nfive', tool: 'Bash' }
    const item = queueItem('s1', { project: 'payments-api', reason: 'permission', ask })
    const title = text(live([item], 60, 15)).split('\n')[5]
    expect(title).toBe('─ payments-api · claude-code · permission · Bash · 4m ── ↕ ─')
  })

  test('shows the last lines of the pane, without the empty ones at its end', () => {
    const lines = text(seen(live(herd, 60, 15), SCREEN)).split('\n')
    expect(lines.slice(-4, -1)).toEqual([' ╭──────╮', ' │ >    │', ' ╰──────╯'])
  })

  test('says when the pane could not be read, and when there is none', () => {
    expect(text(seen(live(herd, 80, 24), undefined))).toContain('The pane could not be read.')
    const withoutPane = press(live(herd, 80, 24), 'j', 'j', 'j')
    expect(text(withoutPane)).toContain('Trail Boss knows of no tmux pane for this session.')
  })

  test('does not show what was seen on another pane than the one the session has now', () => {
    const moved = herd.map((item) => ({ ...item, pane: { socket: '/tmp/tmux', id: '%77' } }))
    const entries = entriesOf(moved)
    const model = send(seen(live(herd, 80, 24), SCREEN), { kind: 'queue.changed', entries })
    expect(text(model)).not.toContain('214 passed')
  })
})

describe('instead of the list', () => {
  test('an empty queue has a friendly line', () => {
    const shown = text(live([], 60, 15))
    expect(shown).toContain('Nothing is stuck. Your herd is grazing.')
    expect(shown).toMatch(/^ Trail Boss {3}nothing stuck/)
  })

  test('a daemon that is down is named, with how to start it', () => {
    const hint = 'Start it with: trailboss up'
    const lost: Message = { kind: 'daemon.lost', message: 'The daemon is not running.', hint }
    for (const [columns, rows] of SIZES) {
      const shown = text(send(live(herd, columns, rows), lost))
      expect(shown).toContain('The daemon is not running.')
      expect(shown).toContain(hint)
      expect(shown).not.toContain('billing')
    }
  })

  test('a filter without a match says how to clear it', () => {
    const shown = text(press(live(herd, 80, 24), '/', 'z', 'z'))
    expect(shown).toContain('Nothing matches zz.')
    expect(shown).toContain('Esc clears the filter.')
  })

  test('the help names every key', () => {
    const shown = text(press(live(herd, 60, 15), '?'))
    for (const key of ['j k', 'g G', 'Enter', '1 … 9', 's ', '/ ', 'J K', 'PgUp', 'q ', 'Esc']) {
      expect(shown).toContain(key)
    }
  })
})

describe('the footer', () => {
  test('drops the least wanted keys first', () => {
    const footer = (columns: number) =>
      text(live(herd, columns, 24))
        .split('\n')
        .at(-1)
    expect(footer(80)).toBe(
      ' ↵ jump   1-9 jump to   s skip   / filter   J/K scroll   ? help   q close',
    )
    expect(footer(50)).toBe(' ↵ jump   s skip   / filter   ? help   q close')
    expect(footer(12)).toBe(' ↵ jump')
  })

  test('shows the end of a long filter', () => {
    const shown = text(press(live(herd, 30, 8), '/', ...'abcdefghijklmnopqrstuvwxyz漢字'))
    expect(shown.split('\n').at(-1)).toBe(' /efghijklmnopqrstuvwxyz漢字')
  })

  test('says what just happened', () => {
    const model = send(live(herd, 80, 24), { kind: 'skip.failed', message: 'Not skipped.' })
    expect(text(model).split('\n').at(-1)).toBe(' Not skipped.')
  })
})

test('without colour only attributes are used', () => {
  const codes = view(seen({ ...live(herd, 80, 24), color: false }, SCREEN))
    .join('')
    .match(/\[[0-9;]*m/g)
  expect(new Set(codes)).toEqual(new Set(['[0m', '[1m', '[2m', '[7m']))
})

describe('a trigger that failed', () => {
  const items = [failedTriggerItem('trg_1'), queueItem('s2')]

  test('at 80×24 says what became of it, and which keys there are for it', () => {
    expect(text(live(items, 80, 24))).toMatchInlineSnapshot(`
      " Trail Boss   2 stuck

      ▸ 1   4m  supervisor  ranch       stopped  no pane · ranch/reviewer did not get…
        2   4m  claude      project-s2  stopped  ask of s2


      ─ ranch · supervisor · stopped · 4m ────────────────────────────────────────────
       ranch/reviewer did not get its prompt (review).
       ACK_TIMEOUT: The agent never showed that it took the prompt.
       It says: Please review what is unread, and post your findings.
       Try again: trailboss trigger retry trg_1
      ─ no pane ──────────────────────────────────────────────────────────────────────
       There is no pane to show for this.










       ↵ jump   r retry   x dismiss   s skip   / filter   ? help   q close"
    `)
  })

  test.each([
    [80, 24],
    [60, 15],
    [30, 8],
  ])('at %i×%i has its keys in the footer, and only while it is selected', (columns, rows) => {
    const footer = (model: Model) => text(model).split('\n').at(-1)
    expect(footer(live(items, columns, rows))).toMatch(/r retry/)
    expect(footer(press(live(items, columns, rows), 'j'))).not.toMatch(/retry|dismiss/)
  })

  test('has its keys in the help, whether one is selected or not', () => {
    for (const model of [live(items, 80, 24), live(herd, 80, 24), live([], 80, 24)]) {
      const help = text(press(model, '?'))
      expect(help).toMatch(/ r +of a trigger that failed: send it once more\n +x +of a trigger/)
    }
  })
})

describe('whatever the sessions say', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          ...[
            '\u001b[2J',
            '\u001b]0;pwn\u0007',
            '\u009b31m',
            '\u001bP1$r\u001b\\',
            '\u001b',
            '\r',
            '\n',
            '\t',
          ],
          ...[
            '\u202e',
            '\u2066',
            '\u200d',
            '\ufe0f',
            '\u0301',
            '👨‍👩‍👧‍👦',
            '🇩🇪',
            '👍🏽',
            '⚠️',
            '1️⃣',
            '漢字',
            'ก็',
            'क्षि',
          ],
          ...['\u1100\u1100\u1161', '\u0d4e', '\u0600', '\ud800', 'a', ' ', '…', 'x'.repeat(90)],
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join('')),
  )
  const hostileItem = fc
    .tuple(hostile, hostile, hostile, hostile, fc.boolean(), fc.boolean())
    .map(([harness, project, ask, tool, ready, hasPane]) =>
      queueItem('s1', {
        harness,
        project,
        ask: { text: ask, tool },
        ready,
        readyAt: ready ? null : NOW + 9_000,
        pane: hasPane ? { socket: '/s', id: project } : null,
      }),
    )
  const size: fc.Arbitrary<[number, number]> = fc.oneof(
    fc.constantFrom(...SIZES),
    fc.tuple(fc.integer({ min: 1, max: 220 }), fc.integer({ min: 1, max: 60 })),
  )
  const keys = fc.array(fc.constantFrom('j', 'J', 'G', '?', '/', 'a', '\r', 's', '1'), {
    maxLength: 5,
  })

  test('every frame is exactly as large as the screen and holds only our own sequences', () => {
    const items = fc.array(hostileItem, { maxLength: 4 })
    fc.assert(
      fc.property(
        items,
        hostile,
        hostile,
        size,
        keys,
        (queue, screen, notice, dimensions, pressed) => {
          const named = queue.map((item, index) => ({ ...item, session: `s${index}` }))
          const told = press(seen(live(named, ...dimensions), screen), ...pressed)
          expectFrame(told)
          expectFrame(send(told, { kind: 'skip.failed', message: notice }))
          expectFrame(send(press(told, '/'), { kind: 'key', key: { kind: 'paste', text: notice } }))
        },
      ),
      { numRuns: 150 },
    )
  }, 60_000)
})

function expectFrame(model: Model): void {
  const lines = view(model)
  expect(lines).toHaveLength(model.size.rows)
  for (const line of lines) {
    const bare = line.replace(/\u001b\[(?:0|1|2|7|31|33|36|1;36)m/g, '')
    expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    expect(stringWidth(bare)).toBe(model.size.columns)
  }
}

function live(items: QueueItem[], columns: number, rows: number): Model {
  const message: Message = { kind: 'queue.changed', entries: entriesOf(items) }
  return send(initialModel({ columns, rows }, NOW, true), message)
}

/** The selected session's pane was looked at. */
function seen(model: Model, screen: string | undefined): Model {
  const entry = model.entries.find(({ key }) => key === model.selected)
  if (!entry) return model
  return send(model, { kind: 'pane.captured', key: entry.key, capture: captureOf(entry, screen) })
}

function press(model: Model, ...texts: string[]): Model {
  const keyOf = (pressed: string): Key =>
    pressed === '\r' ? { kind: 'named', name: 'enter' } : { kind: 'text', text: pressed }
  return texts.reduce((next, pressed) => send(next, { kind: 'key', key: keyOf(pressed) }), model)
}

function send(model: Model, message: Message): Model {
  return update(model, message)[0]
}

function text(model: Model): string {
  return view(model)
    .map((line) => line.replace(/\u001b\[[0-9;]*m/g, '').trimEnd())
    .join('\n')
}
