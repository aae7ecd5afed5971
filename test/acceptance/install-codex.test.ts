import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { HOOK_EVENTS } from '../../src/harness/codex/wiring/hook-events.ts'
import { trustOf, untrusted } from '../../src/harness/codex/wiring/trust.ts'
import {
  EMITTER,
  hooksHomePerTest,
  readText,
  snapshot,
  writeText,
} from '../support/install/hooks-home.ts'
import { expectGivenBack } from '../support/install/install-cycle.ts'

const it = hooksHomePerTest()
let hooks: string
let config: string

beforeEach(() => {
  hooks = join(it.home, '.codex', 'hooks.json')
  config = join(it.home, '.codex', 'config.toml')
})

const install = (...args: string[]) => it.trailboss('install', 'codex', '--yes', ...args)
const uninstall = () => it.trailboss('uninstall', 'codex', '--yes')

const OTHER_HOOKS = `{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "afplay /System/Library/Sounds/Glass.aiff" }] }
    ],
    "PreCompact": []
  }
}
`

const CONFIG = `# my settings
model = "gpt-5-codex"
approval_policy = "on-request" # ask me

[mcp_servers.docs]
command = "npx"
args = [
  "-y", # yes
  "docs-server",
]

[projects."/home/op/proj"]
trust_level = "trusted"
`

const TRUSTED = `${CONFIG}
[hooks.state."/somewhere/hooks.json:stop:0:0"]
trusted_hash = "sha256:0000"
`

/** Real-looking homes. */
const HOMES: Record<string, () => void> = {
  'an ordinary config and no hooks': () => writeText(config, CONFIG),
  'hooks of other tools, trusted': () => {
    writeText(hooks, OTHER_HOOKS)
    writeText(config, TRUSTED)
  },
  'a config with no newline at its end': () => writeText(config, CONFIG.trimEnd()),
  'CRLF lines and a byte order mark': () => {
    writeText(config, `\ufeff${CONFIG.replaceAll('\n', '\r\n')}`, 0o640)
    writeText(hooks, OTHER_HOOKS.replaceAll('\n', '\r\n'))
  },
  'symlinks into a dotfiles repository, with modes of their own': () => {
    writeText(join(it.home, 'dotfiles', 'config.toml'), CONFIG, 0o600)
    writeText(join(it.home, 'dotfiles', 'hooks.json'), OTHER_HOOKS, 0o644)
    mkdirSync(join(it.home, '.codex'))
    symlinkSync('../dotfiles/config.toml', config)
    symlinkSync('../dotfiles/hooks.json', hooks)
  },
  'a features table': () => writeText(config, `${CONFIG}\n[features]\nweb_search = true\n`),
  'a feature among the first lines': () =>
    writeText(config, `features.web_search = true\n${CONFIG}`),
  'features in braces': () =>
    writeText(config, `features = { web_search = true } # mine\n${CONFIG}`),
  'the shared daemon switched on in braces': () =>
    writeText(config, `features = {daemon_auto_start = true, web_search = true}\n${CONFIG}`),
  'the shared daemon switched on by hand': () =>
    writeText(config, `[features]\ndaemon_auto_start = true # I like it\n${CONFIG}`),
  'empty files': () => {
    writeText(config, '')
    writeText(hooks, '')
  },
  'an empty object': () => writeText(hooks, '{}'),
  'only a history': () => writeText(join(it.home, '.codex', 'history.jsonl'), '{}\n'),
  'nothing at all': () => {},
}

describe('install codex, then uninstall, gives every file back byte for byte', () => {
  test.each(
    Object.entries(HOMES).flatMap(([name, prepare]) => [
      [name, prepare, [] as string[]] as const,
      [`${name}, the daemon off`, prepare, ['--no-shared-daemon']] as const,
    ]),
  )('%s', async (_name, prepare, args) => {
    prepare()
    const isInstalled = () => {
      const trusted = trustOf(hooks, readText(hooks))
      expect(trusted).toHaveLength(HOOK_EVENTS.length)
      expect(untrusted(readText(config), trusted)).toEqual([])
      expect(/daemon_auto_start\s*=\s*false/.test(readText(config))).toBe(args.length > 0)
    }
    const home = it.home
    await expectGivenBack({ home, install: () => install(...args), uninstall, isInstalled })
  })
})

