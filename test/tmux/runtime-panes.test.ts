import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  killPane,
  openPane,
  type PaneLaunch,
  type RuntimePaneState,
  readPanes,
  runtimeSession,
} from '../../src/tmux/write/runtime-panes.ts'
import type { RuntimePane } from '../../src/tmux/write/spare-pane.ts'
import { seatOperator } from '../support/operator.ts'
import { isAlive } from '../support/processes.ts'
import { createTmuxScene, type TmuxScene } from '../support/tmux/tmux-scene.ts'
import { TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let scene: TmuxScene
let dir: string
let server: TmuxServer

beforeEach(async () => {
  scene = await createTmuxScene('sleep 1000')
  ;({ dir, server } = scene)
})
afterEach(() => scene[Symbol.asyncDispose]())

function launchOf(given: Partial<PaneLaunch> = {}): PaneLaunch {
  return {
    socket: server.socket,
    runtimeId: 'rt_coder',
    workspace: 'shop',
    role: 'coder',
    argv: ['sleep', '1000'],
    env: {},
    withoutVariables: [],
    cwd: dir,
    ...given,
  }
}

async function stateOf(pane: RuntimePane): Promise<RuntimePaneState | undefined> {
  return (await readPanes(pane.socket, [pane])).states[0]
}

function waitForState(pane: RuntimePane, state: RuntimePaneState): Promise<unknown> {
  return waitFor(() => stateOf(pane), {
    what: `the pane to be ${JSON.stringify(state)}`,
    until: (seen) => JSON.stringify(seen) === JSON.stringify(state),
  })
}

/** A pane whose program has ended with status 3. */
async function openEnded(): Promise<RuntimePane> {
  const pane = await openPane(launchOf({ argv: ['sh', '-c', 'exit 3'] }))
  await waitForState(pane, { kind: 'dead', status: 3 })
  return pane
}

/** Those of workspaces, with how many panes they have. */
async function windows(): Promise<string[]> {
  const format = '#{session_name}:#{window_name} #{window_panes}'
  const all = await server.run('list-windows', '-a', '-F', format)
  return all.split('\n').filter((line) => !line.startsWith('work:'))
}

describe('opening a pane', () => {
  test('makes the workspace, then a window for each role, and no other', async () => {
    const coder = await openPane(launchOf())
    const reviewer = await openPane(launchOf({ role: 'reviewer' }))
    const other = await openPane(launchOf({ workspace: 'shop2' }))
    expect(await windows()).toEqual([
      'agents_shop:coder 1',
      'agents_shop:reviewer 1',
      'agents_shop2:coder 1',
    ])
    expect(reviewer.sessionId).toBe(coder.sessionId)
    expect(other.sessionId).not.toBe(coder.sessionId)
    expect(coder.server).toBe(server.pid)
    expect((await readPanes(server.socket, [coder, reviewer, other])).states).toEqual(
      Array(3).fill({ kind: 'alive' }),
    )
  })

  test('makes the workspace once, also for roles that are started at the same moment', async () => {
    const roles = ['coder', 'reviewer', 'tester']
    const panes = await Promise.all(roles.map((role) => openPane(launchOf({ role }))))

    expect(new Set(panes.map(({ sessionId }) => sessionId)).size).toBe(1)
    expect(new Set(panes.map(({ windowId }) => windowId)).size).toBe(3)
  })

  test('is not taken in by a session whose name only begins alike', async () => {
    const longer = await openPane(launchOf({ workspace: 'shop_two' }))
    const pane = await openPane(launchOf({ workspace: 'shop' }))
    expect(pane.sessionId).not.toBe(longer.sessionId)
  })

  test('starts a server where there is none', async () => {
    const socket = join(dir, 'new')
    const pane = await openPane(launchOf({ socket }))
    scene.stops.unshift(async () => void (await killPane(pane)))
    expect(await stateOf(pane)).toEqual({ kind: 'alive' })
  })

  test('says so where tmux can start none', async () => {
    const socket = join(dir, 'not-there', 'new')
    await expect(openPane(launchOf({ socket }))).rejects.toMatchObject({ code: 'TMUX_UNREACHABLE' })
  })

  test('hands over every word, every variable and the directory as they are', async () => {
    const cwd = join(dir, "a #(touch canary) 'b' %H; $HOME")
    mkdirSync(cwd)
    const words = [
      '#(touch canary)',
      'a;',
      ';',
      '}',
      "it's",
      'back\\\nslash',
      'x\\',
      '$HOME ~ `touch canary` $(touch canary)',
      '#{pid}',
      '%H %%',
      '"',
      '',
      '-k',
      'ß 日本',
      `${'long '.repeat(12_000)}`,
    ]
    const value = 'token #(touch canary) $HOME;\n\\'
    const out = join(dir, 'out')
    const script = 'printf "%s\\0" "$PWD" "$SECRET" "$@" >"$0.tmp"; mv "$0.tmp" "$0"; sleep 1000'
    const argv = ['sh', '-c', script, out, ...words]
    const pane = await openPane(launchOf({ argv, env: { SECRET: value }, cwd }))
    await waitFor(() => existsSync(out), { what: 'what it was given' })
    expect(readFileSync(out, 'utf8').split('\0')).toEqual([cwd, value, ...words, ''])
    const { id } = pane
    expect(await server.run('display-message', '-p', '-t', id, '#{pane_current_path}')).toBe(cwd)
    expect(existsSync(join(dir, 'canary')) || existsSync(join(cwd, 'canary'))).toBe(false)
    // A token of one role is not for the next.
    expect(await server.run('show-environment', '-t', pane.sessionId)).not.toContain('SECRET')
  })

  test('runs a single word as a program, not as a line for a shell', async () => {
    const pane = await openPane(launchOf({ argv: ['touch canary; sleep 5'] }))
    await waitForState(pane, { kind: 'dead', status: 127 })
    expect(existsSync(join(dir, 'canary'))).toBe(false)
  })

  test('has it know where it is, by the variables of tmux', async () => {
    const out = join(dir, 'out')
    const pane = await openPane(launchOf({ argv: ['sh', '-c', `echo "$TMUX_PANE" >'${out}'`] }))
    await waitForState(pane, { kind: 'dead', status: 0 })
    expect(readFileSync(out, 'utf8')).toBe(`${pane.id}\n`)
  })

  test('starts nothing in another directory when its own is not there', async () => {
    const out = join(dir, 'out')
    const cwd = join(dir, 'nowhere')
    const pane = await openPane(launchOf({ argv: ['touch', out], cwd }))
    await waitFor(() => stateOf(pane), {
      what: 'it to fail',
      until: (state) => state?.kind === 'dead' && (state.status ?? 0) > 0,
    })
    expect(existsSync(out)).toBe(false)
  })

  test('gives the program the whole window from its first moment', async () => {
    const out = join(dir, 'out')
    const argv = ['sh', '-c', `stty size >>'${out}'; exit 1`]
    const first = await openPane(launchOf({ argv }))
    await waitForState(first, { kind: 'dead', status: 1 })
    const second = await openPane(launchOf({ argv, instead: first }))
    await waitForState(second, { kind: 'dead', status: 1 })
    const size = '#{window_height} #{window_width}'
    const whole = await server.run('display-message', '-p', '-t', second.id, size)
    expect(readFileSync(out, 'utf8')).toBe(`${whole}\n${whole}\n`)
  })

  test('moves nobody who looks at something else', async () => {
    await openPane(launchOf())
    const attach = `exec '${TMUX}' -S '${server.socket}' attach -t =agents_shop`
    const terminal = await scene.startTmux('o', 'terminal', attach)
    const operator = await seatOperator(terminal, () => [server])
    const before = await operator.pane()
    const reviewer = await openPane(launchOf({ role: 'reviewer' }))
    await openPane(launchOf({ role: 'reviewer', instead: reviewer }))
    expect(await operator.pane()).toEqual(before)
  })

  const badNames = ['', 'a.b', 'a:b', '=a', 'Shop', 'a b', '#(touch canary)', 'ä', '../a']
  test.each([...badNames, 'x'.repeat(41)])('refuses %j as a name', async (name) => {
    const refusal = { code: 'BAD_REQUEST', message: expect.stringContaining('cannot be the name') }
    await expect(openPane(launchOf({ workspace: name }))).rejects.toMatchObject(refusal)
    await expect(openPane(launchOf({ role: name }))).rejects.toMatchObject(refusal)
    expect(() => runtimeSession(name)).toThrow('cannot be the name')
    expect(await windows()).toEqual([])
  })

  test('refuses a launch that could not be one', async () => {
    const wrong: Partial<PaneLaunch>[] = [
      { argv: [] },
      { argv: [''] },
      { argv: ['-c', 'x'] },
      { argv: ['a', 'b\0'] },
      { cwd: 'here' },
      { cwd: '/a\0' },
      { env: { 'A=B': 'x' } },
      { env: { A: '\0' } },
    ]
    for (const launch of wrong) {
      await expect(openPane(launchOf(launch))).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    }
    expect(await windows()).toEqual([])
  })
})

describe('starting again', () => {
  test("is in the very place where the last one ended, and nobody's view moves", async () => {
    const first = await openEnded()
    await server.run('split-window', '-d', '-t', first.id, 'sleep 1000')
    const second = await openPane(launchOf({ instead: first }))
    expect(second).toMatchObject({ windowId: first.windowId, id: first.id })
    expect((await readPanes(server.socket, [first, second])).states).toEqual([
      { kind: 'other' },
      { kind: 'alive' },
    ])
    const active = await server.run('display-message', '-p', '-t', first.windowId, '#{pane_id}')
    expect(active.trim()).toBe(first.id)
    expect(await windows()).toEqual(['agents_shop:coder 2'])
  })

  test('takes the place of one that nobody knows any more, but of no other dead pane', async () => {
    const forgotten = await openEnded()
    expect(await openPane(launchOf())).toMatchObject({ id: forgotten.id })
    const theirs = ['split-window', '-d', '-P', '-F', '#{pane_id}', '-t', forgotten.id, 'exit 3']
    const dead = (await server.run(...theirs)).trim()
    const isDead = () => server.run('display-message', '-p', '-t', dead, '#{pane_dead}')
    await waitFor(isDead, { what: 'their pane to be dead', until: (flag) => flag.trim() === '1' })
    expect((await openPane(launchOf())).id).not.toBe(dead)
  })

  test('is in a window of its own where there is no room beside what the operator put there', async () => {
    const first = await openPane(launchOf())
    for (let n = 0; n < 12; n++)
      await server.try('split-window', '-t', first.windowId, 'sleep 1000')
    const second = await openPane(launchOf({ instead: first }))
    expect(await stateOf(second)).toEqual({ kind: 'alive' })
    expect(second.windowId).not.toBe(first.windowId)
  })

  test('finds the window by what it is for, and leaves what the operator put there', async () => {
    const first = await openEnded()
    await server.run('rename-window', '-t', first.windowId, 'mine')
    await server.run('new-window', '-d', '-t', `${first.sessionId}:`, '-n', 'coder', 'sleep 1000')
    await server.run('split-window', '-d', '-t', first.windowId, 'sleep 1000')
    const second = await openPane(launchOf({ instead: first }))
    expect(second.windowId).toBe(first.windowId)
    expect(await windows()).toEqual(['agents_shop:mine 2', 'agents_shop:coder 1'])
  })

  test('takes up a pane that was left when a start was broken off', async () => {
    const first = await openPane(launchOf())
    await server.run('split-window', '-d', '-t', first.windowId, 'sleep', '61')
    const second = await openPane(launchOf({ instead: first }))
    expect(await stateOf(second)).toEqual({ kind: 'alive' })
    expect(await windows()).toEqual(['agents_shop:coder 1'])
  })
})

describe('the state of a pane', () => {
  test('tells how its program ended', async () => {
    const killed = await openPane(launchOf())
    const left = await openPane(launchOf({ role: 'b', argv: ['sh', '-c', 'exit 7'] }))
    process.kill(killed.pid, 'SIGKILL')
    await waitForState(killed, { kind: 'dead', signal: 9 })
    await waitForState(left, { kind: 'dead', status: 7 })
  })

  test('tells it of every one that ends, also where tmux missed it', async () => {
    for (let round = 0; round < 12; round++) {
      const pane = await openPane(launchOf({ argv: ['sh', '-c', 'sleep 0.1; exit 5'] }))
      await waitForState(pane, { kind: 'dead', status: 5 })
      await killPane(pane)
    }
  })

  test('is missing for a pane that is gone, and other for one with its id', async () => {
    const pane = await openPane(launchOf())
    expect(await stateOf({ ...pane, id: '%99' })).toEqual({ kind: 'missing' })
    await server.run('respawn-pane', '-k', '-t', pane.id, 'sleep 1000')
    expect(await stateOf(pane)).toEqual({ kind: 'other' })
  })

  test('is found by the runtime that it was opened for, for as long as it lives', async () => {
    const pane = await openPane(launchOf({ runtimeId: 'rt_found' }))
    const { tagged } = await readPanes(server.socket, [])
    const found = expect.objectContaining({ id: pane.id, pid: pane.pid })
    expect(tagged).toEqual([{ runtimeId: 'rt_found', pane: found }])
    await killPane(pane)
    expect((await readPanes(server.socket, [])).tagged).toEqual([])
  })

  test('is not found by its runtime any more once somebody has respawned it', async () => {
    const { id } = await openPane(launchOf({ runtimeId: 'rt_respawned' }))
    await server.run('respawn-pane', '-k', '-t', id, 'sleep 1000')
    expect((await readPanes(server.socket, [])).tagged).toEqual([])
  })

  test('is unreachable, not missing, when tmux does not answer', async () => {
    const pane = await openPane(launchOf())
    process.kill(server.pid, 'SIGSTOP')
    const hung = await stateOf(pane).finally(() => process.kill(server.pid, 'SIGCONT'))
    expect(hung).toMatchObject({ kind: 'unreachable' })
    // By its socket it cannot be stopped any more.
    scene.stops.push(async () => void process.kill(server.pid, 'SIGKILL'))
    rmSync(server.socket)
    expect(await stateOf(pane)).toMatchObject({ kind: 'unreachable' })
    await scene.startTmux('t', 'other', 'sleep 1000')
    expect(await stateOf(pane)).toMatchObject({ kind: 'unreachable' })
  })

  test('is missing when its server has ended, and when another one has its socket', async () => {
    const pane = await openPane(launchOf())
    process.kill(server.pid, 'SIGKILL')
    await waitForState(pane, { kind: 'missing' })
    await scene.startTmux('t', 'other', 'sleep 1000')
    expect(await stateOf(pane)).toEqual({ kind: 'missing' })
  })
})

describe('killing a pane', () => {
  test('ends it and its program, and nothing beside it', async () => {
    const [pane, other] = [await openPane(launchOf()), await openPane(launchOf({ role: 'b' }))]
    expect(await killPane(pane)).toEqual({ kind: 'killed' })
    await waitFor(() => !isAlive(pane.pid), { what: 'its program to end' })
    expect((await readPanes(server.socket, [pane, other])).states).toEqual([
      { kind: 'missing' },
      { kind: 'alive' },
    ])
    expect(await killPane(pane)).toEqual({ kind: 'refused', why: 'gone' })
  })

  test('takes a dead pane away, too', async () => {
    const pane = await openEnded()
    expect(await killPane(pane)).toEqual({ kind: 'killed' })
    expect(await stateOf(pane)).toEqual({ kind: 'missing' })
  })

  test('leaves every other pane with its id alone', async () => {
    const pane = await openPane(launchOf())
    const wrong = [
      { ...pane, pid: pane.pid + 1 },
      { ...pane, server: pane.server + 1 },
    ]
    for (const other of wrong) {
      expect(await killPane(other)).toEqual({ kind: 'refused', why: 'other-pane' })
    }
    expect(await stateOf(pane)).toEqual({ kind: 'alive' })
  })

  test('is not made up for by a server that hung', async () => {
    const pane = await openPane(launchOf())
    process.kill(server.pid, 'SIGSTOP')
    const result = await killPane(pane).finally(() => process.kill(server.pid, 'SIGCONT'))
    expect(result).toMatchObject({ kind: 'unknown' })
    await server.run('set-option', '-g', '@after', '1')
    expect(await stateOf(pane)).toEqual({ kind: 'alive' })
  })
})

describe('what a pane inherits', () => {
  test('a program does not get the variables that it is to go without, unless it is given them', async () => {
    for (const [name, value] of Object.entries({
      ...{ CLAUDECODE: '1', CLAUDE_CODE_SESSION: 'x', CLAUDE_CODE_KEPT: 'x' },
      ...{ CLAUDE_CONFIG_DIR: '/c', HOSTILE: 'a\nCLAUDECODE_TRAP=1\n$(touch /nope)' },
    })) {
      await server.run('set-environment', '-g', name, value)
    }
    const file = join(dir, 'environment')
    const argv = ['/bin/sh', '-c', `env -0 > ${file}.part && mv ${file}.part ${file} && sleep 1000`]
    const withoutVariables = ['CLAUDECODE', 'CLAUDE_CODE_*']
    const env = { CLAUDE_CODE_KEPT: 'ours', SECRET: 'in no argument list' }
    await openPane(launchOf({ argv, env, withoutVariables }))
    await waitFor(() => existsSync(file), { what: 'its environment', until: Boolean })
    const got = new Map(
      readFileSync(file, 'utf8')
        .split('\0')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    expect(got.has('CLAUDECODE')).toBe(false)
    expect(got.has('CLAUDE_CODE_SESSION')).toBe(false)
    expect(got.get('CLAUDE_CODE_KEPT')).toBe('ours')
    expect(got.get('CLAUDE_CONFIG_DIR')).toBe('/c')
    expect(got.get('SECRET')).toBe('in no argument list')
    expect(got.get('HOSTILE')).toContain('CLAUDECODE_TRAP=1')
  })

  test('it knows its number in its window, wherever tmux begins to count', async () => {
    await server.run('set-option', '-g', 'pane-base-index', '3')
    expect((await openPane(launchOf())).index).toBe(3)
  })
})
