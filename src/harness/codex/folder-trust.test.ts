import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { trust } from './folder-trust.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-trust-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const trusting = (text: string | undefined, folder: string) =>
  trust(folder, { env: {}, home: '/home/op', read: () => text })

test('the folder itself counts, in whatever way it is written', () => {
  for (const text of [
    '[projects."/r"]\ntrust_level = "trusted"\n',
    '[projects]\n"/r" = { trust_level = "trusted" }\n',
    'projects."/r".trust_level = \'trusted\'\n',
  ]) {
    expect(trusting(text, '/r')).toBe('trusted')
    // Those below it are asked about again.
    expect(trusting(text, '/r/api')).toBe('undecided')
  }
  expect(trusting('[projects."/r"]\ntrust_level = "untrusted"\n', '/r')).toBe('distrusted')
  expect(trusting(undefined, '/r')).toBe('undecided')
  expect(trusting('[projects', '/r')).toBe('unknown')
})

test('so does the repository that it is in, and the main one of a worktree', () => {
  const repository = join(dir, 'main')
  const worktree = join(dir, 'worktree')
  for (const made of [join(repository, '.git'), join(repository, 'api'), join(worktree, 'api')]) {
    mkdirSync(made, { recursive: true })
  }
  writeFileSync(join(worktree, '.git'), `gitdir: ${repository}/.git/worktrees/worktree\n`)
  const text = `[projects."${repository}"]\ntrust_level = "trusted"\n`
  expect(trusting(text, join(repository, 'api'))).toBe('trusted')
  expect(trusting(text, join(worktree, 'api'))).toBe('trusted')
  expect(trusting(text, dir)).toBe('undecided')
  const own = `${text}[projects."${worktree}/api"]\ntrust_level = "untrusted"\n`
  expect(trusting(own, join(worktree, 'api'))).toBe('distrusted')
})
