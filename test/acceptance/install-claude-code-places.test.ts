import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOOK_EVENTS } from '../../src/harness/claude-code/wiring/hook-events.ts'
import { wiredAdapters } from '../../src/harness/registry.ts'
import { command } from '../support/command.ts'
import {
  type ClaudeSettings,
  hooksHomePerTest,
  OTHER_HOOKS,
  ourEvents,
  readText,
  snapshot,
  TRAILBOSS,
  writeText,
} from '../support/install/hooks-home.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const it = hooksHomePerTest()
let terminals: TmuxServer[]

beforeEach(() => {
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
    const { code, stdout, stderr } = await it.install()
    expect(code).toBe(0)
    const afterDiff = stderr.slice(stderr.lastIndexOf('\n+'))
    expect(afterDiff).toMatch(/Warning: .*"disableAllHooks" is true in .*settings\.json/)
    expect(stdout).not.toMatch(/pick them up/)
  })

  test('none when either file of a project turns them off is a warning there', async () => {
    const local = join(it.home, 'project', '.claude', 'settings.local.json')
    writeText(local, '{"disableAllHooks": true}')
    const { stderr } = await it.install('--project', 'project')
    expect(stderr).toContain(`Warning: Claude Code runs no hooks: "disableAllHooks" is true`)
    expect(stderr).toContain(local)
  })
})

describe('another place', () => {
  test('a project, shared or local', async () => {
    const project = join(it.home, 'project')
    mkdirSync(project)
    const before = snapshot(it.home)
    const shared = await it.install('--project', project)
    expect(shared).toMatchObject({ code: 0 })
    expect(shared.stderr).toMatch(/usually shared with others[\s\S]*--local/)
    const local = await it.install('--project', 'project', '--local')
    expect(local).toMatchObject({ code: 0 })
    expect(local.stderr).not.toMatch(/usually shared/)
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
    for (const name of ['dispatch', 'status']) {
      const skill = readText(join(it.home, 'my plugin', 'skills', name, 'SKILL.md'))
      expect(skill).toMatch(new RegExp(`^---\\nname: ${name}\\ndescription: \\S`))
      expect(skill).toContain('/bin/trailboss dispatch status')
    }
    const own = await it.uninstall()
    expect(own.stdout).toContain(`Not installed in your own settings, ${it.settings}:`)
    expect(own.stderr).toMatch(/--project DIR or --plugin DIR/)
    await it.uninstall('--plugin', 'my plugin')
    expect(snapshot(it.home)).toEqual(before)
    const gone = await it.uninstall('--plugin', 'my plugin')
    expect(gone.stdout).toMatch(/Not installed in .*my plugin.*hooks\.json: nothing/)
    expect(gone.stderr).toBe('')
  })

  test('a plugin of ours in which the user has a skill of his own, which stays his', async () => {
    const skill = join(it.home, 'ours', 'skills', 'status', 'SKILL.md')
    writeText(skill, '---\nname: status\n---\nMine.\n')
    const before = snapshot(it.home)
    await it.install('--plugin', 'ours')
    expect(readText(skill)).toContain('Mine.')
    expect(readText(join(it.home, 'ours', 'skills', 'dispatch', 'SKILL.md'))).toContain('name: dis')
    expect((await it.install('--plugin', 'ours')).stdout).toContain('Already installed.')
    await it.uninstall('--plugin', 'ours')
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
    for (const place of ['--project', '--plugin']) {
      const printed = await it.install('--print', place, '.')
      expect(printed).toMatchObject({ code: 2, stdout: '' })
      expect(printed.stderr).toMatch(/--print changes no file/)
    }
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

  const spooled = (place: string) =>
    existsSync(join(place, 'spool'))
      ? readdirSync(join(place, 'spool')).filter((name) => name.endsWith('.json'))
      : []
  /** On a busy machine the hook is back before its envelope has its final name. */
  const waitForSpooled = (place: string) =>
    waitFor(() => spooled(place), {
      what: `one event in the spool of ${place}`,
      until: (files) => files.length === 1,
    })

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
    await waitForSpooled(join(it.home, '.local', 'state', 'trailboss'))

    // The next install is another one, in another place.
    await it.install()
    expect(ourEvents(it.settings)).toHaveLength(13)
    await it.uninstall()
    expect(existsSync(it.settings)).toBe(false)
  })

  test('names a home that is not the usual one, unless the agent has its own', async () => {
    it.env['TRAILBOSS_HOME'] = join(it.dir, "the operator's {home}")
    await it.install()
    await run(commandIn(it.settings))
    await waitForSpooled(it.env['TRAILBOSS_HOME'])
    await run(commandIn(it.settings), { TRAILBOSS_HOME: join(it.dir, 'other') })
    await waitForSpooled(join(it.dir, 'other'))
    expect(spooled(it.env['TRAILBOSS_HOME'])).toHaveLength(1)
  })
})

describe('in a terminal', () => {
  const openTerminal = async (firstLine = '0') => {
    const terminal = await startTmuxServer({
      socket: join(it.dir, 'terminal'),
      env: { ...it.env, PS1: '$ ' },
      session: 'work',
      shellCommand: 'exec sh',
      cwd: it.home,
    })
    terminals.push(terminal)
    const see = (pattern: RegExp) =>
      waitFor(() => terminal.run('capture-pane', '-p', '-S', firstLine, '-t', 'work:'), {
        what: `the screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      })
    const answer = (text: string) => terminal.run('send-keys', '-t', 'work:', text, 'Enter')
    return { see, answer }
  }

  test('it asks, and only a yes changes anything', async () => {
    writeText(it.settings, ORDINARY)
    const before = snapshot(it.home)
    const { see, answer } = await openTerminal()

    await answer(`clear; ${TRAILBOSS} install claude-code; echo ended $?`)
    await see(/Make this change\? \[y\/N\]/)
    await answer('')
    await see(/Nothing was changed for Claude Code[\s\S]*ended 1/)
    expect(snapshot(it.home)).toEqual(before)

    await answer('clear')
    // The question of the first run must not be seen for that of the second.
    await see(/^(?![\s\S]*\[y\/N\])/)
    await answer(`${TRAILBOSS} install claude-code; echo ended $?`)
    await see(/Make this change\? \[y\/N\]/)
    await answer('y')
    await see(/pick them up within seconds[\s\S]*ended 0/)
    expect(ourEvents(it.settings)).toHaveLength(13)
  })

  test('every no is answered, and says for which target it was', async () => {
    const { see, answer } = await openTerminal('-')
    await answer(`${TRAILBOSS} install; echo ended $?`)
    await see(/status line .*\[y\/N\]/)
    await answer('n')
    await see(/Make this change\? \[y\/N\]/)
    await answer('n')
    await see(/Nothing was changed for tmux[\s\S]*Make this change\? \[y\/N\]/)
    await answer('n')
    await see(/Nothing was changed for Claude Code[\s\S]*ended 1/)
    expect(existsSync(it.settings)).toBe(false)
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
    for (const verb of ['install', 'uninstall']) {
      const { code, stderr } = await it.trailboss(verb, 'emacs')
      expect(code).toBe(2)
      const known = [...wiredAdapters().map(({ harness }) => harness), 'tmux'].join(', ')
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(known)
      expect(stderr).toContain('"emacs" is not known')
    }
  })
})
