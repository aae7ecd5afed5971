import { expect, test } from 'vitest'
import { endsOnScreen } from './last-words.ts'
import { screenOf } from './screen.ts'

const SCREEN = screenOf(
  ['> Fix it.', '', '• The fence is fixed. It was bro', '  ken in two places.', '', '> '].join(
    '\n',
  ),
)

test.each([
  ['the same', 'The fence is fixed. It was broken in two places.'],
  ['in Markdown', '**The fence** is fixed.\n\nIt was `broken` in _two_ places.'],
  ['longer than the screen', `${'All that was before. '.repeat(100)}It was broken in two places.`],
])('the end of a message is found if it is %s', (_, words) => {
  expect(endsOnScreen(words, SCREEN)).toBe(true)
})

test.each([
  ['something else', 'The gate is painted.'],
  ['only the beginning of it', 'The fence is fixed. It was broken in two places, and in a third.'],
  ['nothing', ''],
  ['no word', '… ✓'],
])('it is not found if it was %s', (_, words) => {
  expect(endsOnScreen(words, SCREEN)).toBe(false)
})
