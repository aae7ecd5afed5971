import { expect, test } from 'vitest'
import { screenOf } from './screen.ts'
import { matchScreen } from './screen-match.ts'
import type { AskCut } from './screen-rule.ts'

function askIn(text: string, ask: AskCut): string | undefined {
  const rule = { name: 'a dialog', shows: 'dialog', priority: 1, ask } as const
  return matchScreen([rule], screenOf(text))?.ask
}

const FRAMED = `
said before
╭─ Shell ──────────────────╮
│                          │
│   Allow execution of     │
│     rm -r build          │
│ ──────────────────────── │
│   ● 1. Yes               │
│     2. No                │
╰──────────────────────────╯
  esc to cancel`

test('frames are taken off, and the columns within them are kept', () => {
  expect(askIn(FRAMED, { from: [/^╭/], until: /^╰/ })).toBe(
    'Shell\n\n Allow execution of\n   rm -r build\n\n ● 1. Yes\n   2. No',
  )
  expect(askIn('┃  Permission required\n┃  ← Edit x', {})).toBe('Permission required\n← Edit x')
})

test('it begins below the last match above the mark, of the first pattern that matches', () => {
  const text = '===\nolder\n---\ntitle\n---\n> yes\n---\nkeys'
  expect(askIn(text, { mark: /^>/, below: [/^---/] })).toBe('> yes\n---\nkeys')
  expect(askIn(text, { mark: /^>/, below: [/^===/, /^---/], drop: [/^---/] })).toBe(
    'older\ntitle\n> yes\nkeys',
  )
  expect(askIn(text, { mark: /^>/, below: [/^nothing/, /^===/], last: 2 })).toBe('---\nkeys')
})

test('without a beginning, it is the whole screen', () => {
  expect(askIn('a\n\n\n\n  b', { below: [/^nothing/] })).toBe('a\n\n  b')
})

test('a screen without text has no ask', () => {
  expect(askIn('', {})).toBeUndefined()
  expect(askIn('────\n│  │', {})).toBeUndefined()
})

test('it is limited to the length of an ask', () => {
  expect(askIn(Array(399).fill('x'.repeat(900)).join('\n'), {})?.length).toBe(16_000)
})

test('a sidebar beside it is left out, measured in cells', () => {
  const text = 'It is done.         Context\n牛が一頭いる          0% used\n▀▀▀▀▀▀▀▀▀▀▀▀▀'
  expect(askIn(text, { within: /^▀/, drop: [/^▀/] })).toBe('It is done.\n牛が一頭いる')
  expect(askIn('a   b', { within: /^nothing/ })).toBe('a   b')
})
