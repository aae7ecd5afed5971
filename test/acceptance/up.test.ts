import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { command } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })

const upAt = ({ env, home }: World, socket: string) =>
  command(TRAILBOSS, ['up'], { env: { ...env, TRAILBOSS_TMUX_SOCKET: socket }, cwd: home })

describe('trailboss up', () => {
  test('needs no tmux server, and makes nothing where one would have its socket', async ({
    world,
  }) => {
    const socket = join(world.dir, 'fresh', 'default')
    expect(await upAt(world, socket)).toMatchObject({ code: 0 })
    expect(await world.trailboss('status')).toMatchObject({ code: 0 })
    expect(existsSync(join(world.dir, 'fresh'))).toBe(false)
  })

  test('does not tell that systemd has it where it runs without', async ({ world }) => {
    await world.up()
    const refused = await world.trailboss('up', '--systemd')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('trailboss down && trailboss up --systemd')
    expect(await world.trailboss('up')).toMatchObject({ code: 0 })
  })

  test('a home that is no directory is what it complains of', async ({ world }) => {
    const file = join(world.dir, 'file')
    writeFileSync(file, '')
    const env = { ...world.env, TRAILBOSS_HOME: file }
    const refused = await command(TRAILBOSS, ['up'], { env, cwd: world.home })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`${file} cannot be written`)
  })
})

describe('the program', () => {
  test('finds itself, however the operator has CDPATH', async ({ world }) => {
    const root = join(dirname(TRAILBOSS), '..')
    for (const CDPATH of ['.', world.home]) {
      mkdirSync(join(world.home, 'bin'), { recursive: true })
      const env = { ...world.env, CDPATH }
      const version = await command('bin/trailboss', ['--version'], { env, cwd: root })
      expect(version).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test.runIf(existsSync('/dev/full'))(
    'says when its output cannot be written',
    async ({ world }) => {
      const script = `'${TRAILBOSS}' --help >/dev/full`
      const failed = await command('/bin/sh', ['-c', script], { env: world.env, cwd: world.home })
      expect(failed.code).toBe(1)
      expect(failed.stderr).toMatch(/^trailboss: The output could not be written: .*ENOSPC.*\n$/)
    },
  )
})