describe('what others have', () => {
  test('stays, and ours come after it', async () => {
    writeText(hooks, OTHER_HOOKS)
    writeText(config, TRUSTED)
    await install()
    const { hooks: now } = JSON.parse(readText(hooks)) as { hooks: Record<string, unknown[]> }
    expect(now['Stop']).toEqual([
      { hooks: [{ type: 'command', command: 'afplay /System/Library/Sounds/Glass.aiff' }] },
      { hooks: [{ type: 'command', timeout: 5, command: `${EMITTER} codex` }] },
    ])
    expect(now['PreCompact']).toEqual([])
    expect(readText(config).startsWith(TRUSTED)).toBe(true)
    expect(readText(config)).toContain(`[hooks.state."${hooks}:stop:1:0"]`)
  })

  test('written in between stays at an uninstall', async () => {
    writeText(config, CONFIG)
    await install('--no-shared-daemon')
    writeFileSync(config, `${readText(config)}\n[tui]\nnotifications = true\n`)
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(readText(config)).toBe(`${CONFIG}\n[tui]\nnotifications = true\n`)
    expect(existsSync(hooks)).toBe(false)
  })

  test('put before ours moves the trust with the next install', async () => {
    await install()
    const moved = JSON.parse(readText(hooks)) as { hooks: Record<string, unknown[]> }
    moved.hooks['Stop']?.unshift({ hooks: [{ type: 'command', command: 'say done' }] })
    writeFileSync(hooks, JSON.stringify(moved))
    const doctor = await it.trailboss('doctor')
    expect(doctor.stdout).toContain('1 of our hooks')
    expect(await install()).toMatchObject({ code: 0 })
    expect(readText(config)).toContain(`${hooks}:stop:1:0`)
    expect(readText(config)).not.toContain(`${hooks}:stop:0:0`)
  })
})

