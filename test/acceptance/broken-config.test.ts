import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { test as base } from '../support/world.ts'

const workspaces = {
  ranch: { directories: ['/tmp'], roles: { reviewer: { harness: 'codex' } } },
}
const test = base.override({ worldOptions: { config: { workspaces } } })

const WARNING =
  /^warning: the settings are invalid, and the next "trailboss up" would refuse them: .*config\.json.*\n$/

const breakConfig = ({ state }: World) => writeFileSync(join(state, 'config.json'), '{\n')

describe('a config.json that broke while the daemon runs', () => {
  test('does not keep the daemon from being stopped', async ({ world }) => {
    breakConfig(world)
    const down = await world.trailboss('down')
    expect(down).toMatchObject({ code: 0, stderr: expect.stringMatching(WARNING) })
    expect(down.stdout).toMatch(/^Trail Boss is down/)
    expect(await world.trailboss('status')).toMatchObject({ code: 3 })
  })

  test('does not keep the queue from being read, nor from being walked', async ({ world }) => {
    const agent = await world.agent('api')
    await agent.stop('Shall I?')
    await world.listed(agent)
    breakConfig(world)
    for (const command of ['list', 'status', 'sessions', 'explain', 'stats', 'metrics']) {
      const ran = await world.trailboss(command)
      expect({ command, ...ran }).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(WARNING),
        stdout: expect.stringMatching(/\S/),
      })
    }
    expect(await world.json('list')).toMatchObject({ items: [{ session: agent.session }] })
    const jumped = await world.trailboss('jump-next')
    expect(jumped).toMatchObject({ code: 0, stdout: `${agent.pane.id}\n` })
    expect(await world.trailboss('skip', '--pane', agent.pane.id)).toMatchObject({
      code: 0,
      stdout: 'skipped: api\n',
    })
  })

  test('does not keep agents that it runs from being seen', async ({ world }) => {
    breakConfig(world)
    for (const command of ['runtime', 'trigger', 'token', 'thread']) {
      const { code, stderr } = await world.trailboss(command, 'list', '--json')
      expect({ command, code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(WARNING),
      })
    }
  })

  test.for([
    ['up'],
    ['install', 'tmux', '--print'],
    ['watch', '%0', '--once'],
    ['runtime', 'start', '--all'],
    ['dispatch', 'fence', '--harness', 'codex', '--prompt', 'Mend it.'],
  ])('is an error for what needs it: %s', async (args, { world }) => {
    breakConfig(world)
    const { code, stdout, stderr } = await world.trailboss(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^trailboss: .*config\.json is not valid JSON/m)
  })
})
