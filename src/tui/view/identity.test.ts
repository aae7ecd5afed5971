import { describe, expect, test } from 'vitest'
import { live, press, sessions } from '../../../test/support/views/popup-model.ts'
import { queueItem } from '../../../test/support/views/queue-item.ts'
import type { Model } from '../model/model.ts'
import { view } from './view.ts'

const api = { project: 'api', branch: 'main', window: 'work:1' }
const items = [
  queueItem('s1', {
    ...api,
    ...{ branch: 'fix-login', worktree: 'api-2', window: 'work:3', title: 'Fix the login' },
    ask: { text: 'npm test', tool: 'Bash' },
    reason: 'permission',
  }),
  queueItem('s2', api),
  queueItem('s3', { ...api, window: 'work:2' }),
  queueItem('s4', { project: 'web', branch: 'main' }),
]

describe('the list', () => {
  test('names an item by what tells it apart', () => {
    expect(rows(live(items, 80, 24)).slice(2, 6)).toEqual([
      '▸ 1   4m  claude-code  api fix-login    permission  npm test',
      '  2   4m  claude-code  api main work:1  finished    ask of s2',
      '  3   4m  claude-code  api main work:2  finished    ask of s3',
      '  4   4m  claude-code  web              finished    ask of s4',
    ])
  })

  test('shows every branch if there is room, and keeps a name while a filter hides others', () => {
    expect(rows(live(items, 100, 24))[5]).toContain('  web main  ')
    const filtered = press(live(items, 80, 24), '/', ...'work:2', 'enter')
    expect(rows(filtered)[2]).toContain('  api main work:2  ')
  })

  test.each([30, 44, 52, 60, 80, 100, 120, 200])(
    'on %i columns has no two names alike',
    (columns) => {
      const long = 'a-very-long-name-of-something-that-has-no-end'
      const same = { project: long, branch: long, window: long, ask: { text: 'Same.' } }
      const alike = ['s1', 's2', 's3', 's4'].map((session) => queueItem(session, same))
      const shown = rows(live(alike, columns, 24)).slice(2, 6)
      // Neither the mark nor the number belongs to the item.
      expect(new Set(shown.map((row) => row.slice(4).split('Same.')[0])).size).toBe(4)
    },
  )
})

describe('the title of the preview', () => {
  const titleAt = (columns: number) =>
    rows(live(items, columns, 24))
      .find((row) => row.includes('─ api'))
      ?.replace(/^.*?(?=─ api)/, '')

  test('has all that it is recognised by', () => {
    expect(titleAt(110)).toMatch(
      /^─ api · fix-login · worktree api-2 · work:3 · "Fix the login" · claude-code · permission · Bash · 4m ─/,
    )
  })

  test('drops what the list shows, too, before it cuts anything', () => {
    expect(titleAt(80)).toMatch(
      /^─ api · fix-login · worktree api-2 · work:3 · "Fix the login" · Bash ─+$/,
    )
    expect(titleAt(68)).toMatch(
      /^─ api · fix-login · worktree api-2 · work:3 · "Fix the login" ─+$/,
    )
  })
})

test.each(['fix-login', 'api-2', 'work:3', 'fix the login', 'web'])(
  'the filter finds %s',
  (text) => {
    const found = sessions(press(live(items, 80, 24), '/', ...text, 'enter'))
    expect(found).toEqual([text === 'web' ? 's4' : 's1'])
  },
)

test('hostile names reach the screen without their controls', () => {
  const hostile = 'a\u001b[2Jb\u202e\nc'
  const named = { project: hostile, branch: hostile, worktree: hostile, window: hostile }
  const all = [queueItem('s1', { ...named, title: hostile }), queueItem('s2', named)]
  expect(rows(live(all, 110, 24)).join('\n')).toContain(
    '─ ab c · ab c · worktree ab c · ab c · "ab c" ·',
  )
})

function rows(model: Model): string[] {
  return view(model).map((line) => line.replace(/\u001b\[[0-9;]*m/g, '').trimEnd())
}
