import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { programPath } from '../emitter/emitter-home.ts'
import { startCollector } from '../support/collector.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

/** Has a curl that does not give up a collector which is slow to answer on a busy machine. */
const pathFirst = mkdtempSync(join(tmpdir(), 'tb-curl-'))
const script = `#!/bin/sh\nexec ${programPath('curl')} "$@" --max-time 20\n`
writeFileSync(join(pathFirst, 'curl'), script, { mode: 0o755 })
afterAll(() => rmSync(pathFirst, { recursive: true }))

const test = base.override({ worldOptions: { up: false, pathFirst } })

type Envelope = {
  tmux: string
  pane: string
  pid: number
  entrypoint: string
  payload: Record<string, unknown>
}

describe('phase 2: the emitter', () => {
  test('"a real session that stops / hits a permission / submits input causes a stub collector to log POSTs whose body carries session_id, cwd, and $TMUX_PANE"', async ({
    world,
  }) => {
    await using collector = await startCollector(join(world.state, 'trailboss.sock'))
    const agent = await world.agent('a')
    await agent.askPermission({ command: 'make deploy' })
    await world.operator.lookAt(agent.pane)
    await world.operator.press('y')
    await waitFor(() => agent.journal(), {
      what: 'the approved tool to have run',
      until: (journal) => journal.some(({ name }) => name === 'PostToolUse'),
    })
    await agent.stop('All done.')

    const names = collector.posts.map(({ body }) => (body as Envelope).payload['hook_event_name'])
    for (const name of ['SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'Stop']) {
      expect(names).toContain(name)
    }
    for (const { method, path, body } of collector.posts) {
      expect(`${method} ${path}`).toBe('POST /event')
      expect(body).toMatchObject({
        v: 1,
        harness: 'claude-code',
        pane: agent.pane.id,
        pid: agent.pid,
        entrypoint: 'cli',
        payload: { session_id: agent.session, cwd: agent.cwd },
      })
      expect((body as Envelope).tmux.split(',')[0]).toBe(world.tmux.socket)
    }
    for (const hook of agent.journal().filter(({ did }) => did === 'hook')) {
      expect(hook).toMatchObject({ exit: 0, output: '' })
    }
  })

  test('"A bare-curl control (no emit script) is shown to drop $TMUX_PANE — proving the wrapper is required."', async ({
    world,
  }) => {
    const socket = join(world.state, 'trailboss.sock')
    await using collector = await startCollector(socket)
    const url = 'http://localhost/event'
    const curl = ['curl', '-s', '--unix-socket', socket, '--data-binary', '@-', url]
    const agent = await world.agent('bare', { hookCommand: curl })
    await agent.stop('Nobody knows where I am.')

    const stop = collector.posts.find(
      ({ body }) => (body as Record<string, unknown>)['hook_event_name'] === 'Stop',
    )
    expect(stop?.body).toMatchObject({ session_id: agent.session })
    const everything = JSON.stringify(collector.posts)
    expect(everything).not.toContain(`"${agent.pane.id}"`)
    expect(everything).not.toContain(world.tmux.socket)
  })
})
