import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StatsView } from '../../src/contract/stats.ts'
import type {
  AuditView,
  RuntimesView,
  RuntimeView,
  TriggersView,
  TriggerView,
} from '../../src/contract/supervisor.ts'
import { command } from '../support/command.ts'
import { createWorld, TRAILBOSS } from '../support/create-world.ts'
import { createRanch, patient, type Ranch, scaled } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

let ranch: Ranch
beforeAll(async () => {
  ranch = await createRanch({ roles: ['lead', 'reviewer'], supervisor: patient(scaled(10)) })
})
afterAll(() => ranch?.[Symbol.asyncDispose]())

const run = (...args: string[]) => ranch.world.trailboss(...args)
const json = <T>(...args: string[]) => ranch.world.json<T>(...args)

async function startAll(): Promise<void> {
  await run('runtime', 'start', '--all')
  for (const role of ['lead', 'reviewer']) {
    await ranch.waitForRuntime(role, 'ready', ({ status }) => status === 'ready')
  }
}

describe('runtimes', () => {
  test('are registered, started, shown, restarted, stopped and forgotten', async () => {
    expect((await run('runtime', 'list')).stderr).toContain('No runtime is registered.')
    expect(await run('runtime', 'register', 'ranch/lead')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ranch/lead is registered.'),
    })
    await startAll()
    const { runtimes } = await json<RuntimesView>('runtime', 'list')
    expect(runtimes.map(({ agent, status }) => [agent, status])).toEqual([
      ['ranch/lead', 'ready'],
      ['ranch/reviewer', 'ready'],
    ])
    expect((await run('status')).stdout).toMatch(/^ {2}agents +2 ready$/m)
    expect((await run('runtime', 'show', 'ranch/lead')).stdout).toMatch(
      /^ranch\/lead is ready, for \d+s\.\n[\s\S]*tmux attach -t agents_ranch\n$/,
    )
    expect(await json<RuntimeView>('runtime', 'restart', 'ranch/lead')).toMatchObject({
      agent: 'ranch/lead',
    })
    await ranch.waitForRuntime('lead', 'ready again', ({ status }) => status === 'ready')
    expect(await json<RuntimesView>('runtime', 'stop', '--all')).toMatchObject({
      runtimes: [{ agent: 'ranch/lead' }, { agent: 'ranch/reviewer' }],
    })
    await ranch.waitForRuntime('lead', 'stopped', ({ status }) => status === 'stopped')
    expect((await run('runtime', 'deregister', 'ranch/lead')).code).toBe(0)
    expect(await run('runtime', 'show', 'ranch/lead')).toMatchObject({ code: 4, stdout: '' })
  })

  test.each([
    [['start'], 2, 'Name one agent, or all of them'],
    [['start', 'ranch/lead', '--all'], 2, 'Name one agent, or all of them'],
    [['start', 'ranch/nobody'], 4, 'There are: ranch/lead, ranch/reviewer.'],
    [['show'], 2, "missing required argument 'agent'"],
    [['show'], 2, '(see: trailboss runtime show --help)'],
    [['strat', 'ranch/lead'], 2, 'Did you mean start'],
  ])('runtime %j is refused with exit code %i, and says: %s', async (args, code, said) => {
    const result = await run('runtime', ...args)
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toContain(said)
  })
})

