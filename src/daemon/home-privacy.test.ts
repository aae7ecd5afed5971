import {
  chmodSync,
  existsSync,
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
import { type Paths, resolvePaths } from '../config/paths.ts'
import { vouchForHome } from './home.ts'

let paths: Paths
beforeEach(() => {
  paths = resolvePaths({ TRAILBOSS_HOME: mkdtempSync(join(tmpdir(), 'tb-home-')) })
})
afterEach(() => rmSync(paths.home, { recursive: true, force: true }))

const isVouchedFor = (): boolean =>
  existsSync(paths.checkedMark) &&
  statSync(paths.checkedMark).mtimeMs > statSync(paths.home).mtimeMs

/** As if all of it had happened a while ago: times of the same moment do not tell what was first. */
function age(): void {
  utimesSync(paths.home, 2, 2)
  if (existsSync(paths.checkedMark)) utimesSync(paths.checkedMark, 1, 1)
}

test('a private home is vouched for again after something changed in it', () => {
  vouchForHome(paths)
  age()
  vouchForHome(paths)
  expect(isVouchedFor()).toBe(true)
  expect(statSync(paths.checkedMark)).toMatchObject({ size: 0 })
  expect(statSync(paths.checkedMark).mode & 0o777).toBe(0o600)
})

test('a mark that still counts is let be', () => {
  writeFileSync(paths.checkedMark, '')
  utimesSync(paths.home, 1, 1)
  utimesSync(paths.checkedMark, 2, 2)
  vouchForHome(paths)
  expect(statSync(paths.checkedMark).mtimeMs).toBe(2_000)
})

test('nobody vouches for a home that others can enter', () => {
  vouchForHome(paths)
  age()
  chmodSync(paths.home, 0o710)
  vouchForHome(paths)
  expect(isVouchedFor()).toBe(false)
})

test('a link in the place of the mark is not written through', () => {
  const victim = join(paths.home, 'victim')
  writeFileSync(victim, 'untouched')
  symlinkSync(victim, paths.checkedMark)
  const later = Date.now() / 1_000 + 60
  utimesSync(paths.home, later, later)
  expect(() => vouchForHome(paths)).toThrow()
  expect(statSync(victim).size).toBe(9)
})
