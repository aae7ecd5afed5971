import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { memberOf, parseJsonText } from '../../src/harness/config-edit/json-text.ts'
import { HOOK_EVENTS } from '../../src/harness/gemini/hook-events.ts'
import {
  EMITTER,
  hooksHomePerTest,
  readText,
  snapshot,
  writeText,
} from '../support/install/hooks-home.ts'
import { expectGivenBack } from '../support/install/install-cycle.ts'

const it = hooksHomePerTest()
let settings: string

beforeEach(() => {
  settings = join(it.home, '.gemini', 'settings.json')
})

const install = (...args: string[]) => it.trailboss('install', 'gemini', '--yes', ...args)
const uninstall = () => it.trailboss('uninstall', 'gemini', '--yes')

const ORDINARY = `{
  "security": {
    "auth": { "selectedType": "oauth-personal" },
    "folderTrust": { "enabled": true }
  },
  "ui": { "theme": "GitHub", "hideBanner": true },
  "general": { "preferredEditor": "vim", "vimMode": true }
}
`

const COMMENTED = `// Settings of the whole ranch.
{
  // Looks, "all" of them, {really}
  "ui": { "theme": "GitHub" }, /* nice */
  "mcpServers": {
    "github": {
      "command": "npx", // not docker
      "args": ["-y", "@modelcontextprotocol/server-github"]
    } /* one is enough */
  } // the last one
  // nothing follows
}
// the end
`

const OTHER_HOOKS = `{
  "hooks": {
    "BeforeTool": [
      {
        "matcher": "write_file|replace",
        "hooks": [
          {
            "name": "secret-scanner",
            "type": "command",
            "command": "$GEMINI_PROJECT_DIR/.gemini/hooks/security.sh",
            "timeout": 5000
          }
        ]
      }
    ],
    "AfterAgent": [
      { "hooks": [{ "type": "command", "command": "notify-send 'Gemini'" }] } // tell me
    ],
    "PreCompress": []
  },
  "hooksConfig": { "notifications": false }
}
`

/** Real-looking files. */
const FILES: Record<string, () => void> = {
  'an ordinary one': () => writeText(settings, ORDINARY),
  'one with comments everywhere': () => writeText(settings, COMMENTED),
  "one with other tools' hooks for the same events": () => writeText(settings, OTHER_HOOKS),
  'a symlink into a dotfiles repository, with a mode of its own': () => {
    writeText(join(it.home, 'dotfiles', 'gemini.json'), COMMENTED, 0o600)
    mkdirSync(join(it.home, '.gemini'))
    symlinkSync('../dotfiles/gemini.json', settings)
  },
  'one with CRLF lines and a byte order mark': () =>
    writeText(settings, `\ufeff${COMMENTED.replaceAll('\n', '\r\n')}`, 0o640),
  'one with tabs': () => writeText(settings, OTHER_HOOKS.replaceAll('  ', '\t')),
  'one on a single line': () => writeText(settings, JSON.stringify(JSON.parse(ORDINARY))),
  'an empty object': () => writeText(settings, '{}\n'),
  'an object with nothing but a comment': () => writeText(settings, '{\n  // later\n}\n'),
  'one whose hooks are empty': () => writeText(settings, '{\n  "hooks": {},\n  "ui": {}\n}\n'),
  'an empty file': () => writeText(settings, ''),
  'none, with Gemini CLI in use': () => writeText(join(it.home, '.gemini', 'state.json'), '{}\n'),
  'none at all': () => {},
}

describe('install gemini, then uninstall, gives every file back byte for byte', () => {
  test.each(Object.entries(FILES))('%s', async (_name, prepare) => {
    prepare()
    const text = existsSync(settings) ? readText(settings) : ''
    const isInstalled = () => {
      expect(ourEvents().toSorted()).toEqual([...HOOK_EVENTS].toSorted())
      expect(commentsIn(readText(settings))).toEqual(commentsIn(text))
    }
    await expectGivenBack({ home: it.home, install, uninstall, isInstalled })
  })
})

