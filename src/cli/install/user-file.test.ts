import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  type FSWatcher,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import {
  readUserFile,
  removeLeftovers,
  removeUserFile,
  requireWritable,
  writeUserFile,
} from './user-file.ts'

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

test.runIf(process.getuid?.() === 0)('a file that belongs to another user keeps its owner', () => {
  writeFileSync(at('theirs'), 'old')
  chownSync(at('theirs'), 12_345, 12_346)
  chmodSync(at('theirs'), 0o600)
  writeUserFile(readUserFile(at('theirs')), Buffer.from('new'))
  expect(lstatSync(at('theirs'))).toMatchObject({ uid: 12_345, gid: 12_346 })
  expect(lstatSync(at('theirs')).mode & 0o777).toBe(0o600)
})

test('anything but a file is refused at once', () => {
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

describe('what a killed write left', () => {
  const leave = (name: string, ageMs = 120_000) => {
    writeFileSync(at(name), 'half')
    const then = new Date(Date.now() - ageMs)
    utimesSync(at(name), then, then)
  }

  test('has a recognisable name', async () => {
    const names = new Set<string | null>()
    using _watcher = closing(watch(dir, (_event, name) => names.add(name)))
    writeUserFile(readUserFile(at('file')), Buffer.from('new'))
    await waitFor(() => [...names].filter((name) => name !== 'file'), {
      what: 'the temporary file to be seen',
      until: (seen) => seen.some((name) => /^\.file\.trailboss-[\da-f]{12}$/.test(name ?? '')),
    })
  })

  test('is removed, including beside the target of a symlink', () => {
    writeFileSync(at('real'), 'old')
    symlinkSync('real', at('link'))
    leave('.real.trailboss-0123456789ab')
    expect(removeLeftovers(at('link'))).toEqual([at('.real.trailboss-0123456789ab')])
    expect(readdirSync(dir)).toEqual(['link', 'real'])
    expect(removeLeftovers(at('no-such-directory/file'))).toEqual([])
  })

  test("differs from somebody else's file, and from a write in progress", () => {
    const others = [
      '.file.0123456789ab',
      '.file.trailboss-0123456789abc',
      '.file.trailboss-0123456789AB',
      '.file.trailboss-backup',
      '.file2.trailboss-0123456789ab',
      'file.trailboss-0123456789ab',
    ]
    for (const name of others) leave(name)
    leave('.file.trailboss-111111111111', 30_000)
    mkdirSync(at('.file.trailboss-222222222222'))
    symlinkSync('/etc/passwd', at('.file.trailboss-333333333333'))
    if (process.getuid?.() === 0) {
      leave('.file.trailboss-444444444444')
      chownSync(at('.file.trailboss-444444444444'), 12_345, 12_346)
    }
    const before = readdirSync(dir)
    expect(removeLeftovers(at('file'))).toEqual([])
    expect(readdirSync(dir)).toEqual(before)
  })
})

function closing(watcher: FSWatcher): Disposable {
  return { [Symbol.dispose]: () => watcher.close() }
}

test('a symlink in a circle is reported', () => {
  symlinkSync('b', at('a'))
  symlinkSync('a', at('b'))
  expect(() => readUserFile(at('a'))).toThrow(/leads in a circle/)
})

test('a file that its owner made read-only is refused, even for root', () => {
  writeFileSync(at('file'), 'theirs')
  requireWritable(readUserFile(at('file')))
  requireWritable(readUserFile(at('none')))
  chmodSync(at('file'), 0o444)
  expect(() => requireWritable(readUserFile(at('file')))).toThrow(/is read-only/)
})
