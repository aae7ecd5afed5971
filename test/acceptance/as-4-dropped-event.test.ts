import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { TRAILBOSS } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

describe('AS-4 — dropped-event recovery', () => {
  test('"the collector is down when a Stop fires (POST lost); on restart, the reconcile sweep rebuilds the queue from transcripts and the session appears"', async ({
    world,
  }) => {
    const agent = await world.agent('a', { statusFile: false })
    await world.trailboss('down')
    await agent.setHooks(false)
    await agent.stop('Finished while nobody listened.')
    rmSync(join(world.state, 'spool'), { recursive: true, force: true })

    await world.up()
    const [item] = await world.waitForQueue('it to be back', (q) => q.length === 1)
    expect(item).toMatchObject({ session: agent.session, reason: 'stopped', pane: agent.pane })
    expect(item?.ask.text).toContain('Finished while nobody listened.')
    await world.operator.press('C-b', 'Tab')
    await world.operator.waitToBeOn(agent.pane)
  })

  test('a Stop fired through the emitter while the daemon is down waits in the spool', async ({
    world,
  }) => {
    const known = await world.agent('known')
    await world.trailboss('down')
    await known.stop('First.')
    const stranger = await world.agent('stranger')
    await stranger.stop('Second.')
    const spool = join(world.state, 'spool')
    expect(readdirSync(spool).length).toBeGreaterThan(0)
    for (const hook of [...known.journal(), ...stranger.journal()]) {
      if (hook.did === 'hook') expect(hook).toMatchObject({ exit: 0, output: '' })
    }

    await world.up()
    const items = await world.waitForQueue('both to be queued', (q) => q.length === 2)
    expect(items.map(({ session }) => session)).toEqual([known.session, stranger.session])
    expect(readdirSync(spool)).toEqual([])
  })

  test('a Stop whose hook was lost is found while the daemon runs', async ({ world }) => {
    const agent = await world.agent('a', { statusFile: false })
    await agent.setHooks(false)
    await agent.stop('The hook got lost.')

    const [item] = await world.waitForQueue('it to be queued', (q) => q.length === 1)
    expect(item?.ask.text).toContain('The hook got lost.')
  })

  test('a session answered while the daemon was down is not brought back', async ({ world }) => {
    const agent = await world.agent('a', { statusFile: false })
    await agent.stop('Question?')
    await world.waitForQueue('it to be queued', (q) => q.length === 1)
    await world.trailboss('down')
    await agent.setHooks(false)
    await agent.prompt('Answer!')

    await world.up()
    await world.waitForQueue('it to be recognised as answered', (q) => q.length === 0)
    expect((await world.sessions())[0]).toMatchObject({ session: agent.session, state: 'working' })
  })

  test('what fires while the daemon hangs is there as soon as it is back, in order', async ({
    world,
  }) => {
    await world.trailboss('down')
    // In a pane tmux would have it go on at once.
    const daemon = spawn(TRAILBOSS, ['up', '--foreground'], { env: world.env, stdio: 'ignore' })
    const mark = join(world.state, 'daemon-hung')
    try {
      await waitFor(() => world.queue(), { what: 'the daemon to answer' })
      const agents = [await world.agent('a'), await world.agent('b'), await world.agent('c')]
      daemon.kill('SIGSTOP')
      for (const agent of agents) await agent.stop(`${agent.name} is done.`)
      await waitFor(() => existsSync(mark), { what: 'the daemon to be marked as hung' })
      daemon.kill('SIGCONT')
      const items = await world.waitForQueue('all to be queued', (q) => q.length === 3)
      expect(items.map(({ session }) => session)).toEqual(agents.map(({ session }) => session))
      await waitFor(() => !existsSync(mark), { what: 'the mark to be gone' })
      await waitFor(() => readdirSync(join(world.state, 'spool')).length === 0, {
        what: 'nothing to be left in the spool',
      })
    } finally {
      daemon.kill('SIGKILL')
      await once(daemon, 'exit')
    }
  })
})