describe('triggers', () => {
  beforeAll(startAll)

  test('are given as text, from a file and from stdin, and waited for', async () => {
    const file = join(ranch.world.dir, 'what.txt')
    writeFileSync(file, 'Mend the gate.\n')
    const said = ['--reason', 'chores', '--wait']
    const waited = await run('trigger', 'ranch/lead', ...said, '--text', 'Count the cows.')
    expect(waited).toMatchObject({ code: 0 })
    expect(waited.stdout).toMatch(/^Delivered to ranch\/lead in [\d.]+s \(.*\)\.\n$/)
    const fromFile = await json<TriggerView>('trigger', 'ranch/lead', ...said, '--file', file)
    expect(fromFile).toMatchObject({ state: 'delivered', agent: 'ranch/lead' })
    const { env, home } = ranch.world
    const fromStdin = ['trigger', 'ranch/lead', ...said, '--text', '-']
    await command(TRAILBOSS, fromStdin, { env, cwd: home, stdin: 'Shut\nthe door.' })
    expect(ranch.submitted('lead').map((text) => text.replace(/^.*?\] \[.*?\] /, ''))).toEqual([
      'Count the cows. [/BRIDGE_TRIGGER]',
      'Mend the gate. [/BRIDGE_TRIGGER]',
      'Shut the door. [/BRIDGE_TRIGGER]',
    ])
    const { triggers } = await json<TriggersView>('trigger', 'list', '--agent', 'ranch/lead')
    expect(triggers).toHaveLength(3)
    expect((await run('trigger', 'show', fromFile.id)).stdout).toContain('was delivered')
    expect((await run('trigger', 'list')).stdout).toMatch(/ranch\/lead +delivered .* chores/)
    expect(await run('trigger', 'retry', fromFile.id)).toMatchObject({ code: 1, stdout: '' })
  })

  test('that fail make the command fail, are in the queue, and are let be', async () => {
    await run('runtime', 'stop', 'ranch/reviewer')
    await ranch.waitForRuntime('reviewer', 'stopped', ({ status }) => status === 'stopped')
    const said = ['--reason', 'review', '--text', 'Look.', '--wait']
    const failed = await run('trigger', 'ranch/reviewer', ...said)
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(
      /failed \(TARGET_NOT_FOUND\).*\n {2}First start it: +trailboss runtime start ranch\/reviewer\n +Try it again with: /,
    )
    const [, id = ''] = /trigger retry (\S+)/.exec(failed.stderr) ?? []
    expect((await run('list')).stdout).toMatch(/supervisor +ranch +error/)
    expect(await json<TriggerView>('trigger', 'cancel', id)).toMatchObject({ state: 'failed' })
    await ranch.world.waitForQueue('the trigger to be gone', (items) =>
      items.every(({ harness }) => harness !== 'trailboss'),
    )
  })

  test.each([
    [['ranch/lead', '--text', 'x'], 2, '--reason is missing'],
    [['ranch/lead', '--reason', 'x'], 2, 'There is no text to send.'],
    [['ranch/lead', '--reason', 'x', '--text', '\u0007\u001b[2J'], 2, 'nothing in it can be shown'],
    [['ranch/lead', '--reason', 'x', '--text', 'y', '--file', 'z'], 2, 'exclude each other'],
    [['ranch/lead', '--reason', 'x', '--file', '/nonexistent'], 2, 'cannot be read'],
    [['ranch/lead', '--reason', 'x', '--file', '/dev/zero'], 2, 'more than 131072 bytes'],
    [['ranch/lead', '--reason', 'x', '--text', 'y', '--force'], 2, '--as WHO and --why WHY'],
    [['ranch/lead', '--reason', 'x', '--thread', 'th_none'], 4, 'There is no thread'],
    [['ranch/nobody', '--reason', 'x', '--text', 'y'], 4, 'There is no agent'],
    [['%1', '--reason', 'x', '--text', 'y'], 1, 'is not a runtime of Trail Boss'],
    [['show', 'trg_none'], 4, 'There is no trigger'],
    [['list', '--state', 'lost'], 2, 'There are: open, queued'],
    [['list', '--limit', '0'], 2, 'from 1 to 1000'],
  ])('trigger %j is refused with exit code %i, and says: %s', async (args, code, said) => {
    const before = ranch.submitted('lead').length
    const result = await run('trigger', ...args)
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toContain(said)
    expect(ranch.submitted('lead')).toHaveLength(before)
  })

  test('with more text than a line may have are refused', async () => {
    const result = await run('trigger', 'ranch/lead', '--reason', 'x', '--text', 'y'.repeat(5_000))
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain('4000 are the most')
  })

  test('forced by an operator have who and why in the audit', async () => {
    const force = ['--force', '--as', 'ana', '--why', 'production is down']
    const said = ['--reason', 'x', '--text', 'Now.', '--wait']
    await json('trigger', 'ranch/lead', ...said, ...force)
    const { lines } = await json<AuditView>('audit', '--kind', 'override_forced')
    expect(lines).toMatchObject([{ actor: 'operator:ana', detail: 'production is down' }])
  })
})

describe('the audit', () => {
  test('is printed newest last, and found by what it is about', async () => {
    const { stdout } = await run('audit', '--agent', 'ranch/reviewer', '--since', '1h')
    const times = stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 8))
    expect(times.length).toBeGreaterThan(2)
    expect(times).toEqual(times.toSorted())
    const { lines } = await json<AuditView>('audit', '--result', 'TARGET_NOT_FOUND')
    expect(lines).toMatchObject([{ kind: 'trigger_failed', agentId: 'ranch/reviewer' }])
  })

  test.each([
    [['--kind', 'nonsense'], 'The audit has no kind "nonsense".'],
    [['--since', 'yesterday'], '"yesterday" is not a time.'],
  ])('%j is refused, and says: %s', async (args, said) => {
    const result = await run('audit', ...args)
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain(said)
  })
})

test('figures are for a person, for a script and for Prometheus', async () => {
  expect((await run('stats')).stdout).toMatch(/triggers +\d+ delivered, 1 failed, 0 under way/)
  expect(await json<StatsView>('stats')).toMatchObject({
    supervisor: { runtimes: { total: 2 }, triggers: { failed: 1 } },
  })
  const { stdout } = await run('metrics')
  expect(stdout).toContain('\ntmux_trigger_failed_total 1\n')
  expect(stdout).toContain('# TYPE trailboss_answer_seconds histogram')
  expect(await json<{ samples: unknown[] }>('metrics')).toMatchObject({
    samples: expect.arrayContaining([{ name: 'tmux_trigger_failed_total', labels: {}, value: 1 }]),
  })
})

test('they are the same after the daemon was killed', async () => {
  const counted = async () =>
    (await run('metrics')).stdout.split('\n').filter((line) => line.startsWith('tmux_trigger'))
  const before = await counted()
  await ranch.world.killDaemon9()
  await ranch.world.up()
  expect(await waitFor(counted, { what: 'the figures' })).toEqual(before)
})

test('without a workspace it is said how to configure one, and there are figures all the same', async () => {
  await using world = await createWorld()
  for (const args of [['runtime', 'list'], ['trigger', 'list'], ['audit']]) {
    const result = await world.trailboss(...args)
    expect(result).toMatchObject({ code: 4, stdout: '' })
    expect(result.stderr).toContain('trailboss workspace init')
  }
  expect(await world.json<StatsView>('stats')).toMatchObject({ supervisor: null })
  expect((await world.trailboss('metrics')).stdout).not.toContain('tmux_trigger')
})
