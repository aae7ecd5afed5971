import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { GitPlaces } from './git-place.ts'

let dir: string
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'tb-git-')))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function git(cwd: string, ...args: string[]): void {
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ GIT_AUTHOR_NAME: 'op', GIT_AUTHOR_EMAIL: 'op@localhost' },
    ...{ GIT_COMMITTER_NAME: 'op', GIT_COMMITTER_EMAIL: 'op@localhost' },
  }
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], { cwd, env, stdio: 'pipe' })
}

function repository(name: string): string {
  const path = join(dir, name)
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q', '-b', 'main')
  git(path, 'commit', '-q', '--allow-empty', '-m', 'one')
  return path
}

const placeOf = (cwd: string, home?: string) => new GitPlaces(home).read(cwd)

describe('a directory in a repository', () => {
  test('has its name and branch, however deep it is', async () => {
    const api = repository('api')
    mkdirSync(join(api, 'src', 'deep'), { recursive: true })
    expect(await placeOf(join(api, 'src', 'deep'))).toEqual({ project: 'api', branch: 'main' })
  })

  test('has the name of the main one in a linked worktree', async () => {
    const api = repository('api')
    git(api, 'worktree', 'add', '-q', '-b', 'fix/login', join(dir, 'api-2'))
    mkdirSync(join(dir, 'api-2', 'src'))
    const place = { project: 'api', branch: 'fix/login', worktree: 'api-2' }
    expect(await placeOf(join(dir, 'api-2', 'src'))).toEqual(place)
  })

  test.each([
    ['shop.git', 'shop'],
    ['shop/.bare', 'shop'],
  ])(
    'has the name of the bare repository %s that its worktree belongs to',
    async (bare, project) => {
      const api = repository('api')
      git(dir, 'clone', '-q', '--bare', api, join(dir, bare))
      git(join(dir, bare), 'worktree', 'add', '-q', join(dir, 'trees', 'main'), 'main')
      const place = { project, branch: 'main', worktree: 'main' }
      expect(await placeOf(join(dir, 'trees', 'main'))).toEqual(place)
      expect((await placeOf(join(dir, bare))).branch).toBeUndefined()
    },
  )

  test('is a submodule of its own name', async () => {
    const lib = repository('lib')
    const app = repository('app')
    git(app, 'submodule', 'add', '-q', lib, 'vendor/parts')
    expect(await placeOf(join(app, 'vendor/parts'))).toEqual({ project: 'parts', branch: 'main' })
  })

  test('has the start of the commit if no branch is checked out', async () => {
    const api = repository('api')
    git(api, 'checkout', '-q', '--detach')
    expect(await placeOf(api)).toEqual({
      project: 'api',
      branch: expect.stringMatching(/^[0-9a-f]{7}$/),
    })
  })

  test('has its branch before the first commit, and with packed refs', async () => {
    const api = repository('api')
    git(api, 'pack-refs', '--all')
    expect((await placeOf(api)).branch).toBe('main')
    git(api, 'checkout', '-q', '--orphan', 'fresh')
    expect((await placeOf(api)).branch).toBe('fresh')
  })

  test('is not in the repository of the whole home', async () => {
    const home = repository('op')
    mkdirSync(join(home, 'notes'))
    expect(await placeOf(join(home, 'notes'), home)).toEqual({ project: 'notes' })
    expect(await placeOf(home, home)).toEqual({ project: 'op', branch: 'main' })
    git(join(home, 'notes'), 'init', '-q', '-b', 'draft')
    expect(await placeOf(join(home, 'notes'), home)).toEqual({ project: 'notes', branch: 'draft' })
  })

  test('is recognised through a link', async () => {
    symlinkSync(repository('api'), join(dir, 'link'))
    expect((await placeOf(join(dir, 'link'))).branch).toBe('main')
  })
})

