import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newRuntime, paneIn, type Runtime } from '../../src/core/supervisor/runtime/runtime.ts'
import { KeyedMutex } from '../../src/service/keyed-mutex.ts'
import type { AgentTerminator } from '../../src/supervisor/runtimes/agent-terminator.ts'
import { FirstPrompts } from '../../src/supervisor/runtimes/first-prompts.ts'
import type { Launcher } from '../../src/supervisor/runtimes/launcher.ts'
import { createRegistry } from '../../src/supervisor/runtimes/registry.ts'
import {
  type PaneObservation,
  RuntimeObserver,
} from '../../src/supervisor/runtimes/runtime-observer.ts'
import { RuntimeReconciler } from '../../src/supervisor/runtimes/runtime-reconciler.ts'
import { runCommands } from '../../src/tmux/exec.ts'
import { createBridgeScene } from '../support/supervisor/bridge-scene.ts'
import { runtimeIn } from '../support/supervisor/runtime-in.ts'
import { createTmuxScene, type TmuxScene } from '../support/tmux/tmux-scene.ts'
import { waitFor } from '../support/wait-for.ts'

const ABOUT = { runtimeId: 'rt_1', workspaceId: 'ranch', role: 'hand', harness: 'claude-code' }
const SHELL = 'exec sh'

let scene: TmuxScene
let observer: RuntimeObserver

beforeEach(async () => {
  scene = await createTmuxScene('sleep 1000')
  // The name of the program is all that makes it the harness.
  symlinkSync('/bin/sleep', join(scene.dir, 'claude'))
  observer = new RuntimeObserver(runCommands, 1_000)
})
afterEach(() => scene[Symbol.asyncDispose]())

/** A runtime that was launched with this command, and the keys pressed in its pane since. */
async function runtimeWith(command: string, ...keys: string[]): Promise<Runtime> {
  const { server, dir } = scene
  const { socket } = server
  const format = ['-d', '-P', '-F', '#{pane_id} #{pane_pid}']
  const ids = await server.run('new-window', ...format, '-c', dir, command)
  const [id = '', pid] = ids.split(' ')
  if (keys.length > 0) await server.run('send-keys', '-t', id, ...keys)
  const pane = { socket, id, server: server.pid, pid: Number(pid) }
  const registered = newRuntime({ ...ABOUT, socket, cwd: dir }, 0)
  return { ...runtimeIn('ready', registered), pane } as Runtime
}

function paneOf(runtime: Runtime): string {
  return paneIn(runtime)?.id ?? ''
}

function seenIn(runtime: Runtime, isAgent: boolean, now = 1): Promise<PaneObservation | undefined> {
  const look = async () => (await observer.look([runtime], () => now)).get(runtime.runtimeId)
  return waitFor(look, {
    what: `a pane ${isAgent ? 'with' : 'without'} its agent`,
    until: (seen) => seen?.isAgentThere === isAgent,
  })
}

describe('the foreground of a pane', () => {
  test.each<[string, string, string[]]>([
    ['the launched program, whatever its name', 'exec sleep 1000', []],
    ['the launched script', `sh -c 'sleep 1000; true'`, []],
    ['its harness, below a shell', SHELL, ['./claude 1000', 'Enter']],
  ])('is the agent if it is %s', async (_, command, keys) => {
    const runtime = await runtimeWith(command, ...keys)
    expect(await seenIn(runtime, true)).toMatchObject({ pane: 'here', otherSince: undefined })
  })

  test.each<[string, string[], string]>([
    ['a shell that waits for a command', [], 'sh'],
    ['another program of that shell', ['sleep 1000', 'Enter'], 'sleep'],
  ])('is not the agent if it is %s', async (_, keys, name) => {
    const runtime = await runtimeWith(SHELL, ...keys)
    const format = ['-t', paneOf(runtime), '#{pane_current_command}']
    await waitFor(() => scene.server.run('display-message', '-p', ...format), {
      what: `${name} in the foreground`,
      until: (current) => current === name,
    })
    expect(await seenIn(runtime, false)).toMatchObject({ pane: 'here', otherSince: 1 })
  })

  test('counts as another from the first look that saw it, until the agent is back', async () => {
    const runtime = await runtimeWith(SHELL)
    const press = (...keys: string[]) =>
      scene.server.run('send-keys', '-t', paneOf(runtime), ...keys)
    expect(await seenIn(runtime, false, 10)).toMatchObject({ otherSince: 10 })
    expect(await seenIn(runtime, false, 20)).toMatchObject({ otherSince: 10 })
    await press('./claude 1000', 'Enter')
    expect(await seenIn(runtime, true, 30)).toMatchObject({ otherSince: undefined })
    await press('C-c')
    expect(await seenIn(runtime, false, 40)).toMatchObject({ otherSince: 40 })
  })
})

test('a runtime fails once something else has been in its pane for the grace time', async () => {
  using bridge = createBridgeScene()
  const { context } = bridge
  const registry = createRegistry(context)
  const runtime = await runtimeWith(SHELL)
  registry.change(() => registry.save(runtime))
  await seenIn(runtime, false, context.clock.now())
  const changes: string[] = []
  const reconciler = new RuntimeReconciler({
    context,
    registry,
    mutex: new KeyedMutex(),
    observer,
    launcher: {} as Launcher,
    terminator: {} as AgentTerminator,
    firstPrompts: new FirstPrompts(),
    screens: { keep: async () => {} },
    tokens: bridge.tokens,
    planOf: () => context.workspaces.plan('ranch/executor'),
    isDelivering: () => false,
    canResume: () => false,
    changed: ({ status }) => changes.push(status),
  })
  const { commandGraceMs } = context.settings.runtime
  bridge.pass(commandGraceMs - 10_000)
  await reconciler.reconcile()
  expect(registry.find('rt_1')?.status).toBe('ready')
  bridge.pass(10_000)
  await reconciler.reconcile()
  const failure = { status: 'failed', lastFailure: { code: 'REGISTRY_DRIFT' } }
  expect(registry.find('rt_1')).toMatchObject(failure)
  expect(registry.find('rt_1')?.failures).toHaveLength(1)
  expect(changes).toEqual(['failed'])
  expect(bridge.audit('registry_drift')).toMatchObject([
    { runtimeId: 'rt_1', result: 'REGISTRY_DRIFT' },
  ])
})
