import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DispatchView } from '../../../src/contract/dispatch.ts'
import { waitFor } from '../../support/wait-for.ts'
import { FAKE_KEY } from './agents/claude-home.ts'
import { cachedClient } from './client.ts'
import type { RealWorld } from './real-world.ts'

/** A workspace, `ranch`, in which the real Claude Code is dispatched, and one who reviews: `judge`. */
export type DispatchScene = AsyncDisposable & {
  directory: string
  dispatch(name: string, prompt: string, ...more: string[]): Promise<DispatchView>
  status(name: string): Promise<DispatchView>
  reaches(name: string, ...states: DispatchView['state'][]): Promise<DispatchView>
  /** As somebody who looks at its pane would. */
  press(name: string, key: string): Promise<void>
  screen(name: string): Promise<string>
}

export async function dispatchScene(
  { world, model }: Pick<RealWorld, 'world' | 'model'>,
  policy: 'escalate' | 'approve',
): Promise<DispatchScene> {
  const directory = join(world.dir, 'projects', `ranch-${policy}`)
  const tmp = join(world.dir, 'tmp')
  for (const dir of [directory, tmp]) mkdirSync(dir, { recursive: true })
  const program = {
    command: [cachedClient().binary, '--permission-mode', 'manual'],
    env: {
      TMPDIR: tmp,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: FAKE_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }
  const ranch = {
    directories: [directory],
    policy,
    harnesses: { 'claude-code': program },
    roles: { judge: { harness: 'claude-code' } },
  }
  await world.trailboss('down')
  writeFileSync(join(world.state, 'config.json'), JSON.stringify({ workspaces: { ranch } }))
  await world.up()

  const status = (name: string) => world.json<DispatchView>('dispatch', 'status', name)
  const paneOf = async (name: string) => (await status(name)).pane?.id ?? '(none)'
  const dispatched: string[] = []
  return {
    directory,
    dispatch: (name, prompt, ...more) => {
      dispatched.push(name)
      return world.json<DispatchView>(
        ...['dispatch', name, '--harness', 'claude-code', '--cwd', directory],
        ...['--prompt', prompt, ...more],
      )
    },
    status,
    reaches: (name, ...states) =>
      waitFor(() => status(name), {
        what: `dispatch ${name} to be ${states.join(' or ')}`,
        until: ({ state }) => states.includes(state),
        timeoutMs: 90_000,
      }),
    press: async (name, key) => {
      await world.tmux.run('send-keys', '-t', await paneOf(name), key)
    },
    screen: async (name) => world.tmux.run('capture-pane', '-p', '-t', await paneOf(name)),
    [Symbol.asyncDispose]: async () => {
      for (const name of dispatched) await world.trailboss('dispatch', 'stop', name)
      await world.trailboss('runtime', 'stop', '--all')
      await waitFor(() => world.json<{ runtimes: { status: string }[] }>('runtime', 'list'), {
        what: 'every runtime to be stopped',
        until: ({ runtimes }) => runtimes.every((one) => one.status === 'stopped'),
        timeoutMs: 30_000,
      })
    },
  }
}
