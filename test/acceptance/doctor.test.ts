import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect } from 'vitest'
import { HOOK_EVENTS } from '../../src/harness/claude-code/wiring/hook-events.ts'
import { command, type Result } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { sabotagedProduct } from '../support/install/sabotaged-product.ts'
import { waitFor } from '../support/wait-for.ts'
import { testsInOneWorld } from '../support/world.ts'

const test = testsInOneWorld()

const EMITTER = `${TRAILBOSS}-emit`

type Check = { name: string; status: string; detail: string; mend: string | null }

describe('trailboss doctor, when all is well', () => {
  test('finds nothing broken, and leaves nothing behind', async ({ world }) => {
    const tmp = mkdtempSync(join(world.dir, 'tmp'))
    const { code, stdout } = await doctor(world, { TMPDIR: tmp })
    expect(stdout).toMatch(/Nothing is broken/)
    expect(stdout).not.toContain('✗')
    expect(code).toBe(0)
    expect(readdirSync(tmp).filter((name) => name.startsWith('trailboss-'))).toEqual([])
    expect(await world.queue()).toEqual([])
    expect(await world.sessions()).toEqual([])
  })

  test('--json gives every link with its state, and a mend for what is not ok', async ({
    world,
  }) => {
    const { checks } = await world.json<{ checks: Check[] }>('doctor')
    const names = [
      'config',
      'tmux',
      'tmux server',
      'home',
      'socket',
      'tokens',
      'disk',
      'daemon',
      'database',
    ]
    const more = ['spool', 'keys', 'tmux.conf', 'status line', 'live queue', 'status files', 'curl']
    // Which tmux there is decides whether it is spoken of.
    const told = checks.filter(({ name }) => name !== 'control client')
    const fine = told.filter(({ status }) => status === 'ok')
    expect(fine.map(({ name }) => name)).toEqual([...names, ...more, 'round trip', 'clock'])
    for (const { mend } of fine) expect(mend).toBeNull()
    const rest = told.filter(({ status }) => status !== 'ok')
    expect(rest.map(({ name, status }) => [name, status])).toEqual([['Claude Code', 'warning']])
    expect(rest[0]?.mend).toMatch(/trailboss install claude-code/)
  })
})

test('a reader that has seen enough does not break it off half-way', async ({ world }) => {
  const tmp = mkdtempSync(join(world.dir, 'tmp'))
  const script = `'${TRAILBOSS}' doctor | head -n 1`
  const env = { ...world.env, TMPDIR: tmp }
  const { stdout, stderr } = await command('sh', ['-c', script], { env, cwd: world.home })
  expect(stdout).toBe('  ✓ config          ok\n')
  expect(stderr).toBe('')
  expect(readdirSync(tmp).filter((name) => name.startsWith('trailboss-'))).toEqual([])
})

