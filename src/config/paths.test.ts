import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolvePaths } from './paths.ts'

describe('where our files are', () => {
  test('TRAILBOSS_HOME contains them all', () => {
    const paths = resolvePaths({ HOME: '/home/op', TRAILBOSS_HOME: '/srv/tb' })
    expect(paths).toMatchObject({ home: '/srv/tb', configFile: '/srv/tb/config.json' })
  })

  test('without it, state and settings are where XDG puts them', () => {
    expect(resolvePaths({ HOME: '/home/op' })).toMatchObject({
      home: '/home/op/.local/state/trailboss',
      configFile: '/home/op/.config/trailboss/config.json',
    })
  })

  test('an empty variable counts as not set', () => {
    const { home } = resolvePaths({ HOME: '', XDG_STATE_HOME: '', TRAILBOSS_HOME: '' })
    expect(home).toBe(join(userInfo().homedir, '.local/state/trailboss'))
  })

  test.each(['TRAILBOSS_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'HOME'])(
    'a relative %s is refused by its name',
    (name) => {
      expect(() => resolvePaths({ HOME: '/home/op', [name]: 'here' })).toThrow(
        `${name} is "here", which is no absolute path.`,
      )
    },
  )

  test.each(['TRAILBOSS_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'HOME'])(
    'a %s with a control character is refused by its name',
    (name) => {
      expect(() => resolvePaths({ HOME: '/home/op', [name]: '/srv/a\nb' })).toThrow(
        `${name} is "/srv/a\\nb", which has a control character in it.`,
      )
    },
  )

  test.each(['/srv/tb/', '/srv/tb//', '/srv/tb/.', '/srv/tb/././/', '/srv//tb'])(
    'a home written as %s is the same home',
    (home) => expect(resolvePaths({ TRAILBOSS_HOME: home }).home).toBe('/srv/tb'),
  )

  test('a home whose socket no program could connect to is refused', () => {
    const home = (bytes: number) => ({ TRAILBOSS_HOME: `/${'x'.repeat(bytes)}` })
    expect(resolvePaths(home(87)).socket).toHaveLength(103)
    expect(() => resolvePaths(home(88))).toThrow(/^The socket path .* is too long\.$/)
  })
})
