import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Site } from '../../wiring/wiring.ts'
import { hasHooks, obstacles, settingsPath } from './settings.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-settings-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

const site: Site = {
  env: {},
  home: '/home/op',
  emitter: { program: '/opt/trailboss-emit' },
  launcher: '/opt/trailboss',
  read: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  peek: () => undefined,
  before: () => undefined,
  note: () => undefined,
}

const write = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

test("the settings are the user's, a project's or a plugin's", () => {
  expect(settingsPath({}, site)).toBe('/home/op/.claude/settings.json')
  expect(settingsPath({}, { ...site, env: { CLAUDE_CONFIG_DIR: '/c' } })).toBe('/c/settings.json')
  expect(settingsPath({ project: dir }, site)).toBe(join(dir, '.claude', 'settings.json'))
  const local = join(dir, '.claude', 'settings.local.json')
  expect(settingsPath({ project: dir, local: true }, site)).toBe(local)
  expect(settingsPath({ plugin: '/p' }, site)).toBe('/p/hooks/hooks.json')
})

test('anything that keeps hooks from running is reported, whoever set it', () => {
  const user = write('settings.json', '\ufeff{"disableAllHooks": true}')
  const managed = write('managed.json', '{"allowManagedHooksOnly": true, "disableAllHooks": false}')
  expect(obstacles([user, user], site, managed)).toEqual([
    `Claude Code runs no hooks: "disableAllHooks" is true in ${user}`,
    `Claude Code runs no hooks of yours: "allowManagedHooksOnly" is true in ${managed}`,
  ])
  const others = ['{"allowManagedHooksOnly": true}', '{"disableAllHooks": "yes"}', '{', '7']
  const files = others.map((text, index) => write(`${index}.json`, text))
  expect(obstacles(files, site, join(dir, 'none'))).toEqual([])
})

test('a file that cannot be read has no hooks of ours', () => {
  expect(hasHooks(dir, site)).toBe(false)
  expect(hasHooks(write('broken.json', '{'), site)).toBe(false)
  const hooks = '{"hooks":{"Stop":[{"hooks":[{"command":"trailboss-emit claude-code"}]}]}}'
  expect(hasHooks(write('ours.json', hooks), site)).toBe(true)
})
