import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOOK_EVENTS } from '../../src/harness/claude-code/wiring/hook-events.ts'
import {
  type ClaudeSettings,
  EMITTER,
  hooksHomePerTest,
  OTHER_HOOKS,
  ourEvents,
  readText,
  snapshot,
  writeText,
} from '../support/install/hooks-home.ts'

const it = hooksHomePerTest()

const ORDINARY = `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)"],
    "deny": ["Read(./.env)"]
  },
  "env": { "BASH_DEFAULT_TIMEOUT_MS": "120000" },
  "includeCoAuthoredBy": false,
  "model": "opus"
}
`

const PLUGINS = `{
    "enabledPlugins": {
        "formatter@company-tools": true,
        "deployer@company-tools": false
    },
    "extraKnownMarketplaces": {
        "company-tools": { "source": { "source": "github", "repo": "company/claude-plugins" } }
    },
    "statusLine": { "type": "command", "command": "~/.claude/statusline.sh", "padding": 0 },
    "hooks": {
        "Notification": [{ "hooks": [{ "type": "command", "command": "notify-send 'Claude Code'" }] }]
    },
    "aKeyOfTheFuture": { "nested": [1, 2.50, 1e3, "\\u00e9", null] }
}`

/** Real-looking files, each with the number of lines that are added to it and of those that change. */
const FILES: Record<string, { prepare: () => void; added: number; changed: number }> = {
  'an ordinary one': { prepare: () => writeText(it.settings, ORDINARY), added: 15, changed: 1 },
  "one with other tools' hooks for the same events": {
    prepare: () => writeText(it.settings, OTHER_HOOKS),
    added: 13,
    changed: 3,
  },
  'one with plugins, four spaces, and no newline at its end': {
    prepare: () => writeText(it.settings, PLUGINS),
    added: 12,
    changed: 1,
  },
  'a symlink into a dotfiles repository, with a mode of its own': {
    prepare: () => {
      writeText(join(it.home, 'dotfiles', 'claude', 'settings.json'), ORDINARY, 0o600)
      mkdirSync(join(it.home, '.claude'))
      symlinkSync('../dotfiles/claude/settings.json', it.settings)
    },
    added: 15,
    changed: 1,
  },
  'one with CRLF lines and a byte order mark': {
    prepare: () => writeText(it.settings, `\ufeff${ORDINARY.replaceAll('\n', '\r\n')}`, 0o640),
    added: 15,
    changed: 1,
  },
  'one with tabs': {
    prepare: () =>
      writeText(
        it.settings,
        OTHER_HOOKS.replace(/^( {2})+/gm, (run) => '\t'.repeat(run.length / 2)),
      ),
    added: 13,
    changed: 3,
  },
  'one on a single line': {
    prepare: () => writeText(it.settings, JSON.stringify(JSON.parse(OTHER_HOOKS))),
    added: 0,
    changed: 1,
  },
  'an empty object': { prepare: () => writeText(it.settings, '{}\n'), added: 16, changed: 1 },
  'one whose hooks are empty': {
    prepare: () => writeText(it.settings, '{\n  "hooks": {},\n  "model": "opus"\n}\n'),
    added: 14,
    changed: 1,
  },
  'an empty file': { prepare: () => writeText(it.settings, ''), added: 17, changed: 0 },
  'none, with Claude Code in use': {
    prepare: () => writeText(join(it.home, '.claude', 'history.jsonl'), '{}\n'),
    added: 17,
    changed: 0,
  },
  'none at all': { prepare: () => {}, added: 17, changed: 0 },
}

describe('install claude-code, then uninstall, gives every file back byte for byte', () => {
  test.each(Object.entries(FILES))('%s', async (_name, { prepare, added, changed }) => {
    prepare()
    const before = snapshot(it.home)
    const lines = existsSync(it.settings) ? readText(it.settings).split('\n') : ['']

    const installed = await it.install()
    expect(installed).toMatchObject({ code: 0 })
    expect(ourEvents(it.settings).toSorted()).toEqual(HOOK_EVENTS.toSorted())
    const now = readText(it.settings).split('\n')
    expect(now.length - lines.length).toBe(added)
    expect(lines.filter((line) => line !== '' && !now.includes(line))).toHaveLength(changed)

    const between = snapshot(it.home)
    const again = await it.install()
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Already installed') })
    expect(snapshot(it.home)).toEqual(between)

    expect(await it.uninstall()).toMatchObject({ code: 0 })
    expect(snapshot(it.home)).toEqual(before)
    expect(await it.uninstall()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Not installed'),
    })
  })
})