describe('the shared daemon', () => {
  test('is left on, and spoken of, unless it is to be switched off', async () => {
    writeText(config, CONFIG)
    const { stderr } = await install()
    expect(stderr).toContain('trailboss install codex --no-shared-daemon')
    expect(readText(config)).not.toContain('daemon_auto_start')
    const off = await install('--no-shared-daemon')
    expect(off.stderr).not.toContain('install codex --no-shared-daemon')
    expect(readText(config)).toMatch(/^daemon_auto_start = false # by trailboss, was unset$/m)
  })

  test('can be given back alone', async () => {
    writeText(config, CONFIG)
    await install()
    const hooked = readText(config)
    await install('--no-shared-daemon')
    expect(readText(config)).not.toBe(hooked)
    expect(await install('--shared-daemon')).toMatchObject({ code: 0 })
    expect(readText(config)).toBe(hooked)
  })

  test.each([
    ['in a table', `[features]\ndaemon_auto_start = false\n\n${CONFIG}`],
    ['in braces', `features = { a = true, daemon_auto_start = false }\n${CONFIG}`],
  ])('that is off by the operator %s stays off', async (_where, own) => {
    writeText(config, own)
    expect(await install('--no-shared-daemon')).toMatchObject({ code: 0 })
    expect(readText(config).startsWith(own)).toBe(true)
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(readText(config)).toBe(own)
  })

  test('cannot be both switched off and given back', async () => {
    const { code, stderr } = await install('--shared-daemon', '--no-shared-daemon')
    expect(code).toBe(2)
    expect(stderr).toContain('--shared-daemon and --no-shared-daemon exclude each other')
    expect(readdirSync(it.home)).toEqual([])
  })
})

describe('the trust in hooks that somebody took out by hand', () => {
  test.each<[string, () => void]>([
    ['with their file', () => rmSync(hooks)],
    ['of their file', () => writeFileSync(hooks, '{}\n')],
  ])('%s goes with an uninstall', async (_how, takeOut) => {
    writeText(config, TRUSTED)
    await install('--no-shared-daemon')
    takeOut()
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(readText(config)).toBe(TRUSTED)
    expect(existsSync(`${config}.trailboss-backup`)).toBe(false)
  })

  test('is no part of what a new install takes for the file from before', async () => {
    writeText(config, TRUSTED)
    await install()
    rmSync(hooks)
    expect(await install('--no-shared-daemon')).toMatchObject({ code: 0 })
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(readText(config)).toBe(TRUSTED)
  })

  test('leaves alone what the operator trusts in its place', async () => {
    await install()
    writeFileSync(hooks, OTHER_HOOKS)
    const own = `[hooks.state."${hooks}:stop:0:0"]\ntrusted_hash = "sha256:0000"\n`
    writeFileSync(config, own)
    expect(await uninstall()).toMatchObject({ code: 0, stdout: expect.stringContaining('Not') })
    expect(readText(config)).toBe(own)
  })
})

test.each(['[features]\nhooks = false\n', 'features = { hooks = false }\n'])(
  'a config that keeps hooks from running is warned of: %j',
  async (text) => {
    writeText(config, text)
    const { code, stderr } = await install()
    expect(code).toBe(0)
    expect(stderr).toContain('Warning: Codex runs no hooks: features.hooks is false')
  },
)

test('the trust names the home as Codex does: by its real path where CODEX_HOME says it', async () => {
  mkdirSync(join(it.dir, 'real'))
  symlinkSync('real', join(it.dir, 'link'))
  it.env['CODEX_HOME'] = join(it.dir, 'link')
  expect(await install()).toMatchObject({ code: 0 })
  expect(readText(join(it.dir, 'real', 'config.toml'))).toContain(
    `[hooks.state."${join(it.dir, 'real', 'hooks.json')}:stop:0:0"]`,
  )
})

describe('refused, with nothing touched', () => {
  test.each<[string, () => void, string]>([
    ['a config that is no TOML', () => writeText(config, 'model = \n'), 'line 1, column 9'],
    ['a key that is there twice', () => writeText(config, 'a = 1\na = 2\n'), 'line 2, column 1'],
    [
      'hooks as a text',
      () => writeText(config, '\nhooks = "x"\n'),
      'line 2, column 1: hooks is no table',
    ],
    [
      'hooks as a list',
      () => writeText(config, '[[hooks]]\n'),
      'line 1, column 1: hooks is a list',
    ],
    [
      'a trust that is written in braces where ours belongs',
      () => writeText(config, `[hooks.state]\n"${hooks}:stop:0:0" = { enabled = true }\n`),
      'it would be no TOML any more: line',
    ],
    ['hooks that are no JSON', () => writeText(hooks, '{"hooks": {},}'), 'line 1, column 13'],
    ['hooks that are a list', () => writeText(hooks, '{"hooks": []}'), '"hooks" is not an object'],
    [
      'the state in braces',
      () => writeText(config, 'hooks = { state = {} }\n'),
      'hooks is written in braces',
    ],
    ['a read-only config', () => writeText(config, CONFIG, 0o444), 'is read-only'],
  ])('%s', async (_name, prepare, problem) => {
    prepare()
    const before = snapshot(it.home)
    const { code, stderr } = await install()
    expect(code).not.toBe(0)
    expect(stderr).toContain(problem)
    expect(snapshot(it.home)).toEqual(before)
  })

  test('features that are no table, only when something belongs there', async () => {
    writeText(config, 'model = "x"\nfeatures = "a"\n')
    const before = snapshot(it.home)
    const { code, stderr } = await install('--no-shared-daemon')
    expect(code).toBe(2)
    expect(stderr).toContain('line 2, column 1: features is no table')
    expect(snapshot(it.home)).toEqual(before)
    expect(await install()).toMatchObject({ code: 0 })
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(snapshot(it.home)).toEqual(before)
  })

  test('without anybody to agree', async () => {
    const { code, stderr } = await it.trailboss('install', 'codex')
    expect(code).toBe(2)
    expect(stderr).toContain('trusted_hash')
    expect(readdirSync(it.home)).toEqual([])
  })
})

test('install all leaves out a Codex that nobody has, and wires one that is there', async () => {
  it.env['PATH'] = [dirname(process.execPath), '/usr/bin', '/bin'].join(':')
  await it.trailboss('install', 'all', '--yes')
  expect(existsSync(join(it.home, '.codex'))).toBe(false)
  mkdirSync(join(it.home, '.codex'))
  await it.trailboss('install', 'all', '--yes')
  expect(existsSync(hooks)).toBe(true)
  await it.trailboss('uninstall', 'all', '--yes')
  expect(existsSync(hooks)).toBe(false)
})
