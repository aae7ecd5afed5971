import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { command } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { TMUX } from '../support/tmux-server.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })

const upAt = ({ env, home }: World, socket: string) =>
  command(TRAILBOSS, ['up'], { env: { ...env, TRAILBOSS_TMUX_SOCKET: socket }, cwd: home })

describe('trailboss up', () => {
  test('starts where no tmux has run yet, in a directory that nobody else can look into', async ({
    world,
  }) => {
    const socket = join(world.dir, 'fresh', 'default')
    try {
      expect(await upAt(world, socket)).toMatchObject({ code: 0 })
      expect(statSync(join(world.dir, 'fresh')).mode & 0o777).toBe(0o700)
      expect(await world.trailboss('status')).toMatchObject({ code: 0 })
    } finally {
      await world.trailboss('down')
      await command(TMUX, ['-S', socket, 'kill-server'], { env: world.env })
    }
  })

  test('says at once where tmux cannot have its socket', async ({ world }) => {
    writeFileSync(join(world.dir, 'file'), '')
    const refused = await upAt(world, join(world.dir, 'file', 'default'))
    expect(refused).toMatchObject({ code: 6, stdout: '' })
    expect(refused.stderr).toMatch(/cannot be made/)
  })
})
