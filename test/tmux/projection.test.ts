import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withoutSecrets } from '../../src/core/session/event-redaction.ts'
import { PaneInventory } from '../../src/daemon/panes/pane-inventory.ts'
import { Projector } from '../../src/daemon/views/projector.ts'
import { createViews } from '../../src/daemon/views/views.ts'
import { ServerLinks } from '../../src/tmux/server-link/server-links.ts'
import { createTestHerd, type TestHerd } from '../support/daemon/test-herd.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let server: TmuxServer
let world: TestHerd
let inventory: PaneInventory
let projector: Projector

beforeEach(async () => {
  dir = mkdtempSync(join('/tmp', 'tb-projection-'))
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env: { PATH: process.env['PATH'], HOME: dir, SHELL: '/bin/sh', TMUX_TMPDIR: dir },
    session: 'work',
    shellCommand: 'exec cat',
    cwd: dir,
  })
  world = createTestHerd()
  const links = new ServerLinks()
  inventory = new PaneInventory(links)
  inventory.know(server.socket)
  projector = new Projector(createViews(world.herd, inventory), inventory, links)
})
afterEach(async () => {
  world[Symbol.dispose]()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

const option = (name: string) => server.run('show-option', '-gqv', name)
const look = () => inventory.refreshAndSet((socket) => projector.commandsFor(socket))

function becomeStuck(): void {
  const at = world.herd.clock.now()
  const pane = { socket: server.socket, id: '%0' }
  world.herd.receive(
    withoutSecrets({
      v: 1,
      kind: 'stuck',
      reason: 'stopped',
      harness: 'h',
      session: 's',
      source: 'hook',
      at,
      pane,
    }),
    { recovered: false },
  )
}

test('the heartbeat and the queue go along with a look at the server', async () => {
  becomeStuck()
  await look()
  expect(inventory.paneCount(server.socket)).toBe(1)
  expect(await option('@trailboss_head')).toBe('%0')
  expect(await option('@trailboss_count')).toBe('1')
  expect(Number(await option('@trailboss_beat'))).toBeGreaterThan(Date.now() / 1_000 - 10)
})

test('what changed while the look was under way is projected after it', async () => {
  const looking = look()
  becomeStuck()
  await looking
  expect(await option('@trailboss_count')).toBe('')
  projector.projectChanged()
  await waitFor(() => option('@trailboss_count'), { what: 'the count', until: (n) => n === '1' })
})

test('a look that shares the answer of another one still brings its command', async () => {
  const first = inventory.refresh(server.socket)
  await look()
  await first
  expect(await option('@trailboss_beat')).not.toBe('')
})
