import { describe, expect, test } from 'vitest'
import { recordedScreens } from '../../../test/support/recorded-screens.ts'
import { screenOf } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { screenRules } from './screen.ts'

const recorded = recordedScreens('opencode', '1.18.33')

describe('the recorded screens of opencode', () => {
  test.each(recorded)('%s', (_name, screen) => {
    const shows = matchScreen(screenRules, screen)?.shows
    if (screen.state === 'finished') expect([undefined, 'finished']).toContain(shows)
    else if (screen.state !== 'waiting') expect(shows).toBe('working')
    else if (screen.reason === 'permission') expect(shows).toBe('dialog')
    else if (!/failed/.test(screen.note)) expect(shows).toBe('idle')
    // In a pane of twelve rows the error is above the top.
    else if (screen.height <= 12) expect(['failed', 'idle']).toContain(shows)
    else expect(shows).toBe('failed')
  })

  const asks = recorded.filter(([, { reason }]) => reason === 'permission')
  test.each(asks)('its ask: %s', (_name, screen) => {
    const ask = matchScreen(screenRules, screen)?.ask ?? ''
    const wanted: [RegExp, RegExp][] = [
      [/always/, /^△ Always allow\n[\s\S]*- make all(?:-\d+)? \*$/],
      [
        /a command/,
        /^△ Permission required\n +# Shell command\n\n?\$ (?:npm test -- --watch=false|touch fed)/,
      ],
      [/a new file/, /^△ Permission required\n +→ Edit notes/],
      [/a question/, /Which colour\?[\s\S]*Red, as a barn/],
      [/a subagent/, /\$ ls there/],
    ]
    const [, pattern] = wanted.find(([note]) => note.test(screen.note)) ?? []
    expect(ask).toMatch(pattern ?? /never/)
    expect(ask).not.toMatch(/Allow once|enter con|▣/)
  })

  const ends = recorded.filter(([, { note }]) => /a turn ended|denied|interrupted/.test(note))
  test.each(ends)('its last message: %s', (_name, screen) => {
    const ask = matchScreen(screenRules, screen)?.ask
    if (/interrupted/.test(screen.note)) return expect(ask).toBeUndefined()
    const wanted = /hostile/.test(screen.note)
      ? /^Do you want to proceed\?\n[\s\S]*retrying in 2s\.$/
      : /denied/.test(screen.note)
        ? /^One moment\.\n\n\$ [^\n]+$/
        : /^(?:Hello\. )?All is well here\.$/
    expect(ask).toMatch(wanted)
  })

  test('there are recordings of every state', () => {
    const states = new Set(recorded.map(([, { state }]) => state))
    expect(states).toEqual(new Set(['waiting', 'working', 'stalled', 'finished']))
  })
})

const UNDER = `  ╹${'▀'.repeat(60)}`
const COMPOSER = `  ┃\n  ┃\n  ┃\n  ┃  Build · Herd Stub\n${UNDER}\n   ~/proj      15 (0%)  ctrl+p commands`
const DIALOG = [
  '  ┃',
  '  ┃  △ Permission required',
  '  ┃    # Shell command',
  '  ┃  $ touch a',
  '  ┃   Allow once   Allow always   Reject     ⇆ select  enter confirm',
  '  ┃',
].join('\n')

describe('what separates the states', () => {
  const shown = (text: string) => matchScreen(screenRules, screenOf(text))

  test('a dialog in the conversation does not count: the composer is below it', () => {
    expect(shown(DIALOG)?.shows).toBe('dialog')
    expect(shown(`${DIALOG}\n\n     ▣  Build · Herd · 1s\n\n${COMPOSER}`)?.shows).toBe('idle')
    expect(shown(`${DIALOG}\n$ ls`)?.shows).toBe('finished')
  })

  test('a block above the composer is an error if its turn has no time', () => {
    const block = (end: string) =>
      `  ┃\n  ┃  no such key\n  ┃\n\n     ▣  Build · Herd${end}\n\n${COMPOSER}`
    expect(shown(block(''))).toMatchObject({ shows: 'failed', ask: 'no such key' })
    expect(shown(block(' · 1.5s'))?.shows).toBe('idle')
    expect(shown(block(' · interrupted'))?.shows).toBe('idle')
  })

  test('a sidebar beside it changes nothing', () => {
    const aside = ' '.repeat(80)
    const failed = `  ┃\n  ┃  no such key${aside}LSP\n  ┃${aside}x\n${aside}    y\n     ▣  Build · Herd${aside}z\n${aside}    w\n${COMPOSER}`
    expect(shown(failed)?.shows).toBe('failed')
    const given = `  ┃\n  ┃  Do it${aside}LSP\n  ┃${aside}x\n${aside}    y\n${COMPOSER}`
    expect(shown(given)).toBeUndefined()
  })

  test('a prompt that was just entered is not idle yet', () => {
    const given = `     Hi.\n\n     ▣  Build · Herd · 2s\n\n  ┃\n  ┃  Do it\n  ┃\n\n${COMPOSER}`
    expect(shown(given)).toBeUndefined()
  })

  test('text about an interrupt is no work', () => {
    for (const said of ['■■■■ esc interrupt', '[retrying in 2s attempt #2]']) {
      expect(shown(`     ${said}\n\n     ▣  Build · Herd · 1s\n\n${COMPOSER}`)?.shows).toBe('idle')
    }
  })

  test('the screen before the first prompt claims nothing', () => {
    const home = `    ┃\n    ┃  Ask anything…\n    ┃\n    ┃  Build · Herd Stub\n  ${UNDER}\n      tab agents  ctrl+p commands\n  ~/proj      1.18.33`
    expect(shown(home)).toBeUndefined()
  })

  test('without animations a mark replaces the spinner', () => {
    const busy = COMPOSER.replace(/ {3}~\/proj/, '   [⋯] esc interrupt')
    expect(shown(`     Hm.\n\n${busy}`)?.shows).toBe('working')
    const again = COMPOSER.replace(/ {3}~\/proj/, '   ■■■■⬝⬝⬝⬝  esc again to interrupt')
    expect(shown(`     Hm.\n\n${again}`)?.shows).toBe('working')
  })
})
