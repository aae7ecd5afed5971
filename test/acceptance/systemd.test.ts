import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { command, type Result } from '../support/command.ts'
import { TRAILBOSS, type World } from '../support/create-world.ts'
import { test as base } from '../support/world.ts'

const test = base.override({ worldOptions: { up: false } })
const STUB = fileURLToPath(new URL('../support/install/stub-systemctl.mjs', import.meta.url))

describe('trailboss up --systemd', () => {
  test('passes on all that the daemon needs, as it is, and nothing else', async ({ world }) => {
    const systemd = useSystemd(world)
    const odd = join(world.dir, 'a "b" $c %d \\e \'f\' é\ng')
    const wanted = {
      CODEX_HOME: odd,
      CLAUDE_CONFIG_DIR: join(world.dir, 'claude'),
      GEMINI_CLI_HOME: join(world.dir, 'gemini'),
      QWEN_HOME: join(world.dir, 'qwen'),
      OPENCODE_CONFIG_DIR: join(world.dir, 'opencode'),
      XDG_CONFIG_HOME: join(world.dir, 'config'),
      XDG_STATE_HOME: join(world.dir, 'state'),
    }
    const strange = { SOME_API_KEY: 'k-123', TRAILBOSS_BRIDGE_TOKEN: 'tbr_x' }
    const up = await systemd.run(['up', '--systemd'], { ...wanted, ...strange })
    expect(up).toMatchObject({ code: 0 })
    expect(up.stdout).toContain('as the user unit trailboss.service')

    const environ = readFileSync(`/proc/${await world.daemonPid()}/environ`, 'utf8').split('\0')
    const { TMUX_TMPDIR, TRAILBOSS_HOME, LANG } = world.env
    for (const [name, value] of Object.entries({ ...wanted, TMUX_TMPDIR, TRAILBOSS_HOME, LANG })) {
      expect(environ).toContain(`${name}=${value}`)
    }
    expect(
      environ.filter((entry) => /^(SOME_API_KEY|TRAILBOSS_BRIDGE_TOKEN)=/.test(entry)),
    ).toEqual([])
  })

  test.for(['daemon-reload', 'enable'])(
    'leaves no unit behind where systemctl %s fails',
    async (verb, { world }) => {
      const systemd = useSystemd(world)
      systemd.refuse(verb)
      const failed = await systemd.run(['up', '--systemd'])
      expect(failed).toMatchObject({ code: 1, stdout: '' })
      expect(failed.stderr).toContain(`systemctl --user ${verb}`)
      expect(failed.stderr).toContain('No medium found')
      expect(existsSync(systemd.unit)).toBe(false)
      expect(systemd.isEnabled()).toBe(false)
    },
  )

  test('gives the unit back that was there before', async ({ world }) => {
    const systemd = useSystemd(world)
    expect(await systemd.run(['up', '--systemd'])).toMatchObject({ code: 0 })
    await systemd.run(['down'])
    const before = `${readFileSync(systemd.unit, 'utf8')}# My own line.\n`
    writeFileSync(systemd.unit, before)
    systemd.refuse('enable')
    expect(await systemd.run(['up', '--systemd'])).toMatchObject({ code: 1 })
    expect(readFileSync(systemd.unit, 'utf8')).toBe(before)
    expect(systemd.isEnabled()).toBe(true)
  })

  test('is what restart restarts', async ({ world }) => {
    const systemd = useSystemd(world)
    await systemd.run(['up', '--systemd'])
    const before = await world.daemonPid()
    const restarted = await systemd.run(['restart'])
    expect(restarted).toMatchObject({ code: 0 })
    expect(restarted.stdout).toContain('as the user unit trailboss.service')
    expect(await world.daemonPid()).not.toBe(before)
    expect(systemd.calls()).toContain('restart')
  })

  test('is taken back by down --systemd', async ({ world }) => {
    const systemd = useSystemd(world)
    await systemd.run(['up', '--systemd'])
    expect(await systemd.run(['down', '--systemd'])).toMatchObject({ code: 0 })
    expect(existsSync(systemd.unit)).toBe(false)
    expect(systemd.isEnabled()).toBe(false)
    expect(await world.trailboss('status')).toMatchObject({ code: 3 })
  })
})

type Systemd = {
  unit: string
  run(args: string[], env?: NodeJS.ProcessEnv): Promise<Result>
  refuse(verb: string): void
  isEnabled(): boolean
  calls(): string[]
}

function useSystemd({ dir, home, env }: World): Systemd {
  const [bin, state] = [join(dir, 'bin'), join(dir, 'systemd')]
  for (const each of [bin, state]) mkdirSync(each)
  const script = `#!/bin/sh\nexec '${process.execPath}' '${STUB}' "$@"\n`
  writeFileSync(join(bin, 'systemctl'), script, { mode: 0o755 })
  const ours = { ...env, PATH: `${bin}:${env['PATH']}`, STUB_SYSTEMD: state }
  return {
    unit: join(home, '.config', 'systemd', 'user', 'trailboss.service'),
    run: (args, more = {}) => command(TRAILBOSS, args, { env: { ...ours, ...more }, cwd: home }),
    refuse: (verb) => writeFileSync(join(state, 'refused'), verb),
    isEnabled: () => existsSync(join(state, 'enabled')),
    calls: () => readFileSync(join(state, 'calls'), 'utf8').split('\n'),
  }
}
