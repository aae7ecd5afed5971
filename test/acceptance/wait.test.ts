import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { WaitView } from '../../src/contract/responses.ts'
import type { World } from '../support/create-world.ts'
import { startScript } from '../support/script.ts'
import { makeRepositories } from '../support/ten-agents.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

const wait = (world: World, ...args: string[]) => startScript(world, 'wait', ...args)

/** A script whose daemon is killed while it waits; one that was too late to find a daemon is started again. */
async function orphanedWait(world: World, ...args: string[]) {
  for (;;) {
    const script = wait(world, ...args)
    await waitFor(() => script.connections(), {
      what: 'the script to be connected',
      until: (count) => count > 0,
    })
    // It has its first answer long before another command has one.
    await world.trailboss('status')
    await world.killDaemon9()
    const note = await waitFor(() => script.out.stderr, { what: 'it to notice' })
    if (note.includes('Waiting for the daemon')) return script
    await world.up()
  }
}

describe('Wait: a script blocks until', () => {
  test('any session is stuck', async ({ world }) => {
    const a = await world.agent('a')
    const { ended } = wait(world, '--json')
    await a.stop('A is done.')
    const { code, stdout } = await ended
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      item: { session: a.session, label: 'finished' },
      session: { state: 'stuck' },
    } satisfies Partial<Record<keyof WaitView, object>>)
  })

  test('the named one is stuck, works, ended; at once if it is so already', async ({ world }) => {
    const a = await world.agent('a')
    const b = await world.agent('b')
    await a.prompt('Go.')
    const working = wait(world, a.pane.id, '--for', 'working', '--timeout', '1m')
    expect(await working.ended).toMatchObject({ code: 0, stdout: 'a: working\n' })
    const stuck = wait(world, a.session)
    await b.stop('B is done.')
    await world.listed(b)
    await a.stop('A is done.')
    expect(await stuck.ended).toMatchObject({ code: 0, stdout: 'a (finished): A is done.\n' })
    const ends = wait(world, a.session, '--for', 'ended')
    await a.exit()
    expect(await ends.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/: ended\n$/) })
  })

  test('its time is up, with an exit code of its own', async ({ world }) => {
    const { code, stderr } = await wait(world, '--timeout', '1s').ended
    expect(code).toBe(7)
    expect(stderr).toContain('No session got stuck in time.')
  })

  test('it cannot happen any more, because the session ended', async ({ world }) => {
    const a = await world.agent('a')
    await a.prompt('Go.')
    const { ended } = wait(world, a.session, '--timeout', '1m')
    await a.exit()
    const { code, stderr } = await ended
    expect(code).toBe(4)
    expect(stderr).toContain('has ended.')
  })

  test('the daemon was killed and is back', async ({ world }) => {
    const a = await world.agent('a')
    await a.prompt('Go.')
    const { ended } = await orphanedWait(world, a.session)
    await world.up()
    await a.stop('A is done.')
    expect(await ended).toMatchObject({ code: 0, stdout: 'a (finished): A is done.\n' })
  })

  test('the one that was meant ended, even if another one has its name now', async ({ world }) => {
    const a = await world.agent('a')
    await a.prompt('Go.')
    const stuck = await orphanedWait(world, 'a')
    await a.exit()
    const other = await world.agent('other', { cwd: a.cwd })
    await world.up()
    await other.stop('Another one is done.')
    expect(await stuck.ended).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('a has ended.'),
    })
  })

  test('a session that its first answer named ended while the daemon was away', async ({
    world,
  }) => {
    const a = await world.agent('a')
    await a.prompt('Go.')
    const { ended } = await orphanedWait(world, 'a', '--for', 'ended')
    await a.exit()
    await world.up()
    expect(await ended).toMatchObject({ code: 0, stdout: 'a: ended\n' })
  })

  test('the named one is stuck, on whatever branch by then', async ({ world }) => {
    const root = join(world.home, 'src')
    makeRepositories(root)
    const agent = await world.agent('one', { cwd: join(root, 'api') })
    await agent.prompt('Go.')
    await waitFor(world.sessions, {
      what: 'its branch to be known',
      until: ([one]) => one?.branch === 'main',
    })
    const { ended } = await orphanedWait(world, 'api main')
    execFileSync('git', ['checkout', '-q', '-b', 'other'], { cwd: agent.cwd })
    await world.up()
    await agent.stop('Done.')
    expect(await ended).toMatchObject({ code: 0, stdout: 'api (finished): Done.\n' })
  })

  test('its time is up, also while the daemon is away', async ({ world }) => {
    const a = await world.agent('a')
    await a.prompt('Go.')
    const { ended } = await orphanedWait(world, 'a', '--timeout', '5s')
    const { code, stderr } = await ended
    expect(code).toBe(7)
    expect(stderr).toContain('a did not get stuck within the time, but the daemon is away')
    expect(stderr).toContain('trailboss up')
  })

  test.for([
    [['nobody'], 4, 'No session or pane "nobody" is known.'],
    [['--for', 'bored'], 2, 'Allowed choices are stuck, working, ended, any-stuck'],
    [['--for', 'ended'], 2, 'Name who is to be ended.'],
    [['x', '--for', 'any-stuck'], 2, '--for any-stuck takes no target'],
    [['--timeout', 'long'], 2, 'Such as 45s, 30m, 2h or 1d.'],
  ] as const)('%j is refused', async ([args, code, text], { world }) => {
    const result = await world.trailboss('wait', ...args)
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(text)
  })

  test('a target that is longer than any name is refused at once', async ({ world }) => {
    const { code, stderr } = await world.trailboss('wait', 'x'.repeat(513))
    expect(code).toBe(2)
    expect(stderr).toContain('A target has at most 512 characters, and this one has 513.')
  })

  test('no daemon runs: it says so at once', async ({ world }) => {
    await world.trailboss('down')
    expect(await wait(world).ended).toMatchObject({ code: 3 })
  })
})
