import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOOK_EVENTS } from '../../src/harness/claude-code/hook-events.ts'
import { command } from '../support/command.ts'
import {
  type ClaudeSettings,
  createHooksHome,
  type HooksHome,
  OTHER_HOOKS,
  ourEvents,
  readText,
  snapshot,
  TRAILBOSS,
  writeText,
} from '../support/hooks-home.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let it: HooksHome
let terminals: TmuxServer[]

beforeEach(() => {
  it = createHooksHome()
  terminals = []
})

afterEach(async () => {
  for (const terminal of terminals) await terminal.stop()
  it[Symbol.dispose]()
})

const ORDINARY = '{\n  "model": "opus"\n}\n'

describe('which hooks are registered', () => {
  test('those that the installed version takes; a later one gets more', async () => {
    it.claude('2.1.400', ['Elicitation', 'ElicitationResult'])
    const result = await it.install()
    expect(result.stderr).toMatch(/Claude Code 2\.1\.400 .* takes 11 of the 13/)
    expect(result.stderr).toMatch(/Left out: Elicitation, ElicitationResult/)
    expect(ourEvents(it.settings)).toHaveLength(11)
    it.claude('2.1.401')
    await it.install()
    expect(ourEvents(it.settings)).toHaveLength(13)
    it.claude('2.0.50')
    await it.install()
    expect(ourEvents(it.settings)).toHaveLength(9)
    await it.uninstall()
    expect(existsSync(it.settings)).toBe(false)
  })

  test('without a claude those that are long known, and what is there stays', async () => {
    rmSync(join(it.dir, 'bin', 'claude'))
    const result = await it.install()
    expect(result.code).toBe(0)
    expect(result.stderr).toMatch(/No claude was found in PATH[\s\S]*--claude PATH/)
    expect(ourEvents(it.settings)).toHaveLength(10)
    it.claude('2.1.325')
    await it.install('--claude', join(it.dir, 'bin', 'claude'))
    rmSync(join(it.dir, 'bin', 'claude'))
    await it.install()
    expect(ourEvents(it.settings)).toHaveLength(13)
  })

  test('none when hooks are turned off is a warning', async () => {
    writeText(it.settings, '{"disableAllHooks": true}')
    const { code, stderr } = await it.install()
    expect(code).toBe(0)
    expect(stderr).toMatch(/Warning: .*"disableAllHooks" is true in .*settings\.json/)
  })
})

describe('another place', () => {
  test('a project, shared or local', async () => {
    const project = join(it.home, 'project')
    mkdirSync(project)
    const before = snapshot(it.home)
    expect(await it.install('--project', project)).toMatchObject({ code: 0 })
    expect(await it.install('--project', 'project', '--local')).toMatchObject({ code: 0 })
    expect(existsSync(it.settings)).toBe(false)
    expect(ourEvents(join(project, '.claude', 'settings.json'))).toHaveLength(13)
    expect(ourEvents(join(project, '.claude', 'settings.local.json'))).toHaveLength(13)
    await it.uninstall('--project', project)
    expect(snapshot(it.home)).toEqual(before)
  })

  test('CLAUDE_CONFIG_DIR', async () => {
    it.env['CLAUDE_CONFIG_DIR'] = join(it.home, 'config of claude')
    await it.install()
    expect(ourEvents(join(it.home, 'config of claude', 'settings.json'))).toHaveLength(13)
    expect(existsSync(it.settings)).toBe(false)
  })

  test('a plugin of its own, which goes again whole', async () => {
    const before = snapshot(it.home)
    const result = await it.install('--plugin', 'my plugin')
    expect(result.stdout).toContain(`claude --plugin-dir '${join(it.home, 'my plugin')}'`)
    const manifest = join(it.home, 'my plugin', '.claude-plugin', 'plugin.json')
    expect(JSON.parse(readText(manifest))).toMatchObject({ name: 'trailboss' })
    expect(ourEvents(join(it.home, 'my plugin', 'hooks', 'hooks.json'))).toHaveLength(13)
    await it.uninstall('--plugin', 'my plugin')
    expect(snapshot(it.home)).toEqual(before)
  })

  test("a plugin of the user's, which keeps what it had", async () => {
    writeText(join(it.home, 'mine', '.claude-plugin', 'plugin.json'), '{"name":"mine"}')
    writeText(join(it.home, 'mine', 'hooks', 'hooks.json'), OTHER_HOOKS)
    const before = snapshot(it.home)
    await it.install('--plugin', 'mine')
    expect(ourEvents(join(it.home, 'mine', 'hooks', 'hooks.json'))).toHaveLength(13)
    await it.uninstall('--plugin', 'mine')
    expect(snapshot(it.home)).toEqual(before)
  })

  test('stdout, for one launch, and nothing is changed', async () => {
    const before = snapshot(it.home)
    const { stdout } = await it.trailboss('install', 'claude-code', '--print')
    expect(Object.keys((JSON.parse(stdout) as ClaudeSettings).hooks)).toEqual(HOOK_EVENTS)
    expect(snapshot(it.home)).toEqual(before)
  })

  test('that is none is refused', async () => {
    expect(await it.install('--local')).toMatchObject({ code: 2 })
    expect(await it.install('--project', 'nowhere')).toMatchObject({ code: 2 })
    expect(await it.install('--project', '.', '--plugin', 'x')).toMatchObject({ code: 2 })
    expect(await it.install('--claude', 'nowhere')).toMatchObject({ code: 2 })
  })
})

