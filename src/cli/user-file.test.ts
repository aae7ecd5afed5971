import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readUserFile, removeUserFile, requireWritable, writeUserFile } from './user-file.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-user-file-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

const at = (name: string) => join(dir, name)

test('a file is replaced through its symlink and keeps its mode', () => {
  writeFileSync(at('real'), 'old')
  chmodSync(at('real'), 0o640)
  symlinkSync('real', at('link'))
  writeUserFile(readUserFile(at('link')), Buffer.from('new'))
  expect(readFileSync(at('real'), 'utf8')).toBe('new')
  expect(lstatSync(at('real')).mode & 0o777).toBe(0o640)
  expect(readdirSync(dir)).toEqual(['link', 'real'])
})

test.runIf(process.getuid?.() === 0)('a file of somebody else stays theirs', () => {
  writeFileSync(at('theirs'), 'old')
  chownSync(at('theirs'), 12_345, 12_346)
  chmodSync(at('theirs'), 0o600)
  writeUserFile(readUserFile(at('theirs')), Buffer.from('new'))
  expect(lstatSync(at('theirs'))).toMatchObject({ uid: 12_345, gid: 12_346 })
  expect(lstatSync(at('theirs')).mode & 0o777).toBe(0o600)
})

test('what is no file is refused at once', () => {
  execFileSync('mkfifo', [at('fifo')])
  symlinkSync('/dev/zero', at('zero'))
  for (const name of ['fifo', 'zero']) {
    expect(() => readUserFile(at(name))).toThrow('is not a regular file')
  }
})

test('a file that changed since it was read is neither written nor removed', () => {
  writeFileSync(at('file'), 'old')
  const file = readUserFile(at('file'))
  writeFileSync(at('file'), 'edited')
  expect(() => writeUserFile(file, Buffer.from('new'))).toThrow(/changed in the meantime/)
  expect(() => removeUserFile(file)).toThrow(/changed in the meantime/)
  expect(readFileSync(at('file'), 'utf8')).toBe('edited')
})

test('a file that has appeared since is not overwritten', () => {
  const file = readUserFile(at('file'))
  writeFileSync(at('file'), 'theirs')
  expect(() => writeUserFile(file, Buffer.from('new'))).toThrow(/changed in the meantime/)
})

test('a write that fails leaves nothing behind', () => {
  const file = readUserFile(at('no-such-directory/file'))
  expect(() => writeUserFile(file, Buffer.from('new'))).toThrow(/cannot be written/)
  expect(readdirSync(dir)).toEqual([])
})

test('a symlink in a circle is told', () => {
  symlinkSync('b', at('a'))
  symlinkSync('a', at('b'))
  expect(() => readUserFile(at('a'))).toThrow(/leads in a circle/)
})

test('a file that its owner made read-only is refused, to root too', () => {
  writeFileSync(at('file'), 'theirs')
  requireWritable(readUserFile(at('file')))
  requireWritable(readUserFile(at('none')))
  chmodSync(at('file'), 0o444)
  expect(() => requireWritable(readUserFile(at('file')))).toThrow(/is read-only/)
})
