import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Check } from '../../harness/wiring/check.ts'
import { type Disk, diskChecks } from './disk.ts'
import type { Surroundings } from './surroundings.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tb-disk-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const MB = 1024 * 1024
const plenty: Disk = { write: () => {}, freeBytes: () => 900 * MB }
const check = (disk?: Partial<Disk>, database = join(home, 'trailboss.db')): Promise<Check[]> => {
  const surroundings = { paths: { home, database } } as unknown as Surroundings
  return diskChecks(surroundings, disk && { ...plenty, ...disk })
}
const failing = (code: string): Partial<Disk> => ({
  write: () => {
    throw Object.assign(new Error(`${code}: refused, write`), { code })
  },
})

test('a writable disk is fine, and the check leaves nothing on it', async () => {
  const [only, ...more] = await check({})
  expect(more).toEqual([])
  expect(only).toMatchObject({ name: 'disk', status: 'ok', mend: null })
  await check()
  expect(readdirSync(home)).toEqual([])
})

test('the test file is beside the database', async () => {
  const tried: string[] = []
  await check({ write: (file) => tried.push(dirname(file)) })
  expect(tried).toEqual([home])
})

test.runIf(process.getuid?.() !== 0)('a directory without access is broken', async () => {
  for (const mode of [0o500, 0o000]) {
    chmodSync(home, mode)
    expect(await check()).toMatchObject([
      { status: 'broken', mend: expect.stringMatching(/ls -ld/) },
    ])
  }
  chmodSync(home, 0o700)
})

test.each([
  ['ENOSPC', /is full/, /df -h .*df -i/],
  ['EDQUOT', /quota/, /Remove files of yours/],
  ['EROFS', /only be read/, /remount/],
  ['EACCES', /not let you write/, /ls -ld/],
  ['EIO', /EIO: refused, write/, /dmesg/],
])('%s is broken, with what it means and what to do', async (code, detail, mend) => {
  const [only, ...more] = await check(failing(code))
  expect(more).toEqual([])
  expect(only).toMatchObject({ name: 'disk', status: 'broken' })
  expect(only?.detail).toMatch(detail)
  expect(only?.detail).toContain(home)
  expect(only?.detail).toMatch(/no event can be stored/)
  expect(only?.mend).toMatch(mend)
})

test('what a failed attempt left behind is removed', async () => {
  const tried: string[] = []
  await check({
    write: (file) => {
      tried.push(file)
      writeFileSync(file, 'half')
      throw Object.assign(new Error('ENOSPC: no space left on device, fsync'), { code: 'ENOSPC' })
    },
  })
  expect(tried.map((file) => existsSync(file))).toEqual([false])
})

test('little space is a warning that says how much is left', async () => {
  const [only] = await check({ freeBytes: () => 49.9 * MB })
  expect(only).toMatchObject({ name: 'disk', status: 'warning' })
  expect(only?.detail).toMatch(/only 49 MB are left/)
  expect(await check({ freeBytes: () => 50 * MB })).toMatchObject([{ status: 'ok' }])
})

test('a file system that does not report its free space is accepted', async () => {
  expect(await check({ freeBytes: () => undefined })).toMatchObject([{ status: 'ok' }])
})

test('a home that does not exist yet is left to its own check', async () => {
  expect(await check(undefined, join(home, 'later', 'trailboss.db'))).toEqual([])
})
