import { expect, test } from 'vitest'
import { type Config, defaultConfig } from './config.ts'
import { changedSettings } from './config-drift.ts'

const having = (more: Partial<Config>): Config => ({ ...defaultConfig(), ...more })

test('a setting that differs is named, also one that was added or removed', () => {
  expect(changedSettings(defaultConfig(), defaultConfig())).toEqual([])
  expect(changedSettings(defaultConfig(), having({ port: 1, logLevel: 'warn' }))).toEqual([
    'port',
    'logLevel',
  ])
  expect(changedSettings(having({ tmuxSocket: '/tmp/a' }), defaultConfig())).toEqual(['tmuxSocket'])
})

test('the order of keys does not matter, the order of a list does', () => {
  const env = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '1']))
  const ranch = (more: object) =>
    having({ workspaces: { ranch: more } as unknown as Config['workspaces'] })
  const before = ranch({ env: env('A', 'B'), directories: ['/a', '/b'] })
  expect(changedSettings(before, ranch({ directories: ['/a', '/b'], env: env('B', 'A') }))).toEqual(
    [],
  )
  expect(changedSettings(before, ranch({ env: env('A', 'B'), directories: ['/b', '/a'] }))).toEqual(
    ['workspaces'],
  )
})

test('settings that only the keys file uses do not concern the daemon', () => {
  const keys = { next: 'n', popup: 'g', skip: 'S', back: 'B' }
  expect(changedSettings(defaultConfig(), having({ keys, statusSegment: true }))).toEqual([])
})