describe('trailboss doctor names what is broken and how to mend it', () => {
  test('a daemon that is down: the rest is checked all the same', async ({ world }) => {
    await world.trailboss('down')
    const { code, checks } = await examine(world)
    expect(code).toBe(1)
    expect(checks.get('daemon')).toMatchObject({ status: 'broken' })
    expect(checks.get('daemon')?.mend).toMatch(/trailboss up/)
    expect(checks.get('keys')).toMatchObject({ status: 'ok' })
    expect(checks.get('round trip')).toMatchObject({ status: 'ok' })
    await world.up()
  })

  test('a daemon that hangs is not one to be started', async ({ world }) => {
    const pid = await world.daemonPid()
    process.kill(pid, 'SIGSTOP')
    try {
      const { checks } = await examine(world)
      expect(checks.get('daemon')).toMatchObject({ status: 'broken' })
      expect(checks.get('daemon')?.detail).toMatch(/is there, but did not answer/)
      expect(checks.get('daemon')?.mend).toMatch(/trailboss restart/)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })

  test('a home that others can enter', async ({ world }) => {
    // A daemon that runs would close it.
    await world.trailboss('down')
    chmodSync(world.state, 0o755)
    const { code, checks } = await examine(world)
    expect(code).toBe(1)
    expect(checks.get('home')).toMatchObject({ status: 'broken' })
    expect(checks.get('home')?.detail).toMatch(/755/)
    expect(checks.get('home')?.mend).toContain(`chmod 700 '${world.state}'`)
    chmodSync(world.state, 0o700)
    await world.up()
  })

  test('a socket and a token that others can use', async ({ world }) => {
    writeFileSync(join(world.state, 'token'), `${'0'.repeat(64)}\n`)
    chmodSync(join(world.state, 'token'), 0o644)
    chmodSync(join(world.state, 'trailboss.sock'), 0o666)
    const { code, checks } = await examine(world)
    expect(code).toBe(1)
    expect(checks.get('tokens')?.mend).toMatch(/new one made: rm .*token'/)
    expect(checks.get('socket')?.mend).toMatch(/chmod 600 .*trailboss\.sock'/)
    rmSync(join(world.state, 'token'))
    chmodSync(join(world.state, 'trailboss.sock'), 0o600)
  })

  test('events that wait in the spool, and events that nobody understood', async ({ world }) => {
    await world.trailboss('down')
    const stdin = JSON.stringify({ session_id: 's', hook_event_name: 'Stop' })
    await command(TRAILBOSS, ['emit', 'claude-code'], { env: world.env, stdin })
    await waitFor(() => readdirSync(join(world.state, 'spool')), {
      what: 'the event to be in the spool',
      until: (names) => names.some((name) => /^\d.*\.json$/.test(name)),
    })
    const waiting = await examine(world)
    expect(waiting.checks.get('spool')).toMatchObject({ status: 'warning' })
    expect(waiting.checks.get('spool')?.detail).toMatch(/1 event waits/)
    expect(waiting.checks.get('spool')?.mend).toMatch(/trailboss up/)

    await world.up()
    mkdirSync(join(world.state, 'spool', 'bad'))
    writeFileSync(join(world.state, 'spool', 'bad', '1-1.json'), '{')
    const bad = await examine(world)
    expect(bad.code).toBe(0)
    expect(bad.checks.get('spool')).toMatchObject({ status: 'warning' })
    expect(bad.checks.get('spool')?.detail).toMatch(/1 event was not understood/)
    expect(bad.checks.get('spool')?.mend).toMatch(/rm -r '.*bad'/)
    rmSync(join(world.state, 'spool', 'bad'), { recursive: true })
  })

  test('a spool that is not a directory', async ({ world }) => {
    const spool = join(world.state, 'spool')
    rmSync(spool, { recursive: true })
    writeFileSync(spool, '')
    const { code, checks } = await examine(world)
    expect(code).toBe(1)
    expect(checks.get('spool')).toMatchObject({ status: 'broken' })
    expect(checks.get('spool')?.detail).toContain(`${spool} is not a directory`)
    expect(checks.get('spool')?.mend).toMatch(/Move it away/)
    rmSync(spool)
    mkdirSync(spool, { mode: 0o700 })
  })

  // Modes do not stop root.
  test.skipIf(process.getuid?.() === 0).for(['500', '300', '000'])(
    'a spool of mode %s, where no event can be kept',
    async (mode, { world }) => {
      const spool = join(world.state, 'spool')
      chmodSync(spool, Number.parseInt(mode, 8))
      const { code, checks } = await examine(world)
      chmodSync(spool, 0o700)
      expect(code).toBe(1)
      expect(checks.get('spool')).toMatchObject({ status: 'broken' })
      expect(checks.get('spool')?.mend).toContain(`chmod 700 '${spool}'`)
      expect(readdirSync(spool)).toEqual([])
    },
  )

  test('keys that are not bound in the running server, and keys that are nowhere', async ({
    world,
  }) => {
    await world.tmux.run('unbind-key', '-T', 'prefix', 'S')
    const one = await examine(world)
    expect(one.code).toBe(0)
    expect(one.checks.get('keys')).toMatchObject({ status: 'warning' })
    expect(one.checks.get('keys')?.mend).toMatch(/install tmux --key-skip/)

    for (const key of ['Tab', 'g', 'B']) await world.tmux.run('unbind-key', '-T', 'prefix', key)
    const unloaded = await examine(world)
    expect(unloaded.code).toBe(1)
    expect(unloaded.checks.get('keys')).toMatchObject({ status: 'broken' })
    expect(unloaded.checks.get('keys')?.mend).toMatch(/source-file '.*\.tmux\.conf'/)

    await world.trailboss('uninstall', 'tmux', '--yes')
    const { checks } = await examine(world)
    expect(checks.get('keys')?.mend).toMatch(/trailboss install tmux/)
    expect(checks.get('tmux.conf')).toMatchObject({ status: 'warning' })

    writeFileSync(join(world.home, '.tmux.conf'), "set -g @plugin 'somebody/trailboss'\n")
    const plugin = await examine(world)
    expect(plugin.checks.get('tmux.conf')).toMatchObject({
      status: 'ok',
      detail: 'TPM loads the keys',
    })
    rmSync(join(world.home, '.tmux.conf'))
    await world.bindKeys()
  })

  test('a stuck count that the status line has lost', async ({ world }) => {
    const statusLine = async () => (await examine(world)).checks.get('status line')
    await world.tmux.run('set-option', '-g', 'status-right', 'a theme')
    expect(await statusLine()).toMatchObject({ status: 'ok' })

    await world.tmux.run('set-option', '-g', 'status-format[0]', 'all mine: #{status-right}')
    expect(await statusLine()).toMatchObject({ status: 'warning' })
    expect((await statusLine())?.mend).toContain('#{E:@trailboss_segment}')

    await world.tmux.run('set-option', '-g', 'status-right', '#{E:@trailboss_segment}')
    expect(await statusLine()).toMatchObject({ status: 'ok' })

    await world.tmux.run('set-option', '-g', 'status', 'off')
    expect(await statusLine()).toMatchObject({ status: 'warning' })
    expect((await statusLine())?.mend).toContain('set -g status on')
    for (const name of ['status', 'status-right', 'status-format[0]']) {
      await world.tmux.run('set-option', '-gu', name)
    }
    await world.bindKeys()
  })

  test('a config that cannot be used', async ({ world }) => {
    writeFileSync(join(world.state, 'config.json'), '{"prot": 1}')
    const { code, checks } = await examine(world)
    expect(code).toBe(1)
    expect(checks.get('config')?.detail).toMatch(/prot/)
    expect(checks.get('daemon')).toMatchObject({ status: 'ok' })
    rmSync(join(world.state, 'config.json'))
  })

  test('an emitter that sends nothing', async ({ world }) => {
    const product = sabotagedProduct(join(world.dir, 'product'))
    const { code, stdout } = await doctor(world, {}, product)
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ round trip +a Stop was fired and did not reach the queue/)
  })

  test('a curl that does not work is a warning: events then go through files', async ({
    world,
  }) => {
    const bin = join(world.dir, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'curl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { code, checks } = await examine(world, { PATH: `${bin}:${world.env['PATH']}` })
    expect(checks.get('curl')).toMatchObject({ status: 'warning' })
    expect(checks.get('round trip')).toMatchObject({ status: 'ok' })
    expect(code).toBe(0)
  })
})

describe("trailboss doctor looks at Claude Code's hooks", () => {
  afterEach<{ world: World }>(({ world }) =>
    rmSync(join(world.home, '.claude'), { recursive: true, force: true }),
  )

  const settings = (world: World, events: string[], program = EMITTER) => {
    const hook = { type: 'command', command: `${program} claude-code` }
    const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]))
    mkdirSync(join(world.home, '.claude'), { recursive: true })
    writeFileSync(join(world.home, '.claude', 'settings.json'), JSON.stringify({ hooks }))
  }

  test('all there; some missing; run from a place that is gone; none', async ({ world }) => {
    settings(world, HOOK_EVENTS)
    expect((await examine(world)).checks.get('Claude Code')).toMatchObject({ status: 'ok' })

    settings(world, ['SessionStart', 'Stop'])
    const some = (await examine(world)).checks.get('Claude Code')
    expect(some).toMatchObject({ status: 'warning' })
    expect(some?.detail).toMatch(/no hook of ours for SessionEnd, .*PermissionRequest/)
    expect(some?.mend).toMatch(/trailboss install claude-code/)

    settings(world, HOOK_EVENTS, '/moved/away/trailboss-emit')
    const gone = (await examine(world)).checks.get('Claude Code')
    expect(gone).toMatchObject({ status: 'broken' })
    expect(gone?.detail).toContain('/moved/away/trailboss-emit')
    expect(gone?.mend).toMatch(/trailboss install claude-code/)

    settings(world, [])
    const none = (await examine(world)).checks.get('Claude Code')
    expect(none).toMatchObject({ status: 'warning' })
    expect(none?.detail).toMatch(/no hook of ours in .*: sessions are found all the same/)
    expect(none?.mend).toMatch(/trailboss install claude-code/)
  })

  test('what install writes is what doctor wants to see, also in a project', async ({ world }) => {
    const plugin = await world.trailboss('install', 'claude-code', '--yes', '--plugin', 'elsewhere')
    expect(plugin.stderr).not.toMatch(/trailboss doctor/)
    await world.trailboss('install', 'claude-code', '--yes', '--project', '.', '--local')
    const { checks } = await examine(world)
    expect(checks.get('Claude Code')).toMatchObject({ status: 'ok' })
    expect(checks.get('Claude Code')?.detail).toContain('settings.local.json')
    const own = await world.trailboss('install', 'claude-code', '--yes')
    expect(own.stderr).toMatch(/trailboss doctor/)
  })

  test('a file that is broken, with the place; and hooks that are turned off', async ({
    world,
  }) => {
    const file = join(world.home, '.claude', 'settings.json')
    settings(world, HOOK_EVENTS)
    writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{"disableAllHooks": true, '))
    const { checks } = await world.json<{ checks: Check[] }>('doctor')
    const off = checks.filter(({ name }) => name === 'Claude Code')
    expect(off).toEqual([expect.objectContaining({ status: 'warning' })])
    expect(off[0]?.detail).toContain('"disableAllHooks" is true')

    writeFileSync(file, '{"model": opus}')
    const broken = (await examine(world)).checks.get('Claude Code')
    expect(broken).toMatchObject({ status: 'broken' })
    expect(broken?.detail).toMatch(/settings\.json, line 1, column 11: .*opus/)
    expect(broken?.mend).not.toMatch(/changed/)
  })
})

test('trailboss doctor names a status file of Claude Code that it does not understand', async ({
  world,
}) => {
  const sessions = join(world.home, '.claude', 'sessions')
  const file = join(sessions, `${process.pid}.json`)
  mkdirSync(sessions, { recursive: true })
  writeFileSync(file, '{"pid":')
  const odd = await examine(world)
  expect(odd.code).toBe(0)
  expect(odd.checks.get('status files')).toMatchObject({ status: 'warning' })
  expect(odd.checks.get('status files')?.detail).toContain(file)
  expect(odd.checks.get('status files')?.mend).toMatch(/Restart that Claude Code/)

  rmSync(file)
  expect((await examine(world)).checks.get('status files')).toMatchObject({ status: 'ok' })
})

function doctor(
  world: World,
  env: Record<string, string> = {},
  program = TRAILBOSS,
): Promise<Result> {
  return command(program, ['doctor'], { env: { ...world.env, ...env }, cwd: world.home })
}

/** The checks by name; of several with one name the last. */
async function examine(
  world: World,
  env: Record<string, string> = {},
): Promise<{ code: number; checks: Map<string, Check> }> {
  const options = { env: { ...world.env, ...env }, cwd: world.home }
  const { code, stdout } = await command(TRAILBOSS, ['doctor', '--json'], options)
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return { code, checks: new Map(checks.map((check) => [check.name, check])) }
}
