import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { HOOK_EVENTS } from '../../src/harness/qwen/hook-events.ts'
import { EMITTER, hooksHomePerTest, readText, writeText } from '../support/install/hooks-home.ts'
import { expectGivenBack } from '../support/install/install-cycle.ts'

const it = hooksHomePerTest()
let settings: string

beforeEach(() => {
  settings = join(it.home, '.qwen', 'settings.json')
})

const install = () => it.trailboss('install', 'qwen', '--yes')
const uninstall = () => it.trailboss('uninstall', 'qwen', '--yes')
const hooksOfOurs = () => readText(settings).split(`${EMITTER} qwen`).length - 1

const ORDINARY = `{
  "$version": 3,
  "security": { "auth": { "selectedType": "openai" } },
  "tools": { "approvalMode": "default" }
}
`

const COMMENTED = `// Settings of the whole ranch.
{
  "model": { "name": "qwen3-coder-plus" }, /* nice */
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "notify-send 'Qwen'" }] }], // tell me
    "PreCompact": []
  }
}
`

describe('install qwen, then uninstall, gives every file back byte for byte', () => {
  test.each<[string, string | undefined]>([
    ['an ordinary one', ORDINARY],
    ["one with comments and another tool's hooks", COMMENTED],
    ['one with CRLF lines', COMMENTED.replaceAll('\n', '\r\n')],
    ['an empty object', '{}\n'],
    ['none at all', undefined],
  ])('%s', async (_name, text) => {
    if (text !== undefined) writeText(settings, text)
    const isInstalled = () => expect(hooksOfOurs()).toBe(HOOK_EVENTS.length)
    await expectGivenBack({ home: it.home, install, uninstall, isInstalled })
  })
})

test('settings under which the hooks would not run are told of', async () => {
  writeText(settings, '{ "disableAllHooks": true }')
  expect((await install()).stderr).toMatch(/"disableAllHooks" is true/)
  expect((await it.trailboss('doctor')).stdout).toMatch(/"disableAllHooks" is true/)
})

describe('install all and doctor', () => {
  test('leave Qwen Code out where nobody has it', async () => {
    await it.trailboss('install', 'all', '--yes')
    expect(existsSync(join(it.home, '.qwen'))).toBe(false)
    expect((await it.trailboss('doctor')).stdout).not.toContain('Qwen Code')
  })

  test('take it in where it is in use', async () => {
    writeText(settings, ORDINARY)
    expect((await it.trailboss('doctor')).stdout).toMatch(/Qwen Code.*no hook of ours/)
    await it.trailboss('install', 'all', '--yes')
    expect((await it.trailboss('doctor')).stdout).toMatch(/Qwen Code.*10 hooks in/)
    await it.trailboss('uninstall', 'all', '--yes')
    expect(readText(settings)).toBe(ORDINARY)
  })
})

test('QWEN_HOME is the directory that is meant', async () => {
  const other = join(it.dir, 'other')
  it.env['QWEN_HOME'] = other
  await install()
  expect(readText(join(other, 'settings.json'))).toContain(EMITTER)
  expect(existsSync(settings)).toBe(false)
})
