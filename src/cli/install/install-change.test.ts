import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeDirectory, removeMade } from './install-change.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-install-change-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

test.each([
  ['absolute', (path: string) => path],
  ['relative', (path: string) => relative(process.cwd(), path)],
  ['long-winded', (path: string) => `${path}/../c/.//`],
])('only directories that we created get a marker, by an %s path', (_how, written) => {
  mkdirSync(join(dir, 'a'))
  makeDirectory(written(join(dir, 'a', 'b', 'c')))
  const signed = (...path: string[]) => existsSync(join(dir, ...path, '.trailboss-made'))
  expect([signed('a', 'b', 'c'), signed('a', 'b')]).toEqual([true, true])
  expect([signed('a'), signed()]).toEqual([false, false])
  removeMade([join(dir, 'a', 'b', 'c')])
  expect(readdirSync(dir, { recursive: true })).toEqual(['a'])
})
