import { describe, expect, test } from 'vitest'
import { type RecordedScreen, recordedScreens } from '../../../test/support/recorded-screens.ts'
import { screenOf } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { screenRules } from './screen.ts'

const RECORDED = recordedScreens('codex', '0.166.0')
const sightOf = (screen: RecordedScreen) => matchScreen(screenRules, screen)

/** A screen that was stopped in the middle of something shows work. */
function expected({ state, reason }: RecordedScreen): string[] {
  if (state === 'waiting') return reason === 'permission' ? ['dialog'] : ['idle', 'failed']
  return [state === 'stalled' ? 'working' : state]
}

describe('a recorded screen of Codex', () => {
  test.each(RECORDED)('%s', (_, recorded) => {
    expect(expected(recorded), recorded.note).toContain(sightOf(recorded)?.shows)
  })

  test('is also recognised without its title, except while an answer comes in', () => {
    for (const [name, recorded] of RECORDED) {
      if (/comes in|in an answer/.test(recorded.note)) continue
      expect(expected(recorded), name).toContain(sightOf({ ...recorded, title: '' })?.shows)
    }
  })
})

describe('what it asks', () => {
  const askOf = (note: string) => {
    const [, recorded] = RECORDED.find(([, one]) => one.note === note) ?? []
    return recorded && sightOf(recorded)?.ask
  }

  test('is the whole dialog', () => {
    expect(askOf('a command of many lines')).toMatch(
      /^Would you like to run the following command\?[\s\S]*Reason: Many steps[\s\S]*echo step 12[\s\S]*Press enter to confirm or esc to cancel$/,
    )
    expect(askOf('a question')).toMatch(/Which colour\?[\s\S]*1\. Red/)
  })

  test('is the error, without the composer', () => {
    expect(askOf('a request failed')).toMatch(/^■ .*no such model.*$/)
  })
})

const FOOTER = '\n  gpt-5 default · ~/proj · Mend it\n  ? for shortcuts'
const screen = (text: string, title = 'Mend it | proj') =>
  matchScreen(screenRules, screenOf(`${text}\n\n› Ask Codex to do anything${FOOTER}`, { title }))

describe('what an agent writes', () => {
  test.each([
    ['  Press enter to confirm or esc to cancel', 'idle'],
    ['  › 1. Yes, proceed (y)\n  Press enter to confirm or esc to cancel', 'idle'],
    ['  ■ Conversation interrupted', 'idle'],
    ['  • Working (3s • esc to interrupt)', 'idle'],
    ['  To continue this session, run:\n    codex resume 01a1', 'idle'],
  ])('%j is not taken for anything else', (prose, shows) => {
    const over = `› Go on\n\n• This is what I mean:\n\n${prose}\n\n  Worked for 3s • 12:00`
    expect(screen(over)?.shows).toBe(shows)
    const coming = `› Go on\n\n• This is what I mean:\n\n${prose}`
    expect(screen(coming, '⠹ Mend it | proj')?.shows).toBe('working')
  })

  test('does not end a turn by saying so', () => {
    const coming = '› Go on\n\n• It said:\n\n  Worked for 3s • 12:00\n  and then'
    expect(screen(coming, '⠹ Mend it | proj')?.shows).toBe('working')
  })

  test('with a title that looks like work does not hide the end of a turn', () => {
    const over = '› Go on\n\n• Done.\n\n  Worked for 3s • 12:00'
    expect(screen(over, '⠹ a title that a model made | proj')?.shows).toBe('idle')
  })
})

test('a dialog in a narrow pane has its keys in two lines', () => {
  const dialog =
    '› Go on\n\n  Run it?\n\n› 1. Yes (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to\n  cancel'
  expect(matchScreen(screenRules, screenOf(dialog))).toMatchObject({ shows: 'dialog' })
})

test('a session that never got a prompt waits for nothing', () => {
  expect(screen('  >_ OpenAI Codex (v0.166.0)\n     ~/proj', 'proj')).toBeUndefined()
})
