import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PaneInventory } from '../../src/daemon/panes/pane-inventory.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const HEARTBEAT = [['set-option', '-g', '@beat', '1']]

let dir: string
let server: TmuxServer
let inventory: PaneInventory
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-inventory-'))
  const env = { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color' }
  const shellCommand = 'exec sleep 600'
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env,
    session: 'work',
    shellCommand,
    cwd: dir,
  })
  inventory = new PaneInventory()
  inventory.know(server.socket)
})
afterEach(async () => {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** How many looks were really taken, of so many that were due. */
async function looksOf(due: number): Promise<number> {
  const before = inventory.looks(server.socket)
  for (let look = 0; look < due; look++) await inventory.refreshAndSet(() => HEARTBEAT)
  return inventory.looks(server.socket) - before
}

describe('a server in which nothing changes', () => {
  test('is looked at every other time once that is sure', async () => {
    expect(await looksOf(3)).toBe(3)
    expect(await looksOf(4)).toBe(2)
  })

  test('is looked at each time when a pane has come', async () => {
    await looksOf(5)
    await server.run('new-window', '-d', '-t', 'work:', 'exec sleep 600')
    expect(await looksOf(3)).toBe(3)
    expect(inventory.paneCount(server.socket)).toBe(2)
  })

  test('is looked at each time when a pane has gone, until that was seen twice', async () => {
    const window = ['new-window', '-d', '-t', 'work:', '-P', '-F', '#{pane_id} #{pane_pid}']
    const [pane = '', pid] = (await server.run(...window, 'exec sleep 600')).split(' ')
    await looksOf(5)
    await server.run('kill-pane', '-t', pane)
    await waitFor(() => !existsSync(`/proc/${pid}`), { what: 'its process to end' })
    expect(await looksOf(3)).toBe(3)
    expect(inventory.paneCount(server.socket)).toBe(1)
  })
})
