import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { command } from '../support/command.ts'
import { createWorld, TRAILBOSS, type World } from '../support/create-world.ts'
import { fakeProgram } from '../support/supervisor/fake-program.ts'
import { supervised } from '../support/supervisor/supervised.ts'
import { waitFor } from '../support/wait-for.ts'

type Checks = {
  checks: { workspace: string | null; name: string; status: string; detail: string; mend: string }[]
}

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-init-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A machine on which only the fake agent is installed, with a directory for the workspace. */
async function machine(up = false): Promise<{ world: World; ranch: string; config: string }> {
  const world = await createWorld({ up, pathFirst: fakeProgram('claude', dir) })
  const ranch = join(world.dir, 'projects', 'ranch')
  mkdirSync(ranch)
  return { world, ranch, config: join(world.state, 'config.json') }
}

describe('trailboss workspace init', () => {
  test('makes a workspace whose agent takes a prompt, with the hooks that prove it', async () => {
    const { world, ranch, config } = await machine()
    await using _ = world
    const made = await world.trailboss('workspace', 'init', ranch, '--yes')
    expect(made).toMatchObject({ code: 0 })
    expect(made.stdout).toContain(`Wrote ${config}`)
    expect(made.stdout).toMatch(/✓ ranch\/lead +Claude Code .*the orchestrator/)
    expect(made.stdout).toMatch(/! Claude Code +it does not trust .*ranch yet: it asks once/)
    expect(made.stdout).toContain('trailboss up')
    expect(readFileSync(config, 'utf8')).toContain('// Agents run in these directories and below')
    expect(readFileSync(join(world.home, '.claude', 'settings.json'), 'utf8')).toContain(
      'trailboss-emit',
    )
    expect(existsSync(join(world.home, '.claude.json'))).toBe(false)

    const down = await world.trailboss('workspace', 'check')
    expect(down).toMatchObject({ code: 1 })
    expect(down.stdout).toMatch(/✗ daemon[\s\S]*trailboss up[\s\S]*1 thing will not work/)
    await world.up()
    const checked = await world.trailboss('workspace', 'check', 'ranch')
    expect({ ...checked, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(checked.stdout).toMatch(/Everything will work, \d warnings?\./)

    const agents = supervised(world, 'ranch')
    expect(await agents.start('lead')).toMatchObject({ harness: 'claude-code', status: 'ready' })
    const { id } = await agents.trigger('lead', 'Count the cattle.')
    expect(await agents.settled(id)).toMatchObject({ state: 'delivered' })
  })

  test('leaves all else in the configuration as it is, and keeps a backup and the link', async () => {
    const { world, ranch, config } = await machine()
    await using _ = world
    const before =
      '// mine\n{\n    "port": 0, // none\n    "workspaces": {\n        "farm": {"directories": ["/"]} /* old */\n    },\n    /* quiet */ "logLevel": "warn"\n}\n'
    const target = join(world.dir, 'dotfiles.json')
    writeFileSync(target, before)
    symlinkSync(target, config)
    const made = await world.trailboss('workspace', 'init', ranch, '--yes', '--no-hooks')
    expect(made).toMatchObject({ code: 0 })
    expect(made.stderr).toContain('+        "ranch": {')
    expect(lstatSync(config).isSymbolicLink()).toBe(true)
    const after = readFileSync(target, 'utf8')
    const start = after.indexOf('\n        "ranch": {')
    const end = after.indexOf('\n        }', start) + '\n        }'.length
    expect(`${after.slice(0, start)}${after.slice(end)}`).toBe(
      before.replace('["/"]} /* old */', '["/"]}, /* old */'),
    )
    expect(readFileSync(`${config}.trailboss-backup`, 'utf8')).toBe(before)
    expect(existsSync(join(world.home, '.claude'))).toBe(false)
    const { stdout } = await world.trailboss('workspace')
    expect(stdout).toMatch(/^WORKSPACE[\s\S]*farm[\s\S]*ranch +lead \(claude-code\)/)
  })

  test('a second time it says that the workspace is there, and changes nothing', async () => {
    const { world, ranch, config } = await machine()
    await using _ = world
    await world.trailboss('workspace', 'init', ranch, '--yes', '--no-hooks')
    const before = readFileSync(config, 'utf8')
    const again = await world.trailboss('workspace', 'init', ranch, '--yes')
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toContain(`There is a workspace ranch already: ${ranch}`)
    expect(again.stderr).toContain('--name')
    expect(readFileSync(config, 'utf8')).toBe(before)
    const other = await world.trailboss(
      'workspace',
      'init',
      ranch,
      '--yes',
      '--no-hooks',
      '--name',
      'farm',
    )
    expect(other.code).toBe(0)
  })

  test('takes its answers from flags, and prints them as JSON', async () => {
    const { world, ranch } = await machine()
    await using _ = world
    const flags = ['--role', 'boss=claude-code', '--role', 'judge=codex,hand=claude-code']
    const made = await world.json<Checks & { workspace: object; next: string[] }>(
      ...['workspace', 'init', ranch, '--yes', '--name', 'big', ...flags],
      ...['--orchestrator', 'boss', '--reviewer', 'judge', '--no-hooks'],
    )
    expect(made.workspace).toEqual({
      name: 'big',
      directories: [ranch],
      roles: { boss: 'claude-code', judge: 'codex', hand: 'claude-code' },
      orchestrator: 'boss',
      reviewer: 'judge',
    })
    expect(made.next.slice(0, 2)).toEqual(['trailboss workspace check', 'trailboss up'])
    expect(made.checks.find(({ name }) => name === 'big/judge')).toMatchObject({
      status: 'broken',
      detail: expect.stringContaining('Codex is not installed'),
    })
    const hooks = made.checks.find(
      ({ detail }) => detail.includes('no hook') || detail.includes('is not there'),
    )
    expect(hooks).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('proved by its transcript alone'),
      mend: expect.stringContaining('trailboss install'),
    })
    expect(await world.json('workspace', 'list')).toEqual({ workspaces: [made.workspace] })
  })

  test.each([
    [['init'], /Nobody is there to answer[\s\S]*--yes/],
    [['init', '/nonexistent', '--yes'], /\/nonexistent is not a directory/],
    [['init', '--yes', '--name', 'No Good'], /cannot be called "No Good"/],
    [['init', '--yes', '--role', 'lead=cow'], /cannot run "cow"/],
    [
      ['init', '--yes', '--role', 'lead=claude-code', '--reviewer', 'x'],
      /--reviewer names no role/,
    ],
  ])('%j is refused, and nothing is written', async (args, said) => {
    const { world, config } = await machine()
    await using _ = world
    const result = await world.trailboss('workspace', ...args)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) })
    expect(existsSync(config)).toBe(false)
  })

  test('adds nothing to a broken configuration', async () => {
    const { world, ranch, config } = await machine()
    await using _ = world
    writeFileSync(config, '{ "port": }\n')
    const result = await world.trailboss('workspace', 'init', ranch, '--yes')
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('is not valid JSON') })
    expect(readFileSync(config, 'utf8')).toBe('{ "port": }\n')
  })

  test('without an agent in PATH it says which there could be', async () => {
    const { world, ranch } = await machine()
    await using _ = world
    const env = { ...world.env, PATH: '/usr/bin:/bin' }
    const args = ['workspace', 'init', ranch, '--yes']
    const node = { ...env, PATH: `${join(dir, 'node')}:${env.PATH}` }
    mkdirSync(join(dir, 'node'))
    symlinkSync(process.execPath, join(dir, 'node', 'node'))
    const result = await command(TRAILBOSS, args, { env: node, cwd: world.home })
    expect(result).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/No agent .* is in PATH: Claude Code/),
    })
  })

  test('at a terminal it asks, each question with its default', async () => {
    const { world, ranch, config } = await machine()
    await using _ = world
    const see = (pattern: RegExp) =>
      waitFor(() => world.tmux.run('capture-pane', '-p', '-J', '-S', '-', '-t', 'work:'), {
        what: `the screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      })
    const answer = (text: string) => world.tmux.run('send-keys', '-t', 'work:', text, 'Enter')
    await answer(`cd ${ranch}; clear; ${TRAILBOSS} workspace init; echo ended $?`)
    await see(/Installed here: claude-code\. Not found: codex/)
    await see(/Directory \[.*ranch\]: $/m)
    await answer('')
    await see(/Name of the workspace \[ranch\]: $/m)
    await answer('Big Ranch')
    await see(/cannot be called "Big Ranch"[\s\S]*Name of the workspace \[ranch\]: $/m)
    await answer('big')
    await see(/Who leads the others\? \[claude-code\]: $/m)
    await answer('')
    await see(/Who works for it\? Several with commas \[claude-code\]: $/m)
    await answer('claude-code,claude-code')
    await see(/Who reviews the results\? \[claude-code\]: $/m)
    await answer('-')
    await see(/Make this change\? \[y\/N\]/)
    expect(existsSync(config)).toBe(false)
    await answer('y')
    await see(/Claude Code has no hooks yet[\s\S]*Make this change\? \[y\/N\]/)
    await answer('n')
    await see(/Nothing was changed for Claude Code[\s\S]*What next:[\s\S]*ended 0/)
    expect(await world.json('workspace', 'list')).toMatchObject({
      workspaces: [
        {
          name: 'big',
          roles: { lead: 'claude-code', 'worker-1': 'claude-code', 'worker-2': 'claude-code' },
          reviewer: null,
        },
      ],
    })
  })
})

describe('trailboss workspace check', () => {
  test('names everything that will not work, with what to do', async () => {
    const { world, ranch, config } = await machine(true)
    await using _ = world
    const harness = 'claude-code'
    const roles = {
      good: { harness },
      elsewhere: { harness, cwd: world.dir },
      missing: { harness: 'codex' },
      strange: { harness: 'cursor' },
    }
    const directories = [ranch, join(world.dir, 'gone')]
    writeFileSync(config, JSON.stringify({ workspaces: { ranch: { directories, roles } } }))
    const { code, stdout } = await world.trailboss('workspace', 'check', '--json')
    expect(code).toBe(1)
    const { checks } = JSON.parse(stdout) as Checks
    const broken = checks.filter(({ status }) => status === 'broken')
    expect(broken).toMatchObject([
      { workspace: null, name: 'daemon', mend: expect.stringContaining('workspace reload') },
      {
        workspace: 'ranch',
        name: 'ranch',
        detail: expect.stringContaining('gone is not a directory'),
      },
      { name: 'ranch/elsewhere', detail: expect.stringContaining('is not within workspace ranch') },
      { name: 'ranch/missing', detail: expect.stringContaining('Codex is not installed') },
      { name: 'ranch/strange', detail: expect.stringContaining('cannot run "cursor"') },
    ])
    expect(await world.trailboss('workspace', 'check', 'farm')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('There are: ranch.'),
    })
    writeFileSync(
      config,
      JSON.stringify({ workspaces: { ranch: { directories, orchestrator: 'boss' } } }),
    )
    expect(await world.trailboss('workspace', 'check')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ config[\s\S]*orchestrator: "boss" is not a role/),
    })
  })

  test('without a workspace it says how to begin, and so does the bare command', async () => {
    await using world = await createWorld({ up: false })
    const checked = await world.trailboss('workspace', 'check')
    expect(checked).toMatchObject({ code: 4, stderr: expect.stringContaining('workspace init') })
    const bare = await world.trailboss('workspace')
    expect(bare).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('workspace init'),
    })
  })
})
