import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hooksHomePerTest, snapshot, writeText } from '../support/install/hooks-home.ts'

const it = hooksHomePerTest()

/** Each target with a directory and a file that an install makes in it. */
const TARGETS = [
  ['claude-code', '.claude', 'settings.json'],
  ['codex', '.codex', 'config.toml'],
  ['gemini', '.gemini', 'settings.json'],
  ['opencode', '.config/opencode', 'trailboss.js'],
  ['qwen', '.qwen', 'settings.json'],
] as const

const install = (target: string, ...args: string[]) =>
  it.trailboss('install', target, '--yes', ...args)
const uninstall = (target: string, ...args: string[]) =>
  it.trailboss('uninstall', target, '--yes', ...args)

describe('a directory', () => {
  test.each(TARGETS)('of %s that was there and empty stays', async (target, dir, file) => {
    mkdirSync(join(it.home, dir), { recursive: true })
    const before = snapshot(it.home)
    expect(await install(target)).toMatchObject({ code: 0 })
    expect(existsSync(join(it.home, dir, file))).toBe(true)
    expect(await uninstall(target)).toMatchObject({ code: 0 })
    expect(snapshot(it.home)).toEqual(before)
  })

  test.each(TARGETS)('of %s that install made goes', async (target, dir) => {
    expect(await install(target)).toMatchObject({ code: 0 })
    expect(await install(target)).toMatchObject({ code: 0 })
    expect(existsSync(join(it.home, dir))).toBe(true)
    expect(await uninstall(target)).toMatchObject({ code: 0 })
    expect(readdirSync(it.home)).toEqual([])
  })

  test('around one that install made stays when it was there', async () => {
    mkdirSync(join(it.home, '.config'))
    await install('opencode')
    await uninstall('opencode')
    expect(snapshot(it.home)).toEqual({ '.config': expect.anything() })
  })

  test('that install made stays with what others have put into it', async () => {
    await install('codex')
    writeText(join(it.home, '.codex', 'history.jsonl'), '{}\n')
    await uninstall('codex')
    expect(readdirSync(join(it.home, '.codex'))).toEqual(['history.jsonl'])
  })

  test('of a project goes with the last of its files, and one of a plugin whole', async () => {
    const project = join(it.dir, 'project')
    mkdirSync(project)
    await install('claude-code', '--project', project)
    await install('claude-code', '--project', project, '--local')
    await uninstall('claude-code', '--project', project, '--local')
    expect(existsSync(join(project, '.claude', 'settings.json'))).toBe(true)
    await uninstall('claude-code', '--project', project)
    expect(readdirSync(project)).toEqual([])

    const plugin = join(it.dir, 'plugins', 'ours')
    await install('claude-code', '--plugin', plugin)
    await uninstall('claude-code', '--plugin', plugin)
    expect(existsSync(dirname(plugin))).toBe(false)
  })

  test('of which an install was killed goes with an uninstall', async () => {
    await install('codex')
    for (const name of ['config.toml', 'hooks.json']) {
      rmSync(join(it.home, '.codex', name))
      leave(leftover(join(it.home, '.codex', name)))
    }
    const { stdout } = await uninstall('codex')
    expect(stdout).toContain('Not installed')
    expect(readdirSync(it.home)).toEqual([])
  })
})

describe('what a killed command has left beside a file', () => {
  test.each([
    ...TARGETS.map(([target, dir, file]) => [target, join(dir, file)] as const),
    ['tmux', '.tmux.conf'] as const,
  ])('of %s goes with the next install and with the next uninstall', async (target, path) => {
    const file = join(it.home, path)
    const left = [file, `${file}.trailboss-backup`].map(leftover)
    for (const command of [install, uninstall, uninstall]) {
      for (const one of left) leave(one)
      const { code, stderr } = await command(target)
      expect(code).toBe(0)
      for (const one of left) {
        expect(stderr).toContain(`Removed ${one}, which a command that was killed had left.`)
        expect(existsSync(one)).toBe(false)
      }
    }
  })
})

function leftover(path: string): string {
  return join(dirname(path), `.${path.slice(dirname(path).length + 1)}.trailboss-0123456789ab`)
}

function leave(path: string): void {
  writeText(path, 'half of it', 0o600)
  const then = new Date(Date.now() - 120_000)
  utimesSync(path, then, then)
}
