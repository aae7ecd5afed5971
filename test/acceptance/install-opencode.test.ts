import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  EMITTER,
  hooksHomePerTest,
  readText,
  snapshot,
  writeText,
} from '../support/install/hooks-home.ts'
import { expectGivenBack } from '../support/install/install-cycle.ts'

const it = hooksHomePerTest()
let dir: string
const at = (name: string) => join(dir, name)

beforeEach(() => {
  dir = join(it.home, '.config', 'opencode')
})

const install = (...args: string[]) => it.trailboss('install', 'opencode', '--yes', ...args)
const uninstall = () => it.trailboss('uninstall', 'opencode', '--yes')

const TUI = `{
  "$schema": "https://opencode.ai/tui.json",
  "theme": "tokyonight",
  "keybinds": { "leader": "ctrl+x", "session_list": "<leader>l" },
  "scroll_speed": 2.50
}
`

const PLUGINS = `{
    // mine, for the standup
    "plugin": [
        "./notes.js",
        ["quota@1.2.0", { "every": 5 }] // weekly
    ],
    "theme": "gruvbox"
}`

/** Real-looking homes. */
const HOMES: Record<string, () => void> = {
  'a tui.json': () => writeText(at('tui.json'), TUI),
  'a tui.jsonc': () => writeText(at('tui.jsonc'), PLUGINS),
  'both of them': () => {
    writeText(at('tui.json'), TUI)
    writeText(at('tui.jsonc'), PLUGINS)
  },
  'both, with plugins and comments in the one that is changed': () => {
    writeText(at('tui.json'), PLUGINS)
    writeText(at('tui.jsonc'), TUI)
  },
  'both, with CRLF lines and a byte order mark': () => {
    writeText(at('tui.json'), `\ufeff${PLUGINS.replaceAll('\n', '\r\n')}`, 0o640)
    writeText(at('tui.jsonc'), '{}')
  },
  'both, symlinks into a dotfiles repository, with modes of their own': () => {
    writeText(join(it.home, 'dotfiles', 'tui.json'), TUI, 0o600)
    writeText(join(it.home, 'dotfiles', 'tui.jsonc'), PLUGINS, 0o644)
    mkdirSync(dir, { recursive: true })
    symlinkSync('../../dotfiles/tui.json', at('tui.json'))
    symlinkSync('../../dotfiles/tui.jsonc', at('tui.jsonc'))
  },
  'both, on a single line': () => {
    writeText(at('tui.json'), '{"theme":"x","plugin":[]}')
    writeText(at('tui.jsonc'), '{"theme":"x"}')
  },
  'both, empty': () => {
    writeText(at('tui.json'), '')
    writeText(at('tui.jsonc'), '')
  },
  'plugins of the server, and what opencode has fetched for them': () => {
    writeText(at('opencode.json'), '{ "plugin": ["opencode-notify"] }\n')
    writeText(at('plugin/mine.js'), 'export const mine = async () => ({})\n')
    writeText(at('package.json'), '{}\n')
  },
  'only settings of its own': () => writeText(at('opencode.jsonc'), '{ "theme": "x" }\n'),
  'nothing at all': () => {},
}

describe('install opencode, then uninstall, gives every file back byte for byte', () => {
  test.each(Object.entries(HOMES))('%s', async (_name, prepare) => {
    prepare()
    const isInstalled = () => {
      expect(readText(at('trailboss.js'))).toContain(`const PROGRAM = "${EMITTER}"`)
      const naming = ['tui.json', 'tui.jsonc'].filter(
        (name) => existsSync(at(name)) && readText(at(name)).includes('"./trailboss.js"'),
      )
      expect(naming).toHaveLength(1)
    }
    await expectGivenBack({ home: it.home, install, uninstall, isInstalled })
  })
})

describe('a file of the user', () => {
  test('is not touched while the other name is free', async () => {
    writeText(at('tui.json'), 'this is { no JSON')
    expect(await install()).toMatchObject({ code: 0 })
    expect(readText(at('tui.json'))).toBe('this is { no JSON')
    expect(JSON.parse(readText(at('tui.jsonc')))).toMatchObject({ plugin: ['./trailboss.js'] })
  })

  test('that is broken is refused with where, and nothing is written', async () => {
    writeText(at('tui.json'), '{\n  "plugin": [,]\n}\n')
    writeText(at('tui.jsonc'), '{}')
    const before = snapshot(it.home)
    const refused = await install()
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('tui.json, line 2, column 14')
    expect(snapshot(it.home)).toEqual(before)
  })

  test('that is read-only is left alone', async () => {
    writeText(at('tui.json'), TUI)
    writeText(at('tui.jsonc'), '{}')
    chmodSync(at('tui.json'), 0o444)
    const before = snapshot(it.home)
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('read-only') })
    expect(snapshot(it.home)).toEqual(before)
  })

  test('of the name of our plugin is never written over, nor removed', async () => {
    writeText(at('trailboss.js'), 'export default { id: "mine" }\n')
    const before = snapshot(it.home)
    const refused = await install()
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('not a plugin that') })
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(snapshot(it.home)).toEqual(before)
  })

  test('written in between stays at an uninstall', async () => {
    await install()
    const text = readText(at('tui.jsonc')).replace('"plugin"', '"theme": "x",\n  "plugin"')
    writeText(at('tui.jsonc'), text)
    expect(await uninstall()).toMatchObject({ code: 0 })
    expect(JSON.parse(readText(at('tui.jsonc')))).toMatchObject({ theme: 'x' })
    expect(readText(at('tui.jsonc'))).not.toContain('trailboss')
  })
})

test('without --yes, and with nobody to ask, the change is shown and nothing is written', async () => {
  const before = snapshot(it.home)
  const asked = await it.trailboss('install', 'opencode')
  expect(asked.code).toBe(2)
  expect(asked.stderr).toContain('+  "plugin": ["./trailboss.js"]')
  expect(snapshot(it.home)).toEqual(before)
})

test('a plugin of an older version is renewed', async () => {
  await install()
  const text = readText(at('trailboss.js'))
  writeText(at('trailboss.js'), text.replace(EMITTER, '/old/trailboss-emit'))
  const doctor = await it.trailboss('doctor')
  expect(doctor.stdout).toContain('/old/trailboss-emit, which is not there')
  expect(await install()).toMatchObject({ code: 0 })
  expect(readText(at('trailboss.js'))).toBe(text)
})

test.each(['XDG_CONFIG_HOME', 'OPENCODE_CONFIG_DIR'])('%s is where it goes', async (variable) => {
  const place = join(it.home, 'elsewhere')
  it.env[variable] = place
  expect(await install()).toMatchObject({ code: 0 })
  const wanted = variable === 'XDG_CONFIG_HOME' ? join(place, 'opencode') : place
  expect(existsSync(join(wanted, 'trailboss.js'))).toBe(true)
  expect(existsSync(dir)).toBe(false)
})

describe('doctor', () => {
  const line = async () =>
    (await it.trailboss('doctor')).stdout.split('\n').filter((one) => one.includes('opencode'))

  test('says nothing of an opencode that nobody has', async () => {
    expect(await line()).toEqual([])
  })

  test('tells whether the plugin is there and named', async () => {
    writeText(at('opencode.json'), '{}')
    expect((await line()).join('\n')).toContain('no plugin of ours')
    await install()
    expect((await line()).join('\n')).toContain('runs trailboss-emit')
    writeText(at('tui.jsonc'), '{}')
    expect((await line()).join('\n')).toContain('so it is not loaded')
  })
})
