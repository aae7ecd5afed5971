import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RuntimesView, TriggersView } from '../../src/contract/supervisor.ts'
import { createWorld, type World } from '../support/create-world.ts'
import { createRanch } from '../support/supervisor/ranch.ts'

const configure = (world: World, config: unknown) =>
  writeFileSync(join(world.state, 'config.json'), JSON.stringify(config))

async function restart(world: World) {
  await world.trailboss('down')
  return world.trailboss('up')
}

test('what runs when its workspace is taken out of the configuration can be listed, stopped and forgotten', async () => {
  await using ranch = await createRanch({ roles: ['lead', 'hand'] })
  const { world } = ranch
  await ranch.start('lead')
  await ranch.post('/runtimes/register', { agent: 'ranch/hand' })
  const { id } = await ranch.trigger('hand', 'Nobody hears this.')
  await ranch.settled(id)
  configure(world, {})
  const down = await world.trailboss('down')
  expect(down.stdout).toContain('Its agents keep running.')
  await world.trailboss('up')

  const { runtimes } = await world.json<RuntimesView>('runtime', 'list')
  expect(runtimes.map(({ agent }) => agent).toSorted()).toEqual(['ranch/hand', 'ranch/lead'])
  expect((await world.trailboss('audit')).stdout).toContain('ranch/lead')
  const { triggers } = await world.json<TriggersView>('trigger', 'list')
  expect(triggers).toMatchObject([{ id, state: 'failed' }])
  expect((await world.trailboss('trigger', 'cancel', id)).code).toBe(0)
  await world.waitForQueue('the trigger to be gone', (items) =>
    items.every(({ session }) => session !== `trigger-${id}`),
  )
  expect((await world.trailboss('dispatch', 'status')).code).toBe(0)
  const starts = [
    ['runtime', 'start', 'ranch/hand'],
    ['runtime', 'start', '--all'],
    ['dispatch', 'x', '--harness', 'codex', '--prompt', 'Go'],
  ]
  for (const args of starts) {
    const result = await world.trailboss(...args)
    expect(result).toMatchObject({ code: 4, stdout: '' })
    expect(result.stderr).toContain('trailboss workspace init')
  }
  expect((await world.trailboss('runtime', 'list')).stdout).toContain('no longer in config.json')
  expect((await world.trailboss('runtime', 'stop', 'ranch/lead')).code).toBe(0)
  await ranch.waitForRuntime('lead', 'stopped', ({ status }) => status === 'stopped')
  expect((await world.trailboss('runtime', 'deregister', 'ranch/lead')).code).toBe(0)
})

test('a workspace that was configured after the daemon was started has to be read, and that is said', async () => {
  await using world = await createWorld()
  const directory = join(world.dir, 'ranch')
  mkdirSync(directory)
  const roles = { lead: { harness: 'claude-code' } }
  configure(world, { workspaces: { ranch: { directories: [directory], roles } } })
  for (const args of [
    ['runtime', 'list'],
    ['runtime', 'start', '--all'],
    ['thread', 'list'],
  ]) {
    const result = await world.trailboss(...args)
    expect(result).toMatchObject({ code: 4, stdout: '' })
    expect(result.stderr).toContain('trailboss workspace reload')
    expect(result.stderr).not.toContain('No workspace is configured')
  }
  expect((await world.trailboss('workspace', 'reload')).code).toBe(0)
  expect((await world.trailboss('runtime', 'list')).code).toBe(0)
})

test('roles that cannot be started are told of by up and by status', async () => {
  await using world = await createWorld()
  const directory = join(world.dir, 'ranch')
  mkdirSync(directory)
  const harness = 'claude-code'
  const roles = {
    good: { harness },
    strange: { harness: 'cursor' },
    outside: { harness, cwd: world.dir },
    nowhere: { harness, cwd: join(directory, 'gone') },
  }
  configure(world, { workspaces: { ranch: { directories: [directory], roles } } })
  for (const { stderr } of [await restart(world), await world.trailboss('status')]) {
    expect(stderr).toMatch(/warning: ranch\/strange cannot be started\. .*cannot run "cursor"/)
    expect(stderr).toMatch(/warning: ranch\/outside .* is not within workspace ranch/)
    expect(stderr).toMatch(/warning: ranch\/nowhere .* is not a directory/)
    expect(stderr).not.toContain('ranch/good')
  }
})

test.each([
  [{ workspaces: [] }, 'workspaces: an object by name, not a list'],
  [{ workspaces: { ranch: { directories: ['/'], roles: [] } } }, 'roles: an object by name'],
  [{ workspaces: { ranch: { directories: ['/'], rolls: {} } } }, 'rolls: there is no such name'],
])('the configuration %j is refused: %s', async (config, said) => {
  await using world = await createWorld()
  configure(world, config)
  const shown = await world.trailboss('status')
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining(said) })
  const refused = await world.trailboss('up')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
})
