import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StatusView } from '../../src/contract/responses.ts'
import type { WorkspacesReloadView } from '../../src/contract/workspaces.ts'
import { createWorld } from '../support/create-world.ts'
import { createRanch, type Ranch } from '../support/supervisor/ranch.ts'

type Workspace = { roles: Record<string, object> } & Record<string, unknown>
type Settings = { workspaces: { ranch: Workspace } } & Record<string, unknown>

const configOf = ({ world }: Ranch) => join(world.state, 'config.json')

/** Changes the configuration as an editor does. */
function edit(ranch: Ranch, change: (settings: Settings) => void): void {
  const settings = JSON.parse(readFileSync(configOf(ranch), 'utf8')) as Settings
  change(settings)
  writeFileSync(configOf(ranch), JSON.stringify(settings, null, 2))
}

test('a changed file is named in status until it is taken in, and agents come without a restart', async () => {
  await using ranch = await createRanch({ roles: ['lead', 'hand'] })
  const { world } = ranch
  const { daemon } = await world.json<StatusView>('status')
  const lead = await ranch.start('lead')
  utimesSync(configOf(ranch), new Date(), new Date())
  expect((await world.trailboss('status')).stderr).toBe('')

  edit(ranch, ({ workspaces: { ranch: own } }) => {
    const { lead: before, hand } = own.roles
    own.roles = { lead: { ...before, env: { FENCE: 'north' } }, rider: { ...hand } }
    own['reviewer'] = 'rider'
  })
  const shown = await world.trailboss('status')
  expect(shown.stderr).toMatch(
    /^warning: .*config\.json has changed since the daemon read it: trailboss workspace reload takes in its workspaces\.\n$/,
  )
  expect((await world.json<StatusView>('status')).configChanged).toEqual(['workspaces'])

  const reloaded = await world.trailboss('workspace', 'reload')
  expect(reloaded).toMatchObject({ code: 0, stderr: '' })
  expect(reloaded.stdout).toMatch(/agents added +ranch\/rider/)
  expect(reloaded.stdout).toMatch(/agents changed +ranch\/lead/)
  expect(reloaded.stdout).toMatch(/agents removed +ranch\/hand/)
  expect(reloaded.stdout).toContain('trailboss runtime restart ranch/lead')
  expect(await world.trailboss('status')).toMatchObject({ code: 0, stderr: '' })

  expect(await ranch.runtime('lead')).toMatchObject({ status: 'ready', pid: lead.pid })
  expect(await ranch.start('rider')).toMatchObject({ status: 'ready' })
  const refused = await world.trailboss('runtime', 'start', 'ranch/hand')
  expect(refused).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no agent "ranch/hand"'),
  })
  const { id } = await ranch.trigger('lead', 'Still there?')
  expect(await ranch.settled(id)).toMatchObject({ state: 'delivered' })
  expect((await world.json<StatusView>('status')).daemon.pid).toBe(daemon.pid)
  expect((await world.trailboss('audit', '--kind', 'workspaces_reloaded')).stdout).toContain(
    'ranch/rider',
  )
})

test('a daemon without a workspace gets its first one while it runs', async () => {
  await using world = await createWorld()
  const before = await world.trailboss('runtime', 'list')
  expect(before).toMatchObject({ code: 4, stderr: expect.stringContaining('workspace init') })
  const pid = await world.daemonPid()
  const roles = { lead: { harness: 'claude-code' } }
  const workspaces = { ranch: { directories: [world.dir], roles } }
  writeFileSync(join(world.state, 'config.json'), `// first\n${JSON.stringify({ workspaces })}`)
  const view = await world.json<WorkspacesReloadView>('workspace', 'reload')
  expect(view).toMatchObject({ known: ['ranch'], agents: { added: ['ranch/lead'] }, restart: [] })
  expect((await world.trailboss('runtime', 'register', 'ranch/lead')).code).toBe(0)
  expect((await world.trailboss('thread', 'open', 'The fence', '--with', 'lead')).code).toBe(0)
  expect(await world.daemonPid()).toBe(pid)
})

test('a broken file is refused with its mistake, and everything goes on', async () => {
  await using ranch = await createRanch({ roles: ['lead'] })
  const { world } = ranch
  writeFileSync(configOf(ranch), '{ "workspaces": {\n')
  const refused = await world.trailboss('workspace', 'reload')
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(/^trailboss: .*config\.json is not valid JSON/)
  expect((await world.json<StatusView>('status')).warnings[0]).toContain('cannot be used')
  expect(await ranch.start('lead')).toMatchObject({ status: 'ready' })
})

test('settings that need a restart are named', async () => {
  await using ranch = await createRanch({ roles: ['lead'] })
  const { world } = ranch
  edit(ranch, (settings) => {
    settings['logLevel'] = 'warn'
    settings['skipCooldownMs'] = 5
  })
  expect((await world.trailboss('status')).stderr).toMatch(
    /trailboss restart takes in skipCooldownMs, logLevel\./,
  )
  const { stdout } = await world.trailboss('workspace', 'reload')
  expect(stdout).toContain('Nothing has changed in its workspaces.')
  expect(stdout).toContain('skipCooldownMs, logLevel. They need a restart: trailboss restart')
})

test('the reviewer of the workspace reviews what a dispatch did, unless it is left out', async () => {
  await using ranch = await createRanch({ roles: ['judge'] })
  const { world } = ranch
  edit(ranch, ({ workspaces }) => {
    workspaces.ranch['reviewer'] = 'judge'
  })
  await world.trailboss('workspace', 'reload')
  const dispatch = (name: string, ...more: string[]) =>
    world.json<{ reviewer: string | null }>(
      ...['dispatch', name, '--harness', 'claude-code', '--cwd', ranch.directory],
      ...['--prompt', 'Fix the fence.', ...more],
    )
  expect(await dispatch('fence')).toMatchObject({ reviewer: 'ranch/judge' })
  expect(await dispatch('gate', '--no-reviewer')).toMatchObject({ reviewer: null })
})

test('nobody reloads a daemon that does not run', async () => {
  await using world = await createWorld({ up: false })
  expect(await world.trailboss('workspace', 'reload')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('trailboss up'),
  })
})