describe('the command of a hook', () => {
  const run = async (text: string, more: NodeJS.ProcessEnv = {}) => {
    const stdin = JSON.stringify({ session_id: 's', hook_event_name: 'Stop' })
    const bare = { PATH: it.env['PATH'], HOME: it.home, ...more }
    return command('sh', ['-c', text], { env: bare, stdin })
  }
  const commandIn = (path: string) =>
    (JSON.parse(readText(path)) as ClaudeSettings).hooks['Stop']?.[0]?.hooks[0]?.command ?? ''

  test('runs from a place with spaces, quotes and dollars in its name', async () => {
    const odd = join(it.dir, `it's "a" $HOME \\ {place}`)
    mkdirSync(join(odd, 'bin'), { recursive: true })
    for (const name of ['trailboss', 'trailboss-emit']) {
      writeText(join(odd, 'bin', name), readText(join(dirname(TRAILBOSS), name)), 0o755)
    }
    for (const name of ['dist', 'node_modules']) {
      symlinkSync(join(dirname(TRAILBOSS), '..', name), join(odd, name))
    }
    const options = { env: it.env, cwd: it.home }
    const args = ['install', 'claude-code', '--yes']
    expect(await command(join(odd, 'bin', 'trailboss'), args, options)).toMatchObject({ code: 0 })
    expect(commandIn(it.settings)).toContain('trailboss-emit')
    expect(await run(commandIn(it.settings))).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const spool = join(it.home, '.local', 'state', 'trailboss', 'spool')
    expect(readdirSync(spool).filter((name) => name.endsWith('.json'))).toHaveLength(1)

    // The next install is another one, in another place.
    await it.install()
    expect(ourEvents(it.settings)).toHaveLength(13)
    await it.uninstall()
    expect(existsSync(it.settings)).toBe(false)
  })

  test('names a home that is not the usual one, unless the agent has its own', async () => {
    it.env['TRAILBOSS_HOME'] = join(it.dir, "the operator's {home}")
    await it.install()
    const spooled = (place: string) =>
      existsSync(join(place, 'spool')) ? readdirSync(join(place, 'spool')).length : 0
    await run(commandIn(it.settings))
    expect(spooled(it.env['TRAILBOSS_HOME'])).toBe(1)
    await run(commandIn(it.settings), { TRAILBOSS_HOME: join(it.dir, 'other') })
    expect(spooled(it.env['TRAILBOSS_HOME'])).toBe(1)
    expect(spooled(join(it.dir, 'other'))).toBe(1)
  })
})

describe('in a terminal', () => {
  test('it asks, and only a yes changes anything', async () => {
    writeText(it.settings, ORDINARY)
    const before = snapshot(it.home)
    const terminal = await startTmuxServer({
      socket: join(it.dir, 'terminal'),
      env: { ...it.env, PS1: '$ ' },
      session: 'work',
      shellCommand: 'exec sh',
      cwd: it.home,
    })
    terminals.push(terminal)
    const see = (pattern: RegExp) =>
      waitFor(() => terminal.run('capture-pane', '-p', '-t', 'work:'), {
        what: `the screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      })
    const answer = (text: string) => terminal.run('send-keys', '-t', 'work:', text, 'Enter')

    await answer(`clear; ${TRAILBOSS} install claude-code; echo ended $?`)
    await see(/Make this change\? \[y\/N\]/)
    await answer('')
    await see(/Nothing was changed[\s\S]*ended 1/)
    expect(snapshot(it.home)).toEqual(before)

    await answer(`clear; ${TRAILBOSS} install claude-code; echo ended $?`)
    await see(/Make this change\? \[y\/N\]/)
    await answer('y')
    await see(/take them up within seconds[\s\S]*ended 0/)
    expect(ourEvents(it.settings)).toHaveLength(13)
  })

  test('without one it needs --yes', async () => {
    const result = await it.trailboss('install', 'claude-code')
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') })
    expect(existsSync(it.settings)).toBe(false)
  })
})

describe('install without a target', () => {
  test('wires all of them, and uninstall takes all of it back', async () => {
    writeText(it.settings, OTHER_HOOKS)
    writeText(join(it.home, '.tmux.conf'), 'set -g mouse on\n')
    const before = snapshot(it.home)
    const { code } = await it.trailboss('install', '--yes')
    expect(code).toBe(0)
    expect(ourEvents(it.settings)).toHaveLength(13)
    expect(readText(join(it.home, '.tmux.conf'))).toContain('trailboss')
    expect(await it.trailboss('uninstall', 'all', '--yes')).toMatchObject({ code: 0 })
    rmSync(join(it.home, '.local'), { recursive: true })
    expect(snapshot(it.home)).toEqual(before)
  })

  test('goes on when one of them cannot be wired, and says so in the end', async () => {
    writeText(it.settings, '{')
    const { code, stderr } = await it.trailboss('install', 'all', '--yes')
    expect(code).toBe(2)
    expect(stderr).toMatch(/settings\.json, line 1, column 2/)
    expect(readText(join(it.home, '.tmux.conf'))).toContain('trailboss')
  })

  test('of a target that nobody knows is refused', async () => {
    const result = await it.trailboss('install', 'emacs')
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('claude-code, tmux') })
  })
})
