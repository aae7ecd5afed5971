import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import type { World } from '../support/create-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { test } from '../support/world.ts'

const SCREENS = new URL('../fixtures/claude-code/2.1.325/screens/', import.meta.url)

/** A program called `claude` that shows a recorded screen, and nothing once a key is pressed. */
async function runDialog(world: World, screen: string): Promise<string> {
  const bin = join(world.dir, 'bin')
  mkdirSync(bin, { recursive: true })
  const shown = join(bin, `${screen}.txt`)
  copyFileSync(fileURLToPath(new URL(`${screen}.txt`, SCREENS)), shown)
  const script = `#!/bin/sh\nclear; cat '${shown}'; read -r line; clear; echo started\nread -r line\n`
  writeFileSync(join(bin, 'claude'), script)
  chmodSync(join(bin, 'claude'), 0o755)
  const size = ['-x', '160', '-y', '50', '-c', world.home]
  return world.tmux.run(
    ...['new-session', '-d', ...size, '-P', '-F', '#{pane_id}', `${join(bin, 'claude')}; exec sh`],
  )
}

describe('a session that no hook ever told of', () => {
  test.override({ worldOptions: { up: false } })

  test('is in the first answer of a daemon that starts later, with pane and ask', async ({
    world,
  }) => {
    const asking = await world.agent('asking', { hooks: false })
    const stopped = await world.agent('stopped', { hooks: false })
    const working = await world.agent('working', { hooks: false })
    const fresh = await world.agent('fresh', { hooks: false, prompt: null })
    await stopped.stop('All 12 tests pass.')
    await asking.askPermission({ command: 'make deploy' })
    await waitFor(() => readFileSync(asking.transcript, 'utf8').includes('make deploy'), {
      what: 'the transcript to be on disk',
    })
    await world.up()

    const queue = await world.queue()
    expect(queue.map(({ session }) => session)).toEqual([stopped.session, asking.session])
    expect(queue).toMatchObject([
      {
        reason: 'stopped',
        pane: stopped.pane,
        cwd: stopped.cwd,
        ask: { text: 'All 12 tests pass.' },
      },
      {
        reason: 'permission',
        pane: asking.pane,
        ask: { text: expect.stringContaining('make deploy') },
      },
    ])
    const states = Object.fromEntries(
      (await world.sessions()).map(({ session, state }) => [session, state]),
    )
    expect(states).toMatchObject({ [working.session]: 'working', [fresh.session]: 'unknown' })
  })
})

describe('a program that has no session yet', () => {
  test('is listed while its screen shows a dialog', async ({ world }) => {
    const pane = await runDialog(world, 'startup-trust')
    const [item] = await world.waitForQueue(
      'the dialog to be listed',
      (queue) => queue.length === 1,
    )
    expect(item).toMatchObject({
      harness: 'claude-code',
      session: expect.stringMatching(/^pid-\d+$/),
      reason: 'permission',
      cwd: world.home,
      pane: { socket: world.tmux.socket, id: pane },
    })
    expect(item!.ask.text).toMatch(/^Accessing workspace:/)

    await world.tmux.run('send-keys', '-t', pane, 'Enter')
    await world.waitForQueue('the dialog to be gone', (queue) => queue.length === 0)
  })

  test('is gone with its process', async ({ world }) => {
    const pane = await runDialog(world, 'startup-settings-warning')
    await world.waitForQueue('the dialog to be listed', (queue) => queue.length === 1)
    await world.tmux.run('kill-pane', '-t', pane)
    await world.waitForQueue('the dialog to be gone', (queue) => queue.length === 0)
  })
})
