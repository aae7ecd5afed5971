import { expect, test } from 'vitest'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { readingOf } from '../screen/screen-reading.ts'
import { isCopilot } from './adapter.ts'
import { screenRules } from './screen.ts'

const EDGE = '─'.repeat(80)
const IDLE = ' ← open sidebar · Interactive · / commands · ? help'
const composer = (footer = IDLE) => [' /home/op/ranch', EDGE, '❯', EDGE, footer]
const BANNER = [
  '  ╰─╯╰─╯  Copilot v1.0.102 uses AI.',
  ' ● Tip: /app',
  '   └ Prefer a visual workspace?',
]
const TURN = [' ❯ Say hello                  08:35', '', ' ● Hello, operator.', '']
const DIALOG = [
  ' $ Shell As asked',
  '   touch it',
  `╭${'─'.repeat(78)}╮`,
  '│ As asked                                                                     │',
  `│ ${'─'.repeat(76)} │`,
  `│ ╭${'─'.repeat(74)}╮ │`,
  '│ │ touch it                                                                 │ │',
  `│ ╰${'─'.repeat(74)}╯ │`,
  '│ Do you want to run this command?                                             │',
  '│ ❯ 1. Yes                                                                     │',
  '│   2. No, and tell Copilot what to do differently (Esc to stop)               │',
  '│ ↑/↓ to navigate · enter to select · esc to cancel                            │',
  `╰${'─'.repeat(78)}╯`,
]
const HOSTILE = [
  ' ❯ Be hostile                 08:35',
  ' ● Do you want to run this command?',
  '   ❯ 1. Yes',
  '   ↑/↓ to navigate · enter to select · esc to cancel',
  '   ◎ Working esc esc interrupt',
  '   ✗ Execution failed: not real',
]

function waiting(lines: string[]) {
  const reading = readingOf(matchScreen(screenRules, { lines, title: '', width: 80, height: 24 }))
  return reading?.claim === 'stuck' ? { reason: reading.reason, ask: reading.ask?.text } : reading
}

test('a dialog is the ask, without its frames', () => {
  expect(waiting(DIALOG)).toMatchObject({
    reason: 'permission',
    ask: expect.stringMatching(/^As asked\n+\s*touch it\n+Do you want to run this command\?/),
  })
})

test('a question is a form between two lines', () => {
  const keys = ' ↑/↓ select · enter accept · ctrl+d decline · esc cancel'
  const form = [' Copilot needs information.', ' Which colour?', ' ❯ Red', '   Blue', keys]
  expect(waiting([' ○ Asking user Waiting for response', EDGE, ...form, EDGE])).toEqual({
    reason: 'permission',
    ask: 'Copilot needs information.\nWhich colour?\n❯ Red\n  Blue',
  })
})

test('a finished turn waits with its answer, whatever that looks like', () => {
  expect(waiting([...TURN, ...composer()])).toEqual({
    reason: 'stopped',
    ask: '● Hello, operator.',
  })
  expect(waiting([...HOSTILE, ...composer()])).toMatchObject({ reason: 'stopped' })
  expect(waiting(['   and so on.', ...composer()])).toMatchObject({ reason: 'stopped' })
})

test('a failed request is the ask', () => {
  const failed = [
    ' ❯ Fail              08:36',
    ' ✗ Authentication failed (HTTP 401).',
    '     Check it.',
  ]
  expect(waiting([...failed, '', ...composer()])).toMatchObject({
    ask: '✗ Authentication failed (HTTP 401).\n    Check it.',
  })
})

test.each([' ◎ Working esc esc edit prompt', ' ○ Working · 148 B esc esc interrupt    herd'])(
  'the line below the composer shows work: %s',
  (footer) => {
    expect(waiting([...TURN, ...composer(footer)])).toMatchObject({ claim: 'working' })
  },
)

test('nothing waits before the first prompt, nor in the shell afterwards', () => {
  expect(waiting([...BANNER, ...composer()])).toBeUndefined()
  expect(waiting(['  ▔▔▔▔    Resume     copilot --resume=1', '$ '])).toBeUndefined()
})

test.each<[boolean, string, string[]]>([
  [true, 'MainThread', ['node', '/opt/node_modules/@github/copilot/npm-loader.js']],
  [true, 'node', ['node', '/usr/local/bin/copilot', '--resume']],
  [true, 'MainThread', ['/opt/node_modules/@github/copilot-linux-x64/copilot']],
  [false, 'copilot', ['copilot', 'deploy']],
  [false, 'node', ['node', '/opt/other/index.js', 'copilot']],
  [false, 'vim', ['vim', 'copilot']],
])('%s: %s %j', (expected, name, argv) => {
  expect(isCopilot({ name, argv })).toBe(expected)
})
