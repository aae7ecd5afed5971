import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureToken } from './token-file.ts'

const TOKEN = 'ab'.repeat(32)

let home: string
let path: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tb-token-'))
  path = join(home, 'token')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function expectNewToken(token: string): void {
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(token).not.toBe(TOKEN)
  expect(readFileSync(path, 'utf8')).toBe(`${token}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(home)).toEqual(['token'])
}

test('the first start creates a token, and the next one keeps it', () => {
  const first = ensureToken(path)
  expect(first.replaced).toBeUndefined()
  expectNewToken(first.token)
  expect(ensureToken(path)).toEqual(first)
})

test.each([
  ['', 'is empty'],
  ['\n', 'holds no token'],
  [TOKEN.slice(1), 'holds no token'],
  [`${TOKEN}${TOKEN}`, 'holds no token'],
  ['x'.repeat(1_000_000), 'holds no token'],
])('a file with %j is replaced', (content, why) => {
  writeFileSync(path, content, { mode: 0o600 })
  const { token, replaced } = ensureToken(path)
  expect(replaced).toBe(why)
  expectNewToken(token)
})

test('a file that others can read is replaced', () => {
  writeFileSync(path, `${TOKEN}\n`)
  chmodSync(path, 0o644)
  const { token, replaced } = ensureToken(path)
  expect(replaced).toBe('is open to other users (mode 644)')
  expectNewToken(token)
})

test('a link is replaced, and its target stays as it is', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'tb-token-'))
  writeFileSync(join(elsewhere, 'victim'), 'untouched')
  symlinkSync(join(elsewhere, 'victim'), path)
  expectNewToken(ensureToken(path).token)
  expect(readFileSync(join(elsewhere, 'victim'), 'utf8')).toBe('untouched')
  rmSync(elsewhere, { recursive: true })
})

test('what a killed start left is overwritten', () => {
  writeFileSync(`${path}.new`, 'half')
  expectNewToken(ensureToken(path).token)
})

test('a directory is not removed', () => {
  mkdirSync(path)
  expect(() => ensureToken(path)).toThrow(/^.*token is not a regular file and cannot be replaced: /)
  expect(readdirSync(home)).toEqual(['token'])
})
