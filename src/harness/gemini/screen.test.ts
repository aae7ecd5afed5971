import { describe, expect, test } from 'vitest'
import { recordedScreens } from '../../../test/support/recorded-screens.ts'
import type { Screen } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { readingOf } from '../screen/screen-reading.ts'
import { isGemini } from './adapter.ts'
import { screenRules } from './screen.ts'

const recorded = recordedScreens('gemini', '0.61.0')

/** A stalled screen still shows work: only further looks show that it does not move. */
const CLAIMS: Record<string, string | undefined> = {
  waiting: 'stuck',
  working: 'working',
  stalled: 'working',
  finished: undefined,
}

/** A pane of twelve rows shows nothing of the conversation, only the title does. */
const tall = recorded.filter(([, { height }]) => height > 12)

describe.each([
  ['with its title', (screen: Screen) => screen, recorded],
  ['with its title turned off', (screen: Screen) => ({ ...screen, title: '' }), tall],
])('a recorded screen %s', (_how, withTitle, screens) => {
  test.each(screens)('%s', (_name, { state, reason, note, ...screen }) => {
    const reading = readingOf(matchScreen(screenRules, withTitle(screen)))
    expect(reading?.claim, note).toBe(CLAIMS[state])
    if (reading?.claim === 'stuck') expect(reading.reason, note).toBe(reason)
  })
})

test.each([
  ['trust in a folder', /^Do you trust the files in this folder\?/],
  ['a command, under hostile prose', /^\? Shell {2}npm test -- --watch=false\n/],
  ['an edit', /- line 60 of the notes\n[\s\S]*\+ line sixty of the notes/],
  ['a question', /Which colour\?\n\n● 1\. {2}Red, as a barn/],
  ['a request failed', /^✕ \[API Error: .*"no such\s+model"|^ℹ This request failed\./],
  ['a permission was denied', /^ℹ Request cancelled\.$/],
  ['a turn ended', /^✦ (?:Hello\. )?All is well here\.$/],
])('%s: the ask is on the screen', (note, text) => {
  const screens = tall.filter(([, one]) => one.note === note)
  expect(screens.length).toBeGreaterThan(0)
  for (const [, screen] of screens) {
    expect(readingOf(matchScreen(screenRules, screen))).toMatchObject({
      ask: { text: expect.stringMatching(text) },
    })
  }
})

const COMPOSER = [
  '─'.repeat(80),
  ' Shift+Tab to accept edits',
  '▄'.repeat(80),
  ' >   Type your message or @path/to/file',
  '▀'.repeat(80),
  ' /home/op/ranch         no sandbox         gemini-2.5-flash',
]
const BOX = [`╭${'─'.repeat(78)}╮`, `│${' '.repeat(78)}│`, `╰${'─'.repeat(78)}╯`]
const CHOICE = `│ ● 1. Allow once${' '.repeat(63)}│`
const shown = (lines: string[], title = '') =>
  matchScreen(screenRules, { lines, title, width: 80, height: 24 })?.shows

test('a box without a choice, or with a shell prompt below it, is no dialog', () => {
  const dialog = BOX.toSpliced(1, 0, CHOICE)
  expect(shown(dialog)).toBe('dialog')
  expect(shown(BOX)).toBeUndefined()
  expect(shown([...dialog, '$ '])).toBeUndefined()
  expect(shown([...dialog, ...COMPOSER])).not.toBe('dialog')
})

test('if its hooks have overwritten the spinner, the title still shows that it works', () => {
  const lines = ['✦ One moment.', '? for shortcutsks: trailboss, trailboss (e', ...COMPOSER]
  expect(shown(lines, '✦  Working… (ranch)')).toBe('working')
  expect(shown(lines, '⏲  Working… (ranch)')).toBe('working')
  expect(shown(lines, '◇  Ready (ranch)')).toBe('idle')
})

test('a title that asks counts if the kind of dialog is unknown', () => {
  expect(shown(['✦ One moment.', 'Something new? [y/n]'], '✋  Action Required (ranch)')).toBe(
    'dialog',
  )
})

test('a title that says Ready counts after work if there is no room for text', () => {
  const ready = { lines: COMPOSER, title: '◇  Ready (ranch)', width: 80, height: 12 }
  expect(matchScreen(screenRules, ready)).toMatchObject({ shows: 'idle', isAlsoAtStart: true })
  expect(matchScreen(screenRules, { ...ready, title: '' })).toBeUndefined()
})

test('the end of a long answer counts as one, and a warning at the start does not', () => {
  const long = Array.from({ length: 9 }, (_, n) => `  line ${n} of the notes`)
  expect(shown([...long, ...COMPOSER])).toBe('idle')
  const warning = ['⚠  Warning: Limited color support detected', '   elements may not render.']
  expect(shown([...warning, ...COMPOSER])).toBeUndefined()
})

test('an empty composer that never got a prompt waits for nothing', () => {
  const lines = [
    ' ▝▜▄     Gemini CLI v0.61.0',
    'ℹ Initializing... Prompts will be queued.',
    ...COMPOSER,
  ]
  const screen = { lines, title: '◇  Ready (ranch)', width: 80, height: 24 }
  expect(matchScreen(screenRules, screen)).toBeUndefined()
})

test.each<[boolean, string, string[]]>([
  [true, 'node', ['node', '/usr/local/bin/gemini']],
  [true, 'MainThread', ['node', '/opt/lib/node_modules/@google/gemini-cli/bundle/gemini.js', '-p']],
  [true, 'node', ['node', '--max-old-space-size=4096', '/opt/@google/gemini-cli/dist/index.js']],
  [true, 'gemini', ['gemini']],
  [false, 'node', ['node', '/opt/other/index.js', 'gemini']],
  [false, 'node', ['node']],
  [false, 'vim', ['vim', 'gemini']],
  [false, 'grep', ['grep', '-r', '/usr/bin/gemini']],
])('%s: %s %j', (expected, name, argv) => {
  expect(isGemini({ name, argv })).toBe(expected)
})
