import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { hooksHomePerTest, readText, snapshot, writeText } from '../support/install/hooks-home.ts'

const it = hooksHomePerTest()

beforeEach(() => {
  it.env['PATH'] = [join(it.dir, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')
  mkdirSync(join(it.home, '.codex'))
  mkdirSync(join(it.home, '.config', 'opencode'), { recursive: true })
})

/** What the last lines say, by target, from tmux on. */
function outcomesIn(stdout: string): Record<string, string> {
  const lines = stdout.trimEnd().split('\n')
  const said = lines.slice(lines.findLastIndex((line) => line.startsWith('tmux: ')))
  return Object.fromEntries(said.map((line) => line.split(/: (.*)/)))
}

test('the last lines say of each target what became of it', async () => {
  const outcomes = async (verb: string) => {
    const { code, stdout } = await it.trailboss(verb, 'all', '--yes')
    expect(code).toBe(0)
    return outcomesIn(stdout)
  }
  const of = (said: string) => ({
    tmux: said,
    'Claude Code': said,
    Codex: said,
    'Gemini CLI': 'left out, it is not in use here',
    opencode: said,
  })
  expect(await outcomes('install')).toMatchObject(of('installed'))
  expect(await outcomes('install')).toMatchObject(of('was installed already'))
  expect(await outcomes('uninstall')).toMatchObject(of('taken back'))
  expect(await outcomes('uninstall')).toMatchObject(of('was not installed'))
})

test('one that refuses keeps no other from being wired, and is named in the end', async () => {
  const config = join(it.home, '.codex', 'config.toml')
  writeText(config, 'hooks = "x"\n')
  writeText(join(it.home, '.gemini', 'settings.json'), '[]')
  const codex = snapshot(join(it.home, '.codex'))
  const { code, stdout } = await it.trailboss('install', 'all', '--yes')
  expect(code).toBe(2)
  expect(outcomesIn(stdout)).toMatchObject({
    'Claude Code': 'installed',
    Codex: `not installed: ${config}, line 1, column 1: hooks is no table, so nothing can be added to it.`,
    'Gemini CLI': expect.stringMatching(/^not installed: .*settings\.json/),
    opencode: 'installed',
  })
  expect(snapshot(join(it.home, '.codex'))).toEqual(codex)
  expect(existsSync(join(it.home, '.config', 'opencode', 'trailboss.js'))).toBe(true)
})

test('one that refuses keeps no other from being taken back, and is named in the end', async () => {
  await it.trailboss('install', 'all', '--yes')
  writeText(it.settings, `${readText(it.settings)}}`)
  const { code, stdout } = await it.trailboss('uninstall', 'all', '--yes')
  expect(code).toBe(2)
  expect(outcomesIn(stdout)).toMatchObject({
    tmux: 'taken back',
    'Claude Code': expect.stringMatching(/^not taken back: .*settings\.json, line \d+, column \d+/),
    Codex: 'taken back',
    opencode: 'taken back',
  })
})
