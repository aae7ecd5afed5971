import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { StatusView } from '../../src/contract/responses.ts'
import { command } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { productWithDaemon } from '../support/install/sabotaged-product.ts'
import { isAlive } from '../support/processes.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })

describe('the daemon that `trailboss up` starts', () => {
  test('is a process of its own: in no tmux server, on no terminal, with a clean environment', async ({
    world,
  }) => {
    const env = { ...world.env, SOME_API_KEY: 'k-123', CODEX_HOME: join(world.home, 'codex') }
    expect(await command(TRAILBOSS, ['up'], { env, cwd: world.home })).toMatchObject({ code: 0 })
    expect(await world.tmux.run('list-sessions', '-F', '#{session_name}')).toBe('work')

    const pid = await world.daemonPid()
    expect(sessionAndTerminal(pid)).toEqual({ session: pid, terminal: 0 })
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/')
    expect(readlinkSync(`/proc/${pid}/fd/0`)).toBe('/dev/null')
    const environ = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    expect(environ).toContain(`CODEX_HOME=${join(world.home, 'codex')}`)
    expect(environ.filter((entry) => /^(SOME_API_KEY|TMUX|TMUX_PANE)=/.test(entry))).toEqual([])
  })

  test('survives the terminal that it was started in, and a hangup', async ({ world }) => {
    const pane = await world.tmux.run('new-window', '-d', '-P', '-F', '#{pane_id}', 'exec sh')
    await world.tmux.run('send-keys', '-t', pane, `'${TRAILBOSS}' up`, 'Enter')
    const pid = await waitFor(() => world.daemonPid(), { what: 'the daemon to answer' })
    await world.tmux.run('kill-pane', '-t', pane)
    process.kill(pid, 'SIGHUP')
    await waitFor(() => world.daemonLog().includes('hangup ignored'), {
      what: 'the daemon to have seen the hangup',
    })
    expect(await world.daemonPid()).toBe(pid)
  })

  test('survives kill-server, ends what ran there, and serves the next server at once', async ({
    world,
  }) => {
    await world.up()
    const pid = await world.daemonPid()
    // Nobody says goodbye, and nothing is known of this one but its pane. Only a pane that was seen can be
    // missed, and the daemon sees it while the agent starts.
    await report(world, 'run-1')
    const agent = await world.agent('one')
    await agent.stop('Done.')
    await world.listed(agent)
    await world.waitForQueue('both to be listed', (items) => items.length === 2)
    await world.tmux.run('kill-server')
    await waitFor(world.queue, { what: 'both to be over', until: (items) => items.length === 0 })
    expect(await world.daemonPid()).toBe(pid)

    await using next = await serverAt(world, world.tmux.socket)
    await served(next, '0')
    await report(world, 'run-2', '%0')
    await served(next, '1')
  })

  test('starts where no tmux runs, starts none, and finds the one that comes', async ({
    world,
  }) => {
    const socket = join(world.dir, 'later')
    const env = { ...world.env, TRAILBOSS_TMUX_SOCKET: socket }
    expect(await command(TRAILBOSS, ['up'], { env, cwd: world.home })).toMatchObject({ code: 0 })
    await waitFor(async () => JSON.parse((await world.http('/status')).text) as StatusView, {
      what: 'it to have looked for a server',
      until: ({ servers }) => servers.some((one) => one.socket === socket && !one.reachable),
    })
    await using server = await serverAt(world, socket)
    await served(server, '0')
  })

  test('hears of a tmux server from an `up` that is run in it, and again after a restart', async ({
    world,
  }) => {
    await world.up()
    const second = await world.secondServer()
    // This is what TMUX reads like in a command that a tmux.conf runs.
    const env = { ...world.env, TMUX: `${second.socket},${second.pid},-1` }
    const again = await command(TRAILBOSS, ['up'], { env, cwd: world.home })
    expect(again).toMatchObject({ code: 0 })
    expect(again.stdout).toMatch(/runs already/)
    await served(second, '0')

    await world.trailboss('down')
    expect(await beatOf(second)).toBe('')
    await world.up()
    await served(second, '0')
  })

  test('is at home in the server that `up` is run in', async ({ world }) => {
    const second = await world.secondServer()
    const env = { ...world.env, TMUX: `${second.socket},${second.pid},0` }
    expect(await command(TRAILBOSS, ['up'], { env, cwd: world.home })).toMatchObject({ code: 0 })
    await served(second, '0')
  })

  test('says at once why it could not start, whatever it stumbled over', async ({ world }) => {
    const program = `process.stderr.write('The sky fell.\\n  Look up.\\n'); process.exit(9)`
    const launcher = productWithDaemon(join(world.dir, 'product'), program)
    const refused = await command(launcher, ['up'], { env: world.env, cwd: world.home })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toBe(
      'trailboss: The daemon did not start: The sky fell. (DAEMON_FAILED)\n  Look up.\n',
    )
    expect(world.daemonLog()).toContain('The sky fell.')
  })

  test('ends with `down`, and nothing is left of it', async ({ world }) => {
    await world.up()
    const pid = await world.daemonPid()
    expect(await world.trailboss('down')).toMatchObject({ code: 0 })
    expect(isAlive(pid)).toBe(false)
    expect(await world.tmux.run('list-sessions', '-F', '#{session_name}')).toBe('work')
  })
})

function sessionAndTerminal(pid: number): { session: number; terminal: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { session: Number(fields[3]), terminal: Number(fields[4]) }
}

/** A stuck session of which only its pane is known. */
async function report(world: World, session: string, id = '%0'): Promise<void> {
  const pane = { socket: world.tmux.socket, id }
  const event = { v: 1, kind: 'stuck', harness: 'my-agent', session, at: Date.now(), source: 'api' }
  const body = { ...event, pane }
  expect(await world.http('/v1/events', { method: 'POST', body })).toMatchObject({ status: 202 })
}

async function serverAt(world: World, socket: string): Promise<TmuxServer & AsyncDisposable> {
  const options = { env: world.env, session: 'work', shellCommand: 'exec sh', cwd: world.home }
  const server = await startTmuxServer({ socket, ...options })
  return { ...server, [Symbol.asyncDispose]: server.stop }
}

const beatOf = (server: TmuxServer) => server.run('display-message', '-p', '#{@trailboss_beat}')

/** Within the time that the daemon takes to look again, with room for a busy machine. */
async function served(server: TmuxServer, count: string): Promise<void> {
  const told = '#{?#{@trailboss_beat},#{?#{@trailboss_count},#{@trailboss_count},0},-}'
  await waitFor(() => server.run('display-message', '-p', told), {
    what: `the server to know of ${count} stuck`,
    until: (seen) => seen === count,
    timeoutMs: 15_000,
  })
}