describe('what others have in the file', () => {
  test('stays also when it was added after the install, and the backup is kept then', async () => {
    writeText(settings, ORDINARY)
    await install()
    const added = readText(settings).replace('"security": {', '// mine\n  "security": {')
    writeText(settings, added)
    const { stderr } = await uninstall()
    expect(stderr).toMatch(/trailboss-backup is kept/)
    expect(readText(settings)).toBe(ORDINARY.replace('"security": {', '// mine\n  "security": {'))
  })

  test('is backed up before anything is changed, with its mode', async () => {
    writeText(settings, COMMENTED, 0o600)
    const { stderr } = await install()
    const backup = `${settings}.trailboss-backup`
    expect(readText(backup)).toBe(COMMENTED)
    expect(lstatSync(backup).mode & 0o777).toBe(0o600)
    expect(stderr).toContain(backup)
  })
})

describe('a file that cannot be changed is left alone, and the reason is said', () => {
  test.each([
    ['a comma too many', ORDINARY.replace('true }\n}', 'true },\n}'), /line 7, .*comma too many/],
    ['a comment without an end', `${ORDINARY}/* mine`, /a comment begins and has no end/],
    ['a list', '[]', /the settings are not an object/],
    ['hooks that are a list', '{"hooks": []}', /"hooks" is not an object/],
  ])('%s', async (_name, text, message) => {
    writeText(settings, text)
    const before = snapshot(it.home)
    const result = await install()
    expect(result).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    expect(result.stderr).not.toMatch(/\n {4}at /)
    await uninstall()
    expect(snapshot(it.home)).toEqual(before)
  })

  test('read-only', async () => {
    writeText(settings, ORDINARY, 0o444)
    const before = snapshot(it.home)
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringMatching(/read-only/) })
    expect(snapshot(it.home)).toEqual(before)
  })
})

describe('settings under which the hooks would not run', () => {
  test.each([
    ['{ "hooksConfig": { "enabled": false } }', /"hooksConfig.enabled" is false/],
    ['{ "hooksConfig": { "disabled": ["trailboss"] } }', /"hooksConfig.disabled" names them/],
  ])('%s are told of', async (text, message) => {
    writeText(settings, text)
    expect((await install()).stderr).toMatch(message)
    const { stdout } = await it.trailboss('doctor')
    expect(stdout).toMatch(message)
  })
})

describe('install all and doctor', () => {
  test('leave Gemini CLI out where nobody has it', async () => {
    await it.trailboss('install', 'all', '--yes')
    expect(existsSync(join(it.home, '.gemini'))).toBe(false)
    expect((await it.trailboss('doctor')).stdout).not.toContain('Gemini CLI')
  })

  test('take it in where it is in use', async () => {
    writeText(settings, ORDINARY)
    expect((await it.trailboss('doctor')).stdout).toMatch(/Gemini CLI.*no hook of ours/)
    await it.trailboss('install', 'all', '--yes')
    expect(ourEvents()).toHaveLength(HOOK_EVENTS.length)
    expect((await it.trailboss('doctor')).stdout).toMatch(/Gemini CLI.*7 hooks in/)
    await it.trailboss('uninstall', 'all', '--yes')
    expect(readText(settings)).toBe(ORDINARY)
  })

  test('GEMINI_CLI_HOME is the home whose .gemini is meant', async () => {
    const other = join(it.dir, 'other')
    it.env['GEMINI_CLI_HOME'] = other
    writeText(join(other, '.gemini', 'settings.json'), ORDINARY)
    await install()
    expect(readText(join(other, '.gemini', 'settings.json'))).toContain(EMITTER)
    rmSync(other, { recursive: true })
    expect(existsSync(settings)).toBe(false)
  })
})

/** The events for which the file runs our emitter. */
function ourEvents(): string[] {
  const root = parseJsonText(readText(settings), { hasComments: true })
  const hooks = memberOf(root, 'hooks')?.value
  const members = hooks?.kind === 'object' ? hooks.members : []
  const text = readText(settings)
  return members
    .filter(({ start, end }) => text.slice(start, end).includes(`${EMITTER} gemini`))
    .map(({ key }) => key)
}

function commentsIn(text: string): string[] {
  return text.match(/\/\/ .*|\/\* .*? \*\//g)?.map((comment) => comment.trimEnd()) ?? []
}
