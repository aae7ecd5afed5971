import { expect, test } from 'vitest'
import { compareLooks, stillTitle } from './likeness.ts'
import type { Screen } from './screen.ts'

const screen = (lines: string[], more: Partial<Screen> = {}): Screen => ({
  lines,
  title: 'proj',
  width: 80,
  height: 24,
  ...more,
})
const compare = (before: string, after: string) =>
  compareLooks(screen(['● One moment.', before]), screen(['● One moment.', after]))

test('the same lines are identical, wherever the cursor is', () => {
  const cursor = { x: 1, y: 2, visible: true }
  expect(compareLooks(screen(['a'], { cursor }), screen(['a']))).toBe('identical')
})

test.each([
  ['braille', '⠋ Installing', '⠹ Installing'],
  ['stars', '✻ Pondering…', '✽ Pondering…'],
  ['a dot', '· Pondering…', '✢ Pondering…'],
  ['an asterisk', '* Pondering…', '✶ Pondering…'],
  ['a quarter circle', '◐ medium', '◓ medium'],
  ['a bar', 'building |', 'building /'],
  ['a bar in brackets', '[-] building', '[\\] building'],
  ['a running light', '⬝⬝■■■⬝ esc', '■■⬝⬝⬝⬝ esc'],
  ['a blinking bullet', '● Bash(sleep 9)', '  Bash(sleep 9)'],
  ['dots', 'Working.', 'Working...'],
  ['seconds', '(12s · esc to interrupt)', '(13s · esc to interrupt)'],
  ['minutes', '(59s • esc)', '(1m 03s • esc)'],
  ['hours', 'for 59m 59s', 'for 1h 0m 0s'],
  ['words', 'waited 9 seconds', 'waited 10 seconds'],
  ['a stopwatch', 'elapsed 0:42', 'elapsed 0:43'],
  ['a clock', 'Sun 20:13:22', 'Sun 20:13:37'],
  ['a clock with noon', '8:05 PM', '8:06 PM'],
  ['tokens', '(↓ 1.2k tokens · esc)', '(↓ 1.4k tokens · esc)'],
  ['many tokens', '9,812 tokens', '10,044 tokens'],
  ['an arrow', '↑ 812', '↑ 1.1k'],
  ['all at once', '✻ Pondering… (9s · ↑ 90 tokens)', '✢ Pondering… (1m 2s · ↓ 2k tokens)'],
  ['a drawn cursor', '> █', '>'],
])('only %s moves: it spins', (_, before, after) => {
  expect(compare(before, after)).toBe('spinning')
  expect(compare(after, before)).toBe('spinning')
})

test.each([
  ['a percentage', 'copied 41%', 'copied 42%'],
  ['a bar that fills', '[###   ]', '[####  ]'],
  ['a counter', '[12/340] main.o', '[13/340] main.o'],
  ['a version', 'node v24.1.0', 'node v24.2.0'],
  ['a place', 'src/a.ts:12:3', 'src/a.ts:13:3'],
  ['a word', '✻ Pondering…', '✻ Retrying…'],
  ['a milestone', 'took 12ms', 'took 13ms'],
])('%s is a change', (_, before, after) => {
  expect(compare(before, after)).toBe('changed')
})

test('a hint that comes and goes beside the spinner is no change', () => {
  const before = screen(['✻ Pondering…', '  ⎿  Tip: press ? for help'])
  expect(compareLooks(before, screen(['✽ Pondering…']))).toBe('spinning')
})

test('a screen that keeps little of what it showed has scrolled far', () => {
  const lines = (from: number) => Array.from({ length: 20 }, (_, n) => `compiling file ${from + n}`)
  expect(compareLooks(screen(lines(0)), screen(lines(5)))).toBe('changed')
  expect(compareLooks(screen(lines(0)), screen(lines(40)))).toBe('scrolled-far')
})

test('a few new lines on an empty screen are a change', () => {
  expect(compareLooks(screen([]), screen(['a', 'b']))).toBe('changed')
})

test('a title that only spins is the same title', () => {
  expect(stillTitle('⠋ fix the tests')).toBe(stillTitle('⠹ fix the tests'))
  expect(stillTitle('[ ! ] Action Required | x')).toBe(stillTitle('[ . ] Action Required | x'))
  expect(stillTitle('✦  Working… (proj)')).not.toBe(stillTitle('✋  Action Required (proj)'))
  expect(compareLooks(screen([], { title: '⠋ a' }), screen([], { title: '⠹ a' }))).toBe('spinning')
  expect(compareLooks(screen([], { title: 'a' }), screen([], { title: 'b' }))).toBe('changed')
})

test('a line of any length is compared to its end', () => {
  expect(compare(`${'x'.repeat(5_000)}a`, `${'x'.repeat(5_000)}b`)).toBe('changed')
})
