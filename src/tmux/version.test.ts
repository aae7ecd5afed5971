import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseTmuxVersion, requireTmux, tmuxVersion } from './version.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-version-'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true, force: true })
})

function tmuxThatSays(script: string): void {
  writeFileSync(join(dir, 'tmux'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(dir, 'tmux'), 0o755)
  vi.stubEnv('PATH', dir)
}

test.each([
  ['tmux 3.3a\n', 3, 3, '3.3a'],
  ['tmux 3.2\n', 3, 2, '3.2'],
  ['tmux 3.10-rc2\n', 3, 10, '3.10-rc2'],
  ['tmux next-3.6\n', 3, 6, 'next-3.6'],
  ['tmux 2.9a\n', 2, 9, '2.9a'],
  ['tmux master\n', 99, 0, 'master'],
  ['tmux openbsd-7.4\n', 99, 0, 'openbsd-7.4'],
])('%j is read as %i.%i', (output, major, minor, text) => {
  expect(parseTmuxVersion(output)).toEqual({ major, minor, text })
})

test('the installed tmux reports its version', async () => {
  expect(await tmuxVersion()).toMatchObject({ major: expect.any(Number), text: expect.any(String) })
})

test('a machine without tmux gets a hint on how to install it', async () => {
  vi.stubEnv('PATH', dir)
  expect(await tmuxVersion()).toBeUndefined()
  await expect(requireTmux()).rejects.toMatchObject({
    code: 'TMUX_MISSING',
    hint: expect.stringContaining('apt install tmux'),
  })
})

test('a tmux before 3.2 is refused by name', async () => {
  tmuxThatSays('echo tmux 3.1c')
  await expect(requireTmux()).rejects.toMatchObject({
    code: 'TMUX_TOO_OLD',
    message: expect.stringContaining('3.1c'),
  })
})

test.each(['3.2', '3.2a', '4.0', 'next-3.7', 'master'])('tmux %s is accepted', async (version) => {
  tmuxThatSays(`echo tmux ${version}`)
  expect(await requireTmux()).toMatchObject({ text: version })
})

test('a tmux that cannot report its version does not count as missing', async () => {
  tmuxThatSays('echo broken libevent >&2; exit 1')
  await expect(tmuxVersion()).rejects.toMatchObject({ code: 'TMUX_UNREACHABLE' })
})