describe('what others have in the file', () => {
  test('stays, hook for hook and key for key', async () => {
    writeText(it.settings, PLUGINS)
    await it.install()
    const before = JSON.parse(PLUGINS) as ClaudeSettings
    const after = JSON.parse(readText(it.settings)) as ClaudeSettings
    expect(after).toMatchObject({ ...before, hooks: expect.anything() })
    expect(after.hooks['Notification']?.[0]).toEqual(before.hooks['Notification']?.[0])
    expect(after.hooks['Notification']).toHaveLength(2)
  })

  test('stays also when it was added after the install, and the backup is kept then', async () => {
    writeText(it.settings, ORDINARY)
    await it.install()
    const written = JSON.parse(readText(it.settings)) as ClaudeSettings & Record<string, unknown>
    written.hooks['Stop']?.unshift({ hooks: [{ command: 'say done' }] })
    written['theme'] = 'dark'
    writeText(it.settings, JSON.stringify(written, null, 2))

    const { stderr } = await it.uninstall()
    expect(stderr).toMatch(/trailboss-backup is kept/)
    const { hooks, theme, ...rest } = JSON.parse(readText(it.settings)) as Record<string, unknown>
    expect(hooks).toEqual({ Stop: [{ hooks: [{ command: 'say done' }] }] })
    expect(theme).toBe('dark')
    expect(rest).toEqual(JSON.parse(ORDINARY))
  })

  test('is backed up before anything is changed, with its mode', async () => {
    writeText(it.settings, OTHER_HOOKS, 0o600)
    const { stderr } = await it.install()
    const backup = `${it.settings}.trailboss-backup`
    expect(readText(backup)).toBe(OTHER_HOOKS)
    expect(lstatSync(backup).mode & 0o777).toBe(0o600)
    expect(stderr).toContain(backup)
  })

  test('is shown in the diff as it is: only lines of ours are added', async () => {
    writeText(it.settings, OTHER_HOOKS)
    const { stderr } = await it.install()
    const diff = stderr
      .split('\n')
      .filter((line) => /^[+-]/.test(line) && !/^(\+\+\+|---)/.test(line))
    const added = diff.filter((line) => line.startsWith('+'))
    expect(added.filter((line) => line.includes(EMITTER))).toHaveLength(HOOK_EVENTS.length)
    const rest = diff
      .filter((line) => !line.includes(EMITTER))
      .map((line) => line.replace(/\s+/, ''))
    expect(rest).toEqual(['-}', '+},', '-}', '+},', '-"PreCompact": []', '+"PreCompact": [],'])
  })
})

describe('a backup that an earlier install left does not count for a file that was not there', () => {
  const OLD: Record<string, string> = {
    'an object': '{}\n',
    'an empty list': '{ "hooks": { "Stop": [ ] } }\n',
    'an empty file': '',
    settings: ORDINARY,
  }

  test.each(Object.entries(OLD))('of %s', async (_name, old) => {
    writeText(it.settings, old, 0o600)
    await it.install()
    rmSync(it.settings)

    const { stderr } = await it.install()
    const aside = `${it.settings}.trailboss-backup.old`
    expect(stderr).toContain(`${aside}\n`)
    expect(ourEvents(it.settings)).toHaveLength(HOOK_EVENTS.length)
    expect(await it.uninstall()).toMatchObject({
      code: 0,
      stderr: expect.not.stringMatching(/kept/),
    })
    expect(readdirSync(join(it.home, '.claude'))).toEqual(['settings.json.trailboss-backup.old'])
    expect(readText(aside)).toBe(old)
    expect(lstatSync(aside).mode & 0o777).toBe(0o600)
  })

  test('and what was written into that file since stays as it is', async () => {
    writeText(it.settings, '{ "hooks": { "Stop": [] } }\n')
    await it.install()
    rmSync(it.settings)
    await it.install()
    const written = JSON.parse(readText(it.settings)) as ClaudeSettings & Record<string, unknown>
    written['theme'] = 'dark'
    writeText(it.settings, `${JSON.stringify(written, null, 2)}\n`)
    await it.uninstall()
    expect(readText(it.settings)).toBe('{\n  "theme": "dark"\n}\n')
  })
})

describe('a file that cannot be changed is left alone, and the reason is said', () => {
  const refused = async (prepare: () => void, code: number, message: RegExp) => {
    prepare()
    const before = snapshot(it.home)
    for (const run of [it.install, it.uninstall]) {
      const result = await run()
      expect(result.stderr).not.toMatch(/\n {4}at /)
      if (run === it.install) {
        expect(result.code).toBe(code)
        expect(result.stderr).toMatch(message)
      }
      expect(snapshot(it.home)).toEqual(before)
    }
  }

  test('broken: with the line and the column', async () => {
    const broken = ORDINARY.replace('"model"', "// mine\n  'model'")
    await refused(
      () => writeText(it.settings, broken),
      2,
      /settings\.json, line 9, column 3: .*comment/,
    )
  })

  test('broken in the middle: cut off', async () => {
    const message = /settings\.json, line 5, column 14: a text begins here and has no closing quote/
    const cut = ORDINARY.slice(0, ORDINARY.indexOf('./.env'))
    await refused(() => writeText(it.settings, cut), 2, message)
  })

  test('read-only', async () => {
    await refused(() => writeText(it.settings, ORDINARY, 0o444), 1, /is read-only[\s\S]*chmod u\+w/)
  })

  test('a directory', async () => {
    await refused(() => mkdirSync(it.settings, { recursive: true }), 2, /not a regular file/)
  })

  test('a symlink to nowhere that could be written', async () => {
    const prepare = () => {
      mkdirSync(join(it.home, '.claude'))
      symlinkSync('/proc/nowhere/settings.json', it.settings)
    }
    await refused(prepare, 1, /cannot be written[\s\S]*install claude-code --print/)
  })

  test('not an object, hooks that are no object, an event that is no list, a key twice', async () => {
    await refused(() => writeText(it.settings, '[]'), 2, /the settings are not an object/)
    await refused(() => writeText(it.settings, '{"hooks": []}'), 2, /"hooks" is not an object/)
    const stop = '{"hooks": {"Stop": "say done"}}'
    await refused(() => writeText(it.settings, stop), 2, /the hooks for Stop are not a list/)
    const twice = '{"hooks": {}, "hooks": {}}'
    await refused(() => writeText(it.settings, twice), 2, /"hooks" is there twice/)
  })

  test('not UTF-8, or far too large', async () => {
    const utf16 = () => {
      mkdirSync(join(it.home, '.claude'))
      writeFileSync(it.settings, Buffer.from('\ufeff{}', 'utf16le'))
    }
    await refused(utf16, 2, /is not UTF-8/)
    await refused(() => writeText(it.settings, ' '.repeat(5 * 2 ** 20)), 2, /5 MiB/)
  })
})
