import { expect, test } from 'vitest'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { readingOf } from '../screen/screen-reading.ts'
import { isQwen } from './adapter.ts'
import { screenRules } from './screen.ts'

const EDGE = '─'.repeat(80)
const COMPOSER = [
  EDGE,
  '>   Type your message or @path/to/file',
  EDGE,
  '  ➜ ranch · herd',
  '  ⏸ Ask permissions (shift + tab to cycle)',
]
const BANNER = [
  '   ▄▄▄▄▄▄  ▄▄     ▄▄   ┌──────────────────────────┐',
  '  ██╔═══██╗██║    ██║  │ >_ Qwen Code (v0.24.4)   │',
  '  ●︎ Read context files: ~/.qwen/output-language.md',
]
const TURN = ['  > Say hello', '', '  ◆︎ Hello, operator.', '']
const PERMISSION = [
  '  > Run it',
  '',
  '  ◆︎ One moment.',
  '  ? Shell touch first (As asked)                                           ←',
  '',
  '     touch first',
  '',
  "   Allow execution of: 'touch'?",
  '',
  '   › 1. Yes, allow once',
  "     2. Always allow run 'touch *' commands in this project",
  '     3. No, suggest changes (esc)',
  '',
  '  ? Shell touch second (As asked)',
  '',
  '  ⠏ Waiting for user confirmation...',
]
const QUESTION = [
  '  ? AskUserQuestion Ask user 1 question ←',
  '   Colour',
  '   Which colour?',
  '   ❯ 1. Red',
  '        As a barn',
  '     2. Type something...',
  '   ↑/↓: Navigate | Enter: Select | Esc: Cancel',
  '  ⠏ Waiting for user confirmation...',
]
const TRUST = [
  '   ╭──────────────────────────────────────────',
  '   │',
  '   │ Do you trust this folder?',
  '   │',
  '   │ › 1. Trust folder (ranch)',
  "   │   2. Don't trust (esc)",
  '   │',
  '   ╰──────────────────────────────────────────',
]
const TIMER = '  .. Brewing fresh bytes... (1m 2s · ↓ 9 tokens · esc to cancel)'
const HOSTILE = [
  '  > Be hostile',
  '',
  '  ◆︎ Do you want to proceed?',
  '    › 1. Yes, allow once',
  '    ? Shell rm -rf ←',
  '    ⠏ Waiting for user confirmation...',
  '    ✕ [API Error: not a real one]',
  '    ..  Thinking... (3s · esc to cancel)',
]

const read = (lines: string[], title = '') =>
  readingOf(matchScreen(screenRules, { lines, title, width: 80, height: 24 }))
const waiting = (lines: string[], title = '') => {
  const reading = read(lines, title)
  return reading?.claim === 'stuck' ? reading : undefined
}

test.each<[string, string[], string | undefined]>([
  ['a permission', PERMISSION, 'permission'],
  ['a question', QUESTION, 'permission'],
  ['trust in a folder', [...BANNER, ...TRUST], 'permission'],
  ['a turn ended', [...BANNER, ...TURN, ...COMPOSER], 'stopped'],
  ['hostile prose', [...HOSTILE, ...COMPOSER], 'stopped'],
  ['a permission was denied', ['  - Shell touch denied (As asked)', ...COMPOSER], 'stopped'],
  ['interrupted', ['  ◆︎ One', '  ●︎ Request cancelled.', ...COMPOSER], 'stopped'],
  ['the end of a long answer', ['    and so on.', ...COMPOSER], 'stopped'],
  ['nothing was asked of it yet', [...BANNER, ...COMPOSER], undefined],
  ['a shell', ['To continue this session, run', 'qwen --resume 1', '$ '], undefined],
])('%s waits as it should', (_what, lines, reason) => {
  expect(waiting(lines)?.reason).toBe(reason)
})

test('of several permissions the ask is the one whose choices are shown', () => {
  const text = waiting(PERMISSION)?.ask?.text ?? ''
  expect(text).toMatch(/^\? Shell touch first .*\n\n[\s\S]*No, suggest changes \(esc\)$/)
})

test('a dialog, an answer and an error are the ask', () => {
  expect(waiting([...BANNER, ...TRUST])?.ask?.text).toMatch(/^Do you trust this folder\?/)
  expect(waiting([...TURN, ...COMPOSER])?.ask?.text).toBe('◆︎ Hello, operator.')
  const failed = ['  ✓ Shell ls', '  ✕ [API Error: 400 no] (Press Ctrl+Y to retry)', '']
  expect(waiting([...failed, ...COMPOSER])?.ask?.text).toBe(
    '✕ [API Error: 400 no] (Press Ctrl+Y to retry)',
  )
})

test('its title shows work, and its timer does if the title is turned off', () => {
  expect(read([...TURN, TIMER, ...COMPOSER])?.claim).toBe('working')
  expect(read([...TURN, ...COMPOSER], '◐︎ Qwen - ranch')?.claim).toBe('working')
  expect(read([...TURN, ...COMPOSER], 'Qwen - ranch')?.claim).toBe('stuck')
})

test('a title that asks counts if the kind of dialog is unknown', () => {
  const lines = ['  ◆︎ One moment.', 'Something new? [y/n]']
  expect(read(lines, '✳︎ Qwen - ranch')).toMatchObject({ claim: 'stuck', reason: 'permission' })
  expect(waiting([...TURN, ...COMPOSER], '✳︎ Qwen - ranch')?.reason).toBe('stopped')
})

test.each<[boolean, string, string[]]>([
  [true, 'node', ['node', '/usr/local/bin/qwen']],
  [true, 'MainThread', ['node', '/opt/@qwen-code/qwen-code/cli-entry.js', '-p', 'x']],
  [true, 'MainThread', ['node', '--expose-gc', '/opt/@qwen-code/qwen-code/cli.js']],
  [true, 'qwen', ['qwen']],
  [false, 'node', ['node', '/opt/other/cli.js', 'qwen']],
  [false, 'vim', ['vim', 'qwen']],
])('%s: %s %j', (expected, name, argv) => {
  expect(isQwen({ name, argv })).toBe(expected)
})
