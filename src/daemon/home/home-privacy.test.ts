import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Paths, resolvePaths } from '../../config/paths.ts'
import { HomePrivacy } from './home-privacy.ts'

let paths: Paths
let warned: string[]
beforeEach(() => {
  warned = []
  paths = resolvePaths({ TRAILBOSS_HOME: mkdtempSync(join(tmpdir(), 'tb-home-')) })
})
afterEach(() => rmSync(paths.home, { recursive: true, force: true }))

const lookAt = (): HomePrivacy => {
  const privacy = new HomePrivacy(paths, { warned: (warning) => warned.push(warning) })
  privacy.look()
  return privacy
}

const isVouchedFor = (): boolean =>
  existsSync(paths.checkedMark) &&
  statSync(paths.checkedMark).mtimeMs > statSync(paths.home).mtimeMs

/** Backdates everything: times in the same moment do not show what came first. */
function age(): void {
  utimesSync(paths.home, 2, 2)
  if (existsSync(paths.checkedMark)) utimesSync(paths.checkedMark, 1, 1)
}

test('a private home is marked again after something in it changed', () => {
  lookAt()
  age()
  lookAt()
  expect(isVouchedFor()).toBe(true)
  expect(statSync(paths.checkedMark)).toMatchObject({ size: 0 })
  expect(statSync(paths.checkedMark).mode & 0o777).toBe(0o600)
})

test('a mark that is still valid is left alone', () => {
  writeFileSync(paths.checkedMark, '')
  utimesSync(paths.home, 1, 1)
  utimesSync(paths.checkedMark, 2, 2)
  lookAt()
  expect(statSync(paths.checkedMark).mtimeMs).toBe(2_000)
})

test('a home that others can enter is closed and marked, with a warning that stays', () => {
  lookAt()
  age()
  chmodSync(paths.home, 0o755)
  const privacy = lookAt()
  expect(statSync(paths.home).mode & 0o777).toBe(0o700)
  expect(isVouchedFor()).toBe(true)
  const [warning] = privacy.warnings()
  expect(warning).toMatch(/ was open to other users \(mode 755\) at .*; Trail Boss closed it/)
  expect(warned).toEqual([warning])
  privacy.look()
  expect(privacy.warnings()).toEqual([warning])
  expect(warned).toHaveLength(1)
})

test('a home that is opened again is closed again; the latest warning stays', () => {
  const privacy = lookAt()
  for (const mode of [0o755, 0o770]) {
    chmodSync(paths.home, mode)
    privacy.look()
  }
  expect(privacy.warnings()).toEqual([expect.stringContaining('mode 770')])
  expect(warned).toHaveLength(2)
})

test('if the mode cannot be changed, it warns for as long as others can enter', () => {
  const close = (): void => {
    throw new Error('read-only file system')
  }
  const privacy = new HomePrivacy(paths, { warned: (warning) => warned.push(warning), close })
  chmodSync(paths.home, 0o710)
  for (let look = 1; look <= 2; look += 1) privacy.look()
  expect(existsSync(paths.checkedMark)).toBe(false)
  expect(privacy.warnings()).toEqual([
    `Other users can enter ${paths.home} (mode 710), and Trail Boss cannot close it (read-only file system): hooks are ignored until you do. Close it with: chmod 700 '${paths.home}'`,
  ])
  expect(warned).toHaveLength(1)
  chmodSync(paths.home, 0o700)
  expect(privacy.warnings()).toEqual([])
  expect(existsSync(paths.checkedMark)).toBe(true)
})

test('a home that anybody could replace is never marked, and it warns for as long as that is so', () => {
  const open = paths.home
  paths = resolvePaths({ TRAILBOSS_HOME: join(open, 'home') })
  mkdirSync(paths.home, { mode: 0o700 })
  chmodSync(open, 0o777)
  const privacy = lookAt()
  expect(existsSync(paths.checkedMark)).toBe(false)
  expect(privacy.warnings()).toEqual([
    expect.stringContaining(`Every user can write to ${open}, so anybody could replace`),
  ])
  chmodSync(open, 0o700)
  expect(privacy.warnings()).toEqual([])
  expect(existsSync(paths.checkedMark)).toBe(true)
  paths = resolvePaths({ TRAILBOSS_HOME: open })
})

test('a link in place of the mark is not written through', () => {
  const victim = join(paths.home, 'victim')
  writeFileSync(victim, 'untouched')
  symlinkSync(victim, paths.checkedMark)
  const later = Date.now() / 1_000 + 60
  utimesSync(paths.home, later, later)
  expect(lookAt).toThrow()
  expect(statSync(victim).size).toBe(9)
})
