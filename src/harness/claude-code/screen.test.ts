import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isClaudeCode, readScreen } from './screen.ts'

function recorded(name: string): string {
  const file = `../../../test/fixtures/claude-code/2.1.325/screens/${name}.txt`
  return readFileSync(new URL(file, import.meta.url), 'utf8')
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

  test('what an agent writes is never taken for one', () => {
    const idle = recorded('api-error-400')
    const prose = recorded('permission-bash').trimEnd()
    expect(readScreen(`${prose}\n${idle}`)).toMatchObject({ reason: 'stopped' })
  })

  test.each(['', '\n\n\n', '$ ', '❯ claude', '❯ ls\nEsc', 'x'.repeat(10_000), '─'.repeat(5_000)])(
    '%j',
    (screen) => {
      expect(readScreen(screen)).toBeUndefined()
    },
  )

  test('a dialog that was left on the screen before the program drew is none', () => {
    const left = `${recorded('permission-bash').trimEnd()}\n$ claude`
    expect(readScreen(left)).toBeUndefined()
  })

  test('work shows how to interrupt it', () => {
    const screen = '● Reading\n✻ Thinking… (3s · esc to interrupt)\n────────────────────────\n❯\n'
    expect(readScreen(screen)).toMatchObject({ claim: 'working' })
  })
})

test('the program is known by its name, or by the version it is installed as', () => {
  expect(['claude', '2.1.325', 'node', 'claude-x', 'vim'].filter(isClaudeCode)).toEqual([
    'claude',
    '2.1.325',
  ])
})
