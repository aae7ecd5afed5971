import { beforeAll, expect, test } from 'vitest'
import { loadGraphemes } from '../../text/columns.ts'
import { frameDiff } from './frame.ts'

beforeAll(loadGraphemes)

test('writes every line of a first frame in its place', () => {
  expect(frameDiff([], ['ab', 'cd'])).toBe('\u001b[1;1Hab\u001b[2;1Hcd')
})

test('writes only the lines that changed', () => {
  expect(frameDiff(['ab', 'cd', 'ef'], ['ab', 'xy', 'ef'])).toBe('\u001b[2;1Hxy')
  expect(frameDiff(['ab'], ['ab'])).toBe('')
})

test('leaves text alone if all terminals agree on its width', () => {
  const line = '\u001b[1m▸ größer\u001b[0m │ 漢字 한글 かな ─…'
  expect(frameDiff([], [line])).toBe(`\u001b[1;1H${line}`)
})

test('sets the cursor after each cluster whose width terminals disagree on', () => {
  expect(frameDiff([], ['a⚠️b'])).toBe('\u001b[1;1Ha  \u001b[2G⚠️\u001b[4Gb')
  expect(frameDiff([], ['漢\u001b[7m👨‍👩‍👧x\u001b[0m'])).toBe(
    '\u001b[1;1H漢\u001b[7m  \u001b[3G👨‍👩‍👧\u001b[5Gx\u001b[0m',
  )
})
