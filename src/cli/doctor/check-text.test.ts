import { expect, test } from 'vitest'
import { broken, ok } from '../../harness/wiring/check.ts'
import { checkText } from './check-text.ts'

const found = broken(
  'live queue',
  'the daemon tells /tmp/tmux-1000/default nothing: it does not know this server',
  'Make it known: run trailboss jump-next there, and look whether the count comes back',
)

test('lines break between words, and continue in their column', () => {
  expect(`\n${checkText(found, { width: 60 })}`).toMatchInlineSnapshot(`
    "
      ✗ live queue      the daemon tells /tmp/tmux-1000/default
                        nothing: it does not know this server
                        → Make it known: run trailboss jump-next
                          there, and look whether the count
                          comes back"
  `)
})

test('a name that is too long for its column gets its own line', () => {
  const text = checkText(ok('a harness with a name', 'in good order'), { width: 60 })
  expect(text).toBe(`  ✓ a harness with a name\n${' '.repeat(20)}in good order`)
})

test('without a width, lines are not wrapped', () => {
  expect(checkText(found, {}).split('\n')).toHaveLength(2)
})

test('whatever the width, no line is wider unless a single word is', () => {
  for (const width of [30, 40, 60, 80, 120, 200]) {
    const lines = checkText(found, { width }).split('\n')
    const tooWide = lines.filter((line) => line.length > width && /[^✗→\s] \S/.test(line))
    expect(tooWide).toEqual([])
  }
})

test('hostile text in it is harmless', () => {
  const check = ok('\u001b[2Jhome', 'a\u001b]0;pwn\u0007b\nc')
  expect(checkText(check, { width: 80 })).toBe(`  ✓ home${' '.repeat(12)}ab c`)
})

test('the mark and the arrow have the colour of the result', () => {
  const paint = (tone: string, text: string) => `<${tone}>${text}</>`
  expect(checkText(found, { paint })).toMatch(
    /^ {2}<bad>✗<\/> <heading>live queue<\/> .*\n +<bad>→<\/> Make/,
  )
})
