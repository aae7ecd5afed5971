import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import type { RealAgent } from './support/agents/claude-agent.ts'
import { cachedClient } from './support/client.ts'
import { bash, say } from './support/model/reply.ts'
import type { RealWorld } from './support/real-world.ts'
import { realTest } from './support/tests/real-test.ts'

const test = realTest({ hooks: false })

const wire = (real: RealWorld, ...args: string[]) =>
  real.world.trailboss('install', 'claude-code', '--claude', cachedClient().binary, ...args)

const unwire = (real: RealWorld) => real.world.trailboss('uninstall', 'claude-code', '--yes')

/** What hooks have told of it, as `explain` has it. */
const toldByHooks = async (real: RealWorld, agent: RealAgent): Promise<string[]> => {
  const { because } = await real.explain(agent)
  return because.filter(({ source }) => source === 'hook').map(({ detail }) => detail ?? '')
}

const hears = (real: RealWorld, agent: RealAgent, hook: string) =>
  waitFor(() => toldByHooks(real, agent), {
    what: `a ${hook} hook of ${agent.name} to be heard`,
    until: (told) => told.some((detail) => detail.startsWith(hook)),
  })

/** Settings are read again about a second after they were written (2.1.325): until then it is deaf. */
const takesThemUp = async (real: RealWorld, agent: RealAgent): Promise<void> => {
  let count = 0
  await waitFor(
    async () => {
      const text = `Nothing yet, ${count++}.`
      await agent.prompt(`Anything new, ${count}?`, say(text))
      await real.listed(agent, ({ ask }) => ask.text === text)
      return toldByHooks(real, agent)
    },
    {
      what: `${agent.name} to run its new hooks`,
      until: (told) => told.length > 0,
      timeoutMs: 90_000,
    },
  )
}

test('a session that runs takes the hooks up without a restart, and a new one shows no warning', async ({
  agent,
  real,
}) => {
  const { code, stderr } = await wire(real, '--yes')
  expect(code).toBe(0)
  expect(stderr).toMatch(/Claude Code [\d.]+ .* takes all 13 hooks that Trail Boss uses/)
  await takesThemUp(real, agent)
  await agent.prompt('Clean up', bash('rm -r build'), say('Cleaned.'))
  await real.listed(agent, ({ reason }) => reason === 'permission')
  await hears(real, agent, 'PermissionRequest')
  await agent.approve()
  await real.listed(agent, ({ ask }) => ask.text === 'Cleaned.')
  await hears(real, agent, 'Stop')

  const later = await real.start('later')
  expect(await later.screen()).not.toMatch(/Settings (Warning|Error)/i)
  await later.prompt('From the start', say('Heard, too.'))
  await real.listed(later)
  await hears(real, later, 'Stop')

  expect(await unwire(real)).toMatchObject({ code: 0 })
  const last = await real.start('last')
  await last.prompt('Without hooks again', say('Seen all the same.'))
  await real.listed(last)
  expect(await toldByHooks(real, last)).toEqual([])
})

test('so does one whose settings had something else in them', async ({ real }) => {
  const settings = join(real.world.home, '.claude', 'settings.json')
  const before = '{"cleanupPeriodDays":30,"hooks":{"Stop":[]}}'
  writeFileSync(settings, before)
  const agent = await real.start('settled')
  expect(await wire(real, '--yes')).toMatchObject({ code: 0 })
  await takesThemUp(real, agent)
  expect(await unwire(real)).toMatchObject({ code: 0 })
  expect(readFileSync(settings, 'utf8')).toBe(before)
})

test('a plugin directory and settings for one launch work as well', async ({ real }) => {
  const plugin = join(real.world.dir, 'a plugin')
  expect(await wire(real, '--yes', '--plugin', plugin)).toMatchObject({ code: 0 })
  const settings = join(real.world.dir, 'for one launch.json')
  const { stdout } = await wire(real, '--print')
  writeFileSync(settings, stdout)
  for (const [name, flag, path] of [
    ['plugged', '--plugin-dir', plugin],
    ['launched', '--settings', settings],
  ] as const) {
    const agent = await real.start(name, { args: ['--session-id', randomUUID(), flag, path] })
    expect(await agent.screen()).not.toMatch(/Settings (Warning|Error)/i)
    await agent.prompt(`Are you ${name}?`, say('Yes.'))
    await real.listed(agent)
    await hears(real, agent, 'Stop')
  }
})

test('a project has hooks of its own', async ({ real }) => {
  const cwd = join(real.world.dir, 'projects', 'wired')
  const first = await real.start('wired')
  await first.exit()
  expect(await wire(real, '--yes', '--project', cwd, '--local')).toMatchObject({ code: 0 })
  const agent = await real.start('wired')
  await agent.prompt('Who are you?', say('One of a project.'))
  await real.listed(agent)
  await hears(real, agent, 'Stop')
})
