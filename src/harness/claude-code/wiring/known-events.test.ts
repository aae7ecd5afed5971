import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive } from '../../../../test/support/processes.ts'
import { waitFor } from '../../../../test/support/wait-for.ts'
import { HOOK_EVENTS } from './hook-events.ts'
import { findProgram, knownEvents } from './known-events.ts'

let dir: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-known-'))
  mkdirSync(join(dir, 'bin'))
  env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, HOME: dir, SECRET: 'x' }
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

/** A claude that prints what the test says, and records how it was run. */
function claude(version: string, doctor: string, place = 'bin'): string {
  const path = join(dir, place, 'claude')
  mkdirSync(join(dir, place), { recursive: true })
  const script = `#!/bin/sh
{ echo "$*"; pwd; env; } >>'${dir}/run'
case $1 in --version) ${version} ;; doctor) cp "$CLAUDE_CONFIG_DIR/settings.json" '${dir}/asked'; ${doctor} ;; esac
`
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}

const refusal = (event: string) =>
  `echo '- /x/settings.json › hooks.${event}: Unknown hook event "${event}" was ignored. Valid events: Stop'`

describe('the installed Claude Code', () => {
  test('is asked with these exact hooks, and what it refuses is left out', async () => {
    const program = claude(
      'echo "2.1.400 (Claude Code)"',
      `${refusal('TrailBossAsks')}; ${refusal('StopFailure')}`,
    )
    expect(await knownEvents(env)).toEqual({
      events: HOOK_EVENTS.filter((event) => event !== 'StopFailure'),
      by: 'asked',
      program,
      version: '2.1.400',
    })
    const asked = JSON.parse(readFileSync(join(dir, 'asked'), 'utf8'))
    expect(Object.keys(asked.hooks)).toEqual([...HOOK_EVENTS, 'TrailBossAsks'])
  })

  test('gets nothing from the environment, and leaves nothing behind', async () => {
    claude('echo 2.1.400', refusal('TrailBossAsks'))
    await knownEvents(env)
    const run = readFileSync(join(dir, 'run'), 'utf8')
    expect(run).not.toContain('SECRET')
    const configs = [...run.matchAll(/^CLAUDE_CONFIG_DIR=(.*)$/gm)].map(([, path = '']) => path)
    expect(configs).toHaveLength(2)
    for (const path of configs) {
      expect(path.startsWith(dir)).toBe(false)
      expect(existsSync(path)).toBe(false)
    }
    const homes = [...run.matchAll(/^HOME=(.*)$/gm)].map(([, path = '']) => path)
    expect(homes[1]).not.toBe(dir)
  })

  test.each([
    ['its answer is not understood', 'echo all is well', '2.1.400'],
    ['it cannot answer', 'exit 1', '2.1.400'],
    ['its version answers only in a terminal', refusal('TrailBossAsks'), '2.1.139'],
  ])('is known by its version when %s', async (_name, doctor, version) => {
    claude(`echo ${version}`, doctor)
    expect(await knownEvents(env)).toMatchObject({ by: 'version', version, events: HOOK_EVENTS })
  })

  test('of an old version gets fewer', async () => {
    claude('echo "2.0.77 (Claude Code)"', 'exit 1')
    const { events } = await knownEvents(env)
    expect(HOOK_EVENTS.filter((event) => !events.includes(event))).toEqual([
      'StopFailure',
      'Elicitation',
      'ElicitationResult',
    ])
  })

  test.each([
    ['none is there', undefined],
    ['it does not run', 'exit 1'],
    ['it says no version', 'echo hello'],
  ])('counts as a recent one if %s', async (_name, version) => {
    if (version !== undefined) claude(version, 'exit 1')
    const known = await knownEvents(env)
    expect(known.by).toBe('assumed')
    expect(known.events).toContain('PermissionRequest')
    expect(known.events).not.toContain('StopFailure')
  })

  test('that hangs is killed, with all that it started', async () => {
    claude('echo 2.1.400', `sleep 300 & echo $! >'${dir}/pid'; wait`)
    expect(await knownEvents(env, undefined, 1_000)).toMatchObject({ by: 'version' })
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'))
    await waitFor(() => !isAlive(pid), { what: `what it started (${pid}) to be gone` })
  })

  test('is found in PATH, else where its installers put it, or is the one named explicitly', () => {
    expect(findProgram(env)).toBeUndefined()
    const local = claude('', '', '.local/bin')
    expect(findProgram(env)).toBe(local)
    const inPath = claude('', '')
    expect(findProgram(env)).toBe(inPath)
    expect(findProgram({ ...env, PATH: '' })).toBe(local)
  })

  test('that is named but missing is refused', async () => {
    await expect(knownEvents(env, join(dir, 'nowhere'))).rejects.toThrow(/not a program/)
  })
})
