import { beforeAll, describe, expect, test } from 'vitest'
import { live, press, SIZES, seen, send } from '../../../test/support/views/popup-model.ts'
import {
  coolingItem,
  failedTriggerItem,
  NOW,
  queueItem,
} from '../../../test/support/views/queue-item.ts'
import { loadGraphemes } from '../../text/columns.ts'
import { entriesOf } from '../model/entry.ts'
import type { Message, Model } from '../model/model.ts'
import { view } from './view.ts'

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
  test.each([1, 2, 3])('on %i rows has the item that a key would act on', (rows) => {
    expect(text(live(herd, 40, rows))).toContain('▸1  1h05m billing')
  })

  test('at 80×24 has the preview below it', () => {
    expect(text(seen(live(herd, 80, 24), SCREEN))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck · 1 skipped

      ▸ 1  1h05m  claude-code  billing             finished    The tables are migrate…
        2     4m  claude-code  payments-api        permission  npm run deploy -- --pr…
        3     4m  opencode     日本語ドキュメント  finished    翻訳が完了しました。用…
        4    38s  codex        web                 finished    no pane · ask of s4
        5  1h30m  codex        infra               finished    back in 42s · ask of c…
      ─ billing · claude-code · finished · 1h05m ─────────────────────────────────────
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



       ↵ jump   s skip   d dismiss   z snooze   / filter   ? help   q close"
    `)
  })

  test('at 60×15 keeps five rows and shows a little of ask and pane', () => {
    expect(text(seen(live(herd, 60, 15), SCREEN))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck · 1 skipped
      ▸1  1h05m claude   billing         done The tables are migr…
       2     4m claude   payments-api    perm npm run deploy -- -…
       3     4m opencode 日本…キュメント done 翻訳が完了しました…
       4    38s codex    web             done no pane · ask of s4
       5  1h30m codex    infra           done back in 42s · ask o…
      ─ billing · claude-code · finished · 1h05m ────── 1–3 of 6 ─
       The tables are migrated and all 214 tests pass.

       1. The reporting job still expects a float. I can change
      ─ live pane %1 ─────────────────────────────────────────────
       ╭──────╮
       │ >    │
       ╰──────╯
       ↵ jump   s skip   d dismiss   z snooze   ? help   q close"
    `)
  })

  test('at 120×20 has the preview beside it', () => {
    expect(text(press(live(herd, 120, 20), 'j'))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck · 1 skipped

       1  1h05m claude   billing         done The tables are m…├─ payments-api · claude-code · permission · Bash · 4m ────────
      ▸2     4m claude   payments-api    perm npm run deploy -…│ npm run deploy -- --prod
       3     4m opencode 日本…キュメント done 翻訳が完了しまし…├─ live pane %2 ───────────────────────────────────────────────
       4    38s codex    web             done no pane · ask of…│
       5  1h30m codex    infra           done back in 42s · as…│
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
       ↵ jump   1-9 jump to   s skip   z snooze   / filter   J/K scroll   ? help   q close"
    `)
  })

  test('at 30×8 leaves out what does not fit', () => {
    expect(text(seen(live(herd, 30, 8), SCREEN))).toMatchInlineSnapshot(`
      " Trail Boss   4 stuck
      ▸1  1h05m billing    The tabl…
       2     4m pay…ts-api npm run …
       3     4m 日…メント  翻訳が完…
       4    38s web        no pane …
      ─ billing · claude-code · fin…
       The tables are migrated and
       ↵ jump   s skip   ? help"
    `)
  })

  test('at 60×15 has at least four rows, however few are stuck', () => {
    const lines = text(live(herd.slice(0, 1), 60, 15)).split('\n')
    expect(lines.findIndex((line) => line.startsWith('─ billing'))).toBe(5)
  })

  test('shows which part of a long queue is on screen', () => {
    const many = Array.from({ length: 30 }, (_, index) => queueItem(`s${index}`))
    expect(text(live(many, 80, 24)).split('\n')[0]).toMatch(/1–8 of 30$/)
    expect(text(press(live(many, 80, 24), 'G')).split('\n')[0]).toMatch(/23–30 of 30$/)
  })

  test('highlights the selected row and dims cooling items', () => {
    const lines = view(press(live(herd, 80, 24), 'j'))
    expect(lines.filter((line) => line.includes('\u001b[7m'))).toHaveLength(1)
    expect(lines.find((line) => line.includes('\u001b[7m'))).toContain('payments-api')
    expect(lines.find((line) => line.includes('infra'))).toMatch(/^\u001b\[2m.*\u001b\[0m$/)
  })
})

describe('the preview', () => {
  test('scrolls the ask and shows the position', () => {
    const lines = text(press(live(herd, 60, 15), 'J', 'J')).split('\n')
    expect(lines[6]).toMatch(/^─ billing .* 3–5 of 6 ─$/)
    expect(lines[7]).toBe(' 1. The reporting job still expects a float. I can change')
  })

  test('says briefly that there is more if the title is long', () => {
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

  test("does not show a look at another pane than the session's current one", () => {
    const moved = herd.map((item) => ({ ...item, pane: { socket: '/tmp/tmux', id: '%77' } }))
    const entries = entriesOf(moved)
    const model = send(seen(live(herd, 80, 24), SCREEN), {
      kind: 'queue.changed',
      entries,
      working: 0,
    })
    expect(text(model)).not.toContain('214 passed')
  })
})

describe('instead of the list', () => {
  test('an empty queue has a friendly line', () => {
    const shown = text(live([], 60, 15))
    expect(shown).toContain('Nothing is stuck. Your herd is grazing.')
    expect(shown).toMatch(/^ Trail Boss {3}nothing stuck/)
  })

  test.each([
    [0, 'None are working.'],
    [1, '1 is working.'],
    [7, '7 are working.'],
  ])('an empty queue says how many of all sessions work: %i', (working, sentence) => {
    const model = send(live([], 60, 15), { kind: 'queue.changed', entries: [], working })
    expect(text(model)).toContain(sentence)
  })

  test('a daemon that is down is reported, with how to start it', () => {
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
    for (const key of [
      'j k',
      'g G',
      'Enter',
      '1-9',
      's ',
      'z ',
      'd  D',
      'u ',
      '/ ',
      'J K',
      'PgUp',
      'q ',
      'Esc',
    ]) {
      expect(shown).toContain(key)
    }
  })
})

describe('the footer', () => {
  test('drops the least important keys first', () => {
    const footer = (columns: number) =>
      text(live(herd, columns, 24))
        .split('\n')
        .at(-1)
    expect(footer(80)).toBe(' ↵ jump   s skip   d dismiss   z snooze   / filter   ? help   q close')
    expect(footer(50)).toBe(' ↵ jump   s skip   d dismiss   ? help   q close')
    expect(footer(12)).toBe(' ↵ jump')
  })

  test('says how to snooze, as far as it fits', () => {
    const footer = (columns: number, ...typed: string[]) =>
      text(press(live(herd, columns, 24), 'z', ...typed))
        .split('\n')
        .at(-1)
    const choices = ' Snooze billing   5m   30m   2h   tomorrow'
    expect(footer(100)).toBe(`${choices}    z next   or type a time   ↵ ok   Esc leave`)
    expect(footer(79)).toBe(`${choices}    z next   or type a time`)
    expect(footer(64)).toBe(`${choices}    ↵ ok   Esc leave`)
    expect(footer(50)).toBe(choices)
    expect(footer(50, ...'14:30')).toBe(' Snooze billing    14:30    ↵ ok   Esc leave')
  })

  test('shows the end of a long filter', () => {
    const shown = text(press(live(herd, 30, 8), '/', ...'abcdefghijklmnopqrstuvwxyz漢字'))
    expect(shown.split('\n').at(-1)).toBe(' /efghijklmnopqrstuvwxyz漢字')
  })

  test('says what just happened', () => {
    const model = send(live(herd, 80, 24), {
      kind: 'request.failed',
      id: '',
      message: 'Not skipped.',
    })
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

  test('at 80×24 shows its result, and its keys', () => {
    expect(text(live(items, 80, 24))).toMatchInlineSnapshot(`
      " Trail Boss   2 stuck

      ▸ 1   4m  supervisor   ranch       error     no pane · ranch/reviewer did not g…
        2   4m  claude-code  project-s2  finished  ask of s2


      ─ ranch · supervisor · error · 4m ──────────────────────────────────────────────
       ranch/reviewer did not get its prompt (review).
       ACK_TIMEOUT: The agent never showed that it took the prompt.
       It says: Please review what is unread, and post your findings.
       Try again: trailboss trigger retry trg_1
      ─ no pane ──────────────────────────────────────────────────────────────────────
       There is no pane to show for this.










       ↵ jump   r retry   x dismiss   s skip   z snooze   / filter   ? help   q close"
    `)
  })

  test.each([
    [80, 24],
    [60, 15],
    [30, 8],
  ])('at %i×%i has its keys in the footer, and only while it is selected', (columns, rows) => {
    const footer = (model: Model) => text(model).split('\n').at(-1)
    expect(footer(live(items, columns, rows))).toMatch(/r retry/)
    expect(footer(press(live(items, columns, rows), 'j'))).not.toMatch(/r retry|x dismiss/)
  })

  test('has its keys in the help, whether one is selected or not', () => {
    for (const model of [live(items, 80, 24), live(herd, 80, 24), live([], 80, 24)]) {
      const help = text(press(model, '?'))
      expect(help).toMatch(
        / r +a failed trigger: send it once more\n +x +a failed trigger: dismiss/,
      )
    }
  })

  test('has all of them in a popup on a terminal of 60 columns', () => {
    const help = text(press(live(items, 52, 14), '?'))
    expect(help).toMatch(/ r +a failed trigger: send it once more\n/)
    expect(help).not.toContain('…\n')
  })
})

function text(model: Model): string {
  return view(model)
    .map((line) => line.replace(/\u001b\[[0-9;]*m/g, '').trimEnd())
    .join('\n')
}
