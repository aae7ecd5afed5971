import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasHooks, obstacles, settingsPath } from './claude-settings.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-settings-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

const write = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

test('the settings are those of the user, of a project or of a plugin', () => {
  const env = { HOME: '/home/op' }
  expect(settingsPath({}, env)).toBe('/home/op/.claude/settings.json')
  expect(settingsPath({}, { ...env, CLAUDE_CONFIG_DIR: '/c' })).toBe('/c/settings.json')
  expect(settingsPath({ project: dir }, env)).toBe(join(dir, '.claude', 'settings.json'))
  const local = join(dir, '.claude', 'settings.local.json')
  expect(settingsPath({ project: dir, local: true }, env)).toBe(local)
  expect(settingsPath({ plugin: '/p' }, env)).toBe('/p/hooks/hooks.json')
})

test('what keeps hooks from being run is said, whoever set it', () => {
  const user = write('settings.json', '\ufeff{"disableAllHooks": true}')
  const managed = write('managed.json', '{"allowManagedHooksOnly": true, "disableAllHooks": false}')
  expect(obstacles([user, user], managed)).toEqual([
    `Claude Code runs no hooks: "disableAllHooks" is true in ${user}`,
    `Claude Code runs no hooks of yours: "allowManagedHooksOnly" is true in ${managed}`,
  ])
  const others = ['{"allowManagedHooksOnly": true}', '{"disableAllHooks": "yes"}', '{', '7']
  const files = others.map((text, index) => write(`${index}.json`, text))
  expect(obstacles(files, join(dir, 'none'))).toEqual([])
})

test('a file that cannot be read has no hooks of ours', () => {
  expect(hasHooks(dir)).toBe(false)
  expect(hasHooks(write('broken.json', '{'))).toBe(false)
  const hooks = '{"hooks":{"Stop":[{"hooks":[{"command":"trailboss-emit claude-code"}]}]}}'
  expect(hasHooks(write('ours.json', hooks))).toBe(true)
})
