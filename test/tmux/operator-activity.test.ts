import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ControlClient } from '../../src/tmux/control/control-client.ts'
import { pressKey } from '../../src/tmux/write/guarded-write.ts'
import { operatorActivity } from '../../src/tmux/write/operator-activity.ts'
import { type Operator, seatOperator } from '../support/operator.ts'
import { createTmuxScene, type TmuxScene } from '../support/tmux/tmux-scene.ts'
import { TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let scene: TmuxScene
let dir: string
let server: TmuxServer

beforeEach(async () => {
  scene = await createTmuxScene('exec cat')
  ;({ dir, server } = scene)
})
afterEach(() => scene[Symbol.asyncDispose]())

async function attach(...flags: string[]): Promise<Operator> {
  const command = `exec '${TMUX}' -S '${server.socket}' attach -t work ${flags.join(' ')}`
  return seatOperator(await scene.startTmux(`o${scene.stops.length}`, 'terminal', command), () => [
    server,
  ])
}

async function activityOf(id = '%0'): Promise<number | undefined> {
  const [activeAt] = await operatorActivity(server.socket, [{ server: server.pid, id }])
  return activeAt
}

/** Keys are counted in seconds: one that is to be told from what was before comes in a later one. */
async function nextSecond(): Promise<number> {
  const from = Math.floor(Date.now() / 1_000)
  return waitFor(() => Math.floor(Date.now() / 1_000), {
    what: 'the next second',
    until: (now) => now > from,
  })
}

function waitForKeySince(second: number, pane?: string): Promise<number | undefined> {
  return waitFor(() => activityOf(pane), {
    what: 'the key to count',
    until: (at) => at !== undefined && at >= second * 1_000,
  })
}

describe('the activity of the operator at a pane', () => {
  test('is when a key was pressed there, never too early', async () => {
    const operator = await attach()
    await nextSecond()
    const before = Date.now()
    await operator.press('x')
    const at = await waitForKeySince(Math.floor(before / 1_000))
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThan(Date.now() + 1_000)
  })

  test('does not count what we write ourselves', async () => {
    await attach()
    const before = await activityOf()
    await nextSecond()
    const pid = Number(await server.run('display-message', '-p', '-t', '%0', '#{pane_pid}'))
    const target = { socket: server.socket, server: server.pid, id: '%0', pid }
    expect(await pressKey(target, 'Enter')).toEqual({ kind: 'sent' })
    expect(await activityOf()).toBe(before)
    expect(before).toBeDefined()
  })

  test('is none where nobody looks: no client, another window, another pane, no such pane', async () => {
    expect(await activityOf()).toBeUndefined()
    const operator = await attach()
    const print = ['-d', '-P', '-F', '#{pane_id}', 'exec cat']
    const [beside, window] = [
      await server.run('split-window', ...print),
      await server.run('new-window', ...print),
    ]
    expect(await activityOf(beside)).toBeUndefined()
    expect(await activityOf(window)).toBeUndefined()
    expect(await activityOf('%99')).toBeUndefined()
    expect(await activityOf()).toBeDefined()
    await operator.lookAt({ socket: server.socket, id: window })
    expect(await activityOf()).toBeUndefined()
    expect(await activityOf(window)).toBeDefined()
  })

  test('is that of the latest of several clients that look', async () => {
    const [first, second] = [await attach(), await attach()]
    const since = await nextSecond()
    await first.press('x')
    const at = await waitForKeySince(since)
    const later = await nextSecond()
    await second.press('x')
    expect(await waitForKeySince(later)).toBeGreaterThan(at ?? 0)
  })

  test('counts a client with an active pane of its own for each pane of its window', async () => {
    const operator = await attach('-f', 'active-pane')
    const beside = await server.run('split-window', '-d', '-P', '-F', '#{pane_id}', 'exec cat')
    const since = await nextSecond()
    await operator.press('C-b', 'o', 'x')
    await waitForKeySince(since, beside)
    const elsewhere = await server.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec cat')
    expect(await activityOf(elsewhere)).toBeUndefined()
  })

  test('is not that of our own control client', async () => {
    const client = new ControlClient(server.socket, {})
    scene.stops.unshift(() => client[Symbol.asyncDispose]())
    await waitFor(() => client.connect(), { what: 'the client', until: ({ ok }) => ok })
    expect(await server.run('list-clients', '-F', '#{pane_id}')).toBe('%0')
    expect(await activityOf()).toBeUndefined()
  })

  test('is not that of a client whose keys go to a popup of ours', async () => {
    const operator = await attach()
    const pane = { server: server.pid, id: '%0' }
    const except = (client: string) => operatorActivity(server.socket, [pane], undefined, client)
    const name = await operator.clientName()
    expect(await activityOf()).toBeDefined()
    expect(await except(name)).toEqual([undefined])
    expect(await except(`${name}0`)).toEqual([await activityOf()])
    expect(await except(`${name}},#(touch '${dir}/ran')`)).toEqual([await activityOf()])
  })

  test('is none at a pane with the same id of another server', async () => {
    await attach()
    const pane = { socket: server.socket, server: server.pid + 1, id: '%0' }
    expect(await operatorActivity(pane.socket, [pane])).toEqual([undefined])
  })

  test('cannot be told when tmux does not answer', async () => {
    const pane = { socket: join(dir, 'none'), server: server.pid, id: '%0' }
    await expect(operatorActivity(pane.socket, [pane])).rejects.toMatchObject({
      code: 'TMUX_UNREACHABLE',
    })
  })
})
