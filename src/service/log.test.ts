import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLog } from './log.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-log-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function logged(fields: object): string {
  const file = join(dir, 'trailboss.log')
  openLog(file, 'info').warn(fields, 'warned')
  return readFileSync(file, 'utf8')
}

test('a line keeps every character, and none is raw that a terminal obeys or hides', () => {
  const reason = 'a\u007f\u0085\u009b31m\u202e\u2066\u200f\u{e0041}\u{e007f}\u001b[2Jb'
  const line = logged({ reason })
  expect(line).toMatch(/^[\n -~]+$/)
  expect(JSON.parse(line)).toMatchObject({ reason, msg: 'warned' })
})

test('a line has no secrets, by their shape or by their name', () => {
  const line = logged({ reason: 'bad password=hunter2', nested: { token: 'a1b2c3d4e5f6' }, n: 1 })
  expect(JSON.parse(line)).toMatchObject({
    reason: 'bad password=[redacted]',
    nested: { token: '[redacted]' },
    n: 1,
  })
})