describe('what cannot be read is left out', () => {
  const bare = () => {
    const path = join(dir, 'api')
    mkdirSync(path, { recursive: true })
    return path
  }

  test('outside of any repository, and in a directory that is gone', async () => {
    expect(await placeOf(bare())).toEqual({ project: 'api' })
    expect(await placeOf(join(dir, 'gone', 'notes'))).toEqual({ project: 'notes' })
    expect(await placeOf('/')).toEqual({})
  })

  test('a repository without a HEAD is none', async () => {
    const api = repository('api')
    mkdirSync(join(api, 'inner', '.git'), { recursive: true })
    expect(await placeOf(join(api, 'inner'))).toEqual({ project: 'api', branch: 'main' })
    unlinkSync(join(api, '.git', 'HEAD'))
    expect(await placeOf(join(api, 'inner'))).toEqual({ project: 'inner' })
  })

  test('a worktree whose repository is gone has no branch', async () => {
    const api = repository('api')
    git(api, 'worktree', 'add', '-q', '-b', 'fix', join(dir, 'api-2'))
    rmSync(api, { recursive: true })
    expect(await placeOf(join(dir, 'api-2'))).toEqual({ project: 'api-2' })
  })

  test('a FIFO, a loop of links, and a file that names itself do not hold anybody up', async () => {
    const path = bare()
    execFileSync('mkfifo', [join(path, '.git')])
    expect(await placeOf(path)).toEqual({ project: 'api' })
    unlinkSync(join(path, '.git'))
    symlinkSync(join(path, '.git'), join(path, '.git'))
    expect(await placeOf(path)).toEqual({ project: 'api' })
    unlinkSync(join(path, '.git'))
    writeFileSync(join(path, '.git'), 'gitdir: .git\n')
    expect(await placeOf(path)).toEqual({ project: 'api' })
    rmSync(join(path, '.git'))
    mkdirSync(join(path, '.git'))
    execFileSync('mkfifo', [join(path, '.git', 'HEAD')])
    expect(await placeOf(path)).toEqual({ project: 'api' })
  })

  test.each([
    ['nothing', ''],
    ['noise', 'hello'],
    ['another store of refs', 'ref: refs/heads/.invalid\n'],
    ['a file that is too large', `ref: refs/heads/${'x'.repeat(70_000)}\n`],
  ])('a HEAD with %s has no branch', async (_, head) => {
    const path = bare()
    mkdirSync(join(path, '.git'))
    writeFileSync(join(path, '.git', 'HEAD'), head)
    expect(await placeOf(path)).toEqual({ project: 'api' })
  })

  test('a hostile name is short and plain', async () => {
    const path = join(dir, 'a\u001b[31m\u202epi')
    mkdirSync(join(path, '.git'), { recursive: true })
    writeFileSync(
      join(path, '.git', 'HEAD'),
      `ref: refs/heads/\u001b]0;x\u0007a\u0000b${'c'.repeat(10_000)}`,
    )
    const { project, branch } = await placeOf(path)
    expect(project).toBe('api')
    expect(branch).toMatch(/^abc+…$/)
    expect(branch?.length).toBeLessThanOrEqual(200)
  })

  test('a secret in a name is redacted', async () => {
    const path = bare()
    mkdirSync(join(path, '.git'))
    writeFileSync(join(path, '.git', 'HEAD'), `ref: refs/heads/ghp_${'a1B2'.repeat(9)}\n`)
    expect((await placeOf(path)).branch).toContain('[redacted]')
  })
})

describe('what is known', () => {
  test('is the name of the directory at first, and the rest as soon as it is read', async () => {
    const api = repository('api')
    mkdirSync(join(api, 'src'))
    let changes = 0
    const places = new GitPlaces(undefined, () => (changes += 1))
    expect(places.placeOf(join(api, 'src'))).toEqual({ project: 'src' })
    await vi.waitFor(() => expect(changes).toBe(1))
    expect(places.placeOf(join(api, 'src'))).toEqual({ project: 'api', branch: 'main' })
  })

  test('is as it is now for whoever waits for it, however old it was', async () => {
    const api = repository('api')
    let now = 0
    const places = new GitPlaces(undefined, undefined, () => now)
    await places.freshen([api], 60_000)
    expect(places.placeOf(api).branch).toBe('main')
    git(api, 'checkout', '-q', '-b', 'next')
    now = 20_000
    await places.freshen([api], 60_000)
    expect(places.placeOf(api).branch).toBe('next')
  })

  test('is looked at again after a second, and found again after ten', async () => {
    const api = repository('api')
    let now = 0
    const places = new GitPlaces(undefined, undefined, () => now)
    const branch = () => places.placeOf(api).branch
    await vi.waitFor(() => expect(branch()).toBe('main'))
    git(api, 'checkout', '-q', '-b', 'next')
    now = 999
    await new Promise(setImmediate)
    expect(branch()).toBe('main')
    now = 1_000
    await vi.waitFor(() => expect(branch()).toBe('next'))

    mkdirSync(join(api, 'inner'))
    const inner = () => places.placeOf(join(api, 'inner')).project
    await vi.waitFor(() => expect(inner()).toBe('api'))
    git(join(api, 'inner'), 'init', '-q')
    now = 10_999
    expect(await places.read(join(api, 'inner'))).toMatchObject({ project: 'api' })
    now = 12_000
    await vi.waitFor(() => expect(inner()).toBe('inner'))
  })

  test('is forgotten when it is too much, and read again when it is needed', async () => {
    const api = repository('api')
    const places = new GitPlaces(undefined, undefined, () => 0)
    await places.read(api)
    git(api, 'checkout', '-q', '-b', 'next')
    for (let other = 0; other < 10_000; other++) await places.read(`/nowhere/${other}`)
    expect((await places.read(api)).branch).toBe('next')
  })
})
