import { describe, expect, test } from 'vitest'
import { SECRET_SAMPLES } from '../../../test/support/secret-samples.ts'
import { redactedScreen } from './redaction.ts'

const wrapped = (text: string, columns: number) =>
  text
    .split('\n')
    .flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''])
    .map((line) => line.trimEnd())
    .join('\n')

describe.each([24, 37])('on a screen that is known to have %i columns', (columns) => {
  // tmux shows no space at the end of a line, so what comes after one there cannot be joined.
  const samples = SECRET_SAMPLES.filter(({ text }) =>
    wrapped(text, columns)
      .split('\n')
      .every((line) => line.length !== columns - 1),
  )

  test.each(samples)('$kind is redacted', ({ text, secret }) => {
    const clean = redactedScreen(wrapped(`$ ls\n${text}\nGo on? [y/N]`, columns), columns)
    const joined = clean.replaceAll('\n', '')
    expect(joined).not.toContain(secret.slice(-8))
    // Where the secret fills its last line, the next word cannot be told from it.
    expect(clean).toMatch(/^\$ ls\n[\s\S]* on\? \[y\/N\]$/)
    expect(redactedScreen(clean, columns)).toBe(clean)
  })
})

/** As a composer of 80 columns shows it: wrapped by the program itself, in the middle of words, and indented. */
function inComposer(line: string): string {
  const rows = line.match(/.{1,78}/g) ?? []
  const rule = '─'.repeat(80)
  return [rule, ...rows.map((row, at) => `${at === 0 ? '❯' : ' '} ${row}`), rule].join('\n')
}

/** Each way in which that program may wrap it, but where a space is at the end of a row: it may be part of the text or not. */
const inEveryPlace = SECRET_SAMPLES.filter(
  ({ text, isLine }) => !isLine && !text.includes('\n'),
).map((sample) => ({
  ...sample,
  screens: Array.from(
    { length: 78 },
    (_, at) => `${'word '.repeat(16).slice(0, at)} ; ${sample.text} ; and so on`,
  )
    .filter((line) => ![77, 78, 155, 156].some((at) => line[at] === ' '))
    .map(inComposer),
}))

test.each(inEveryPlace)('$kind is redacted wherever a composer wraps it', ({ secret, screens }) => {
  for (const screen of screens) {
    const shown = redactedScreen(screen).replaceAll(/\n {2}|\n/g, '')
    expect(shown).not.toContain(secret)
  }
})

test('a secret at the end of the longest line is whole there', () => {
  const key = `npm_${'a1B2c3'.repeat(6)}`
  expect(redactedScreen(`Run with ${key}\nGo on?`)).toBe('Run with [redacted]\nGo on?')
})

describe('a name at the end of a line', () => {
  test.each([
    [
      '  var password string =\n   "hunter2" ; next',
      '  var password string =\n   "[redacted]" ; next',
    ],
    ['│ Enter your API key: │\n│ > k-3f9a2b7c5d1e │', '│ Enter your API key: │\n│ > [redacted] │'],
    ['$ tool --user ana --password\n  hunter2', '$ tool --user ana --password\n  [redacted]'],
    ['curl -u\n  ana:pa55word https://a', 'curl -u\n  ana:[redacted] https://a'],
  ])('names what begins the next one: %j', (shown, kept) => {
    expect(redactedScreen(shown)).toBe(kept)
    expect(redactedScreen(kept)).toBe(kept)
  })

  test.each([
    'Enter your password:\n\n  Esc to cancel',
    'password:\n  secretKeyRef:\n    name: db',
    'It has no token\nand 3 files were changed in v1.2.3',
    'Reset the password?\n❯ 1. Yes\n  2. No',
    'git log --oneline\n67a3a7a feat(qwen): an adapter',
  ])('says nothing of other words: %j', (shown) => {
    expect(redactedScreen(shown)).toBe(shown)
  })
})

describe('the middle of a private key', () => {
  const line = (seed: number) =>
    Array.from({ length: 64 }, (_, at) => 'aB3dE5gH7jK9mN1pQ'[(at * 7 + seed) % 17]).join('')
  const part = [1, 2, 3, 4].map(line)

  test('is redacted, in a frame too', () => {
    expect(redactedScreen(['top', ...part, '(END)'].join('\n'))).toBe('top\n[redacted]\n(END)')
    const framed = part.map((one) => `│ ${one} │`)
    expect(redactedScreen(['top', ...framed, 'end'].join('\n'))).toBe('top\n[redacted]\nend')
  })

  test('is not what a certificate has', () => {
    const certificate = ['-----BEGIN CERTIFICATE-----', ...part, '-----END CERTIFICATE-----']
    expect(redactedScreen(certificate.join('\n'))).toBe(certificate.join('\n'))
  })

  test('is not what hashes are', () => {
    const hashes = [1, 2, 3].map((n) => `${n}${'4973aa0c1d2e3f40'.repeat(4)}`.slice(0, 64))
    expect(redactedScreen(hashes.join('\n'))).toBe(hashes.join('\n'))
  })
})
