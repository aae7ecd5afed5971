import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { screenOf } from '../../core/screen/screen.ts'
import { matchScreen } from '../../core/screen/screen-match.ts'
import { readingOf, type ScreenReading } from '../screen/screen-reading.ts'
import { isClaudeCode, screenRules } from './screen.ts'

function readScreen(text: string): ScreenReading | undefined {
  return readingOf(matchScreen(screenRules, screenOf(text)))
}

function recorded(name: string): string {
  const file = `../../../test/fixtures/claude-code/2.1.325/screens/${name}.txt`
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

function everyLine(): string[] {
  const screens = new URL('../../../test/fixtures/claude-code/2.1.325/screens/', import.meta.url)
  const texts = readdirSync(screens).map((file) => readFileSync(new URL(file, screens), 'utf8'))
  return [...new Set(texts.flatMap((text) => text.split('\n')))]
}

describe('a dialog that waits for the human', () => {
  test.each([
    ['startup-trust', 'Accessing workspace:\n\n/home/op/proj\n\nQuick safety', '❯ No, exit'],
    ['startup-api-key', 'Detected a custom API key in your environment', '❯ No (recommended)'],
    ['startup-settings-warning', 'Settings Warning', '❯ 1. Continue'],
    ['startup-onboarding', '', 'Choose the text style'],
    ['permission-bash', 'Bash command\nAs asked\n\ntouch q\n\nDo you', '?\n❯ 1. Yes'],
    ['permission-edit', 'Edit file\nw.txt\n\n1 -one', 'Do you want to make this edit to w.txt?'],
    ['permission-write', 'Create file\nw.txt', 'Do you want to create w.txt?'],
    ['permission-mcp', 'Tool use', 'ranch — Note Tool: (MCP)'],
    ['subagent-permission', 'Bash command · from the general-purpose agent', 'touch beta'],
    ['question', '☐ Choice\n\nWhich way?\n\n❯ 1. North', '4. Chat about this'],
    ['plan', 'Ready to code?\n\nHere is Claude', '1. Saddle up'],
    ['plan-short', 'Exit plan mode?', '2. No'],
    ['elicitation', 'MCP server “ranch” requests your input', 'Which horse for the long ride?'],
    ['model-dialog', 'Select model', '❯ 1. Default (recommended)'],
  ])('%s', (name, start, within) => {
    const reading = readScreen(recorded(name))
    expect(reading).toMatchObject({ claim: 'stuck', reason: 'permission' })
    const text = reading?.claim === 'stuck' ? reading.ask?.text : ''
    expect(text).toContain(within)
    expect(text?.slice(0, start.length)).toBe(start)
  })
})

describe('no dialog', () => {
  test.each([
    ['startup-done', undefined],
    ['background-shell', 'stuck'],
    ['api-error-400', 'stuck'],
    ['subagent-running-after-stop', 'working'],
    ['retrying-500', 'working'],
  ])('%s', (name, claim) => {
    const reading = readScreen(recorded(name))
    expect(reading?.claim).toBe(claim)
    expect(reading && 'reason' in reading ? reading.reason : 'stopped').toBe('stopped')
  })

  test("an agent's own text is never taken for one", () => {
    const idle = recorded('api-error-400')
    const prose = recorded('permission-bash').trimEnd()
    expect(readScreen(`${prose}\n${idle}`)).toMatchObject({ reason: 'stopped' })
  })

  test('nor is any text above the composer, and it never turns work into a wait', () => {
    const written = fc.array(fc.oneof(fc.constantFrom(...everyLine()), fc.string()))
    const idle = recorded('background-shell')
    const working = recorded('working')
    fc.assert(
      fc.property(written, (lines) => {
        const prose = lines.join('\n')
        expect(readScreen(`${prose}\n${idle}`)).not.toMatchObject({ reason: 'permission' })
        expect(readScreen(`${prose}\n${working}`)).toMatchObject({ claim: 'working' })
      }),
      { numRuns: 300 },
    )
  })

  test('nor is the text of a dialog that an agent quotes in its last words', () => {
    const quoted = recorded('permission-bash').trimEnd().split('\n').slice(-14).join('\n')
    const idle = recorded('background-shell')
    const screen = idle.replace('● Started in background.', `● It asks:\n${quoted}`)
    expect(readScreen(screen)).toMatchObject({ reason: 'stopped' })
  })

  test.each(['', '\n\n\n', '$ ', '❯ claude', '❯ ls\nEsc', 'x'.repeat(10_000), '─'.repeat(5_000)])(
    '%j',
    (screen) => {
      expect(readScreen(screen)).toBeUndefined()
    },
  )

  test('keys below a composer, and choices without a rule above them, are none', () => {
    const composer = recorded('startup-done').trimEnd()
    expect(readScreen(` ❯ 1. Yes\n${composer}\n  Esc to cancel`)).toBeUndefined()
    expect(readScreen('said\n ❯ 1. Yes\n   2. No')).toBeUndefined()
  })

  test('a composer left far up does not hide a dialog below', () => {
    const [dialog = ''] = recorded('permission-bash')
      .trimEnd()
      .split(/^(?=─{20})/m)
      .slice(-1)
    const left = `${recorded('background-shell')}${'said\n'.repeat(10)}`
    expect(readScreen(`${left}${dialog}`)).toMatchObject({ reason: 'permission' })
  })

  test('a dialog from before the program drew its screen is none', () => {
    const left = `${recorded('permission-bash').trimEnd()}\n$ claude`
    expect(readScreen(left)).toBeUndefined()
  })

  test.each([
    ['api-error-400', '● API Error: 400 scripted 400'],
    ['api-error-401', '● Please run /login · API Error: 401 scripted 401'],
    ['api-error-529', /^● API Error: 529 .*gateway\n {2}\(127\.0\.0\.1:35877\)\.$/],
  ])('%s is what it stopped with', (name, text) => {
    const ask = { text: typeof text === 'string' ? text : expect.stringMatching(text) }
    expect(readScreen(recorded(name))).toMatchObject({ reason: 'stopped', ask })
  })

  test('work shows how to interrupt it', () => {
    const screen = '● Reading\n✻ Thinking… (3s · esc to interrupt)\n────────────────────────\n❯\n'
    expect(readScreen(screen)).toMatchObject({ claim: 'working' })
  })

  test('what it leaves on the screen when it exits does not wait', () => {
    const rule = '─'.repeat(80)
    const composer = `${rule}\n❯ /exit\n${rule}`
    const left = `● Bye.\n\n${composer}\n  ❯ /exit   Exit the CLI\n\nResume this session with:\nclaude --resume 5e55\n`
    expect(matchScreen(screenRules, screenOf(`${left}$`))).toMatchObject({ shows: 'finished' })
    const again = `${left}$ claude\n● Hello.\n\n${composer}\n  ? for shortcuts`
    expect(readScreen(again)).toMatchObject({ claim: 'stuck', reason: 'stopped' })
  })

  test('an agent that quotes how to interrupt it in its last words does not work', () => {
    const rule = '─'.repeat(80)
    const said = '● It says:\n  ✻ Working… (esc to interrupt · 3s)\n\n✻ Cooked for 0s'
    const screen = `${said}\n\n${rule}\n❯\n${rule}\n  ⏸ manual mode on · ? for shortcuts`
    expect(readScreen(screen)).toMatchObject({ claim: 'stuck', reason: 'stopped' })
  })
})

test('the program is recognised by its name, or by the version it is installed as', () => {
  expect(['claude', '2.1.325', 'node', 'claude-x', 'vim'].filter(isClaudeCode)).toEqual([
    'claude',
    '2.1.325',
  ])
})
