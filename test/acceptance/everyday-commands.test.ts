import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { command } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { isAlive } from '../support/processes.ts'
import { TMUX } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })

describe('trailboss alone', () => {
  test('shows the status and what to do next, whether it runs or not', async ({ world }) => {
    const stopped = await world.trailboss()
    expect(stopped).toMatchObject({ code: 0, stderr: '' })
    expect(stopped.stdout).toContain('Trail Boss is not running.')
    expect(stopped.stdout).toMatch(/^ {2}trailboss up +\S/m)

    await world.up()
    const quiet = await world.trailboss()
    expect(quiet).toMatchObject({ code: 0, stderr: '' })
    expect(quiet.stdout).toMatch(/^Trail Boss \S+ runs \(pid \d+/)
    expect(quiet.stdout).toMatch(/^ {2}trailboss install tmux +\S/m)
    expect(quiet.stdout).not.toMatch(/trailboss next/)

    await world.bindKeys()
    const agent = await world.agent('one')
    await agent.stop('Done.')
    await world.listed(agent)
    const busy = await world.trailboss()
    expect(busy.stdout).toMatch(/^ {2}trailboss next +\S/m)
    expect(busy.stdout).not.toMatch(/install tmux/)
    expect(busy.stdout).toMatch(/^ {2}trailboss help +\S/m)
  })
})

describe('trailboss help', () => {
  test('is the help of the program, of a command, and of one below it', async ({ world }) => {
    const all = await world.trailboss('--help')
    expect(await world.trailboss('help')).toEqual(all)
    expect(all.code).toBe(0)
    for (const name of ['up, start', 'down, stop', 'restart', 'logs', 'help']) {
      expect(all.stdout).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
    }
    for (const words of [['up'], ['start'], ['runtime', 'start']]) {
      const asked = await world.trailboss('help', ...words)
      expect(asked).toMatchObject({ code: 0, stderr: '' })
      expect(asked).toEqual(await world.trailboss(...words, '--help'))
    }
    const unknown = await world.trailboss('help', 'nonsense')
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('There is no command "nonsense".')
    expect(await world.trailboss('nonsense')).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('start, stop and restart', () => {
  test('do what they say', async ({ world }) => {
    expect(await world.trailboss('start')).toMatchObject({ code: 0 })
    const first = await world.daemonPid()
    const again = await world.json<{ status: string; pid: number; was: number }>('restart')
    expect(again).toEqual({ status: 'restarted', pid: await world.daemonPid(), was: first })
    expect(again.pid).not.toBe(first)
    expect(isAlive(first)).toBe(false)
    expect(await world.trailboss('stop')).toMatchObject({ code: 0 })
    expect(await world.trailboss('status')).toMatchObject({ code: 3 })

    const started = await world.trailboss('restart')
    expect(started).toMatchObject({ code: 0 })
    expect(started.stdout).toMatch(/^Trail Boss is up \(pid \d+\), in the background\.$/m)
  })

  test('restart stops nothing where the next start would be refused', async ({ world }) => {
    await world.up()
    const pid = await world.daemonPid()
    const env = { ...world.env, TRAILBOSS_PORT: 'nonsense' }
    const refused = await command(TRAILBOSS, ['restart'], { env, cwd: world.home })
    expect(refused).toMatchObject({ code: 2 })
    expect(await world.daemonPid()).toBe(pid)
  })
})

describe('trailboss logs', () => {
  test('shows the end of the log as one reads it, or raw', async ({ world }) => {
    const none = await world.trailboss('logs')
    expect(none).toMatchObject({ code: 4, stdout: '' })
    expect(none.stderr).toContain('There is no log yet')

    await world.up()
    const { code, stdout } = await world.trailboss('logs')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d +info +started version=\S+$/m)

    appendFileSync(logOf(world), 'Native crash\x1b[31m!\n')
    const last = await world.trailboss('logs', '-n', '1')
    expect(last.stdout).toBe('Native crash!\n')
    const raw = await world.trailboss('logs', '--json')
    const lines = raw.stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as { msg: string }).map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['started', 'Native crash\x1b[31m!']),
    )
    expect(raw.stdout).not.toContain('\x1b')
    for (const count of ['0', 'x']) {
      expect(await world.trailboss('logs', '--lines', count)).toMatchObject({ code: 2 })
    }
  })

  test('goes on with what is new, also in the next file, until it is interrupted', async ({
    world,
  }) => {
    await world.up()
    const follower = spawn(TRAILBOSS, ['logs', '-f', '-n', '1'], { env: world.env })
    let seen = ''
    follower.stdout.on('data', (bytes: Buffer) => {
      seen += bytes.toString('utf8')
    })
    try {
      await waitFor(() => seen.split('\n').length > 1, { what: 'the last line' })
      appendFileSync(logOf(world), 'One more.\n')
      await waitFor(() => seen.includes('One more.\n'), { what: 'a new line' })
      renameSync(logOf(world), `${logOf(world)}.1`)
      appendFileSync(`${logOf(world)}.1`, 'The last of the old.\n')
      appendFileSync(logOf(world), 'The first of the new.\n')
      await waitFor(() => seen.includes('The last of the old.\nThe first of the new.\n'), {
        what: 'the next file',
      })
    } finally {
      follower.kill('SIGINT')
      await once(follower, 'exit')
    }
  })
})

test('trailboss next outside of tmux takes the client of the server where the session is', async ({
  world,
}) => {
  await world.up()
  const agent = await world.agent('one')
  await agent.stop('Done.')
  await world.listed(agent)
  const env = { ...world.env, TRAILBOSS_TMUX_SOCKET: join(world.dir, 'nobody-there') }
  expect(await command(TRAILBOSS, ['next'], { env })).toMatchObject({ code: 0, stderr: '' })
  await world.operator.waitToBeOn(agent.pane)
})

describe('trailboss next where no client is attached', () => {
  test('in a terminal it attaches there, and elsewhere it says what to run', async ({ world }) => {
    await world.up()
    const agent = await world.agent('one', { tmuxSession: 'elsewhere' })
    await agent.stop('Done.')
    await world.listed(agent)
    await world.tmux.run('detach-client', '-a')
    await world.tmux.run('detach-client', '-s', 'work')

    const told = await world.trailboss('next')
    expect(told).toMatchObject({ code: 6, stdout: '' })
    const attach = `tmux -S '${world.tmux.socket}' attach -t '${agent.pane.id}'`
    expect(told.stderr).toContain(attach)

    const terminal = ['new-session', '-d', '-s', 'plain', '-x', '120', '-y', '30']
    const outer = (...args: string[]) =>
      command(TMUX, ['-S', join(world.dir, 'outer'), '-f', '/dev/null', ...args], world)
    try {
      const run = `unset TMUX TMUX_PANE; '${TRAILBOSS}' next; echo "ended with $?"; exec sleep 600`
      expect(await outer(...terminal, run)).toMatchObject({ code: 0 })
      await waitFor(() => world.tmux.run('list-clients', '-F', '#{pane_id}'), {
        what: 'a client on the pane',
        until: (panes) => panes === agent.pane.id,
      })
      await world.tmux.run('detach-client', '-s', 'elsewhere')
      await waitFor(async () => (await outer('capture-pane', '-p')).stdout, {
        what: 'it to have ended',
        until: (screen) => screen.includes('ended with 0'),
      })
    } finally {
      await outer('kill-server')
    }
  })
})

function logOf(world: World): string {
  return join(world.state, 'trailboss.log')
}
