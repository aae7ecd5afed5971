import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { command, type Result } from '../support/command.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TRAILBOSS = join(ROOT, 'bin', 'trailboss')

let dir: string
let home: string
let env: NodeJS.ProcessEnv
let started: TmuxServer[]

beforeEach(() => {
  dir = mkdtempSync(join('/tmp', 'tb-install-'))
  home = join(dir, 'home')
  mkdirSync(home)
  started = []
  env = {
    PATH: process.env['PATH'],
    HOME: home,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    TMUX_TMPDIR: dir,
    TRAILBOSS_HOME: join(dir, 'state of [it]'),
    TRAILBOSS_PORT: '0',
    TRAILBOSS_TMUX_SOCKET: join(dir, 'server'),
  }
})

afterEach(async () => {
  for (const server of started) await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

const trailboss = (...args: string[]): Promise<Result> =>
  command(TRAILBOSS, args, { env, cwd: home })
const conf = (name = '.tmux.conf') => join(home, name)
const read = (path: string) => readFileSync(path, 'utf8')
const write = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** Every file below, with what could be told from outside. */
function snapshot(root = home): Record<string, unknown> {
  const seen: Record<string, unknown> = {}
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(root, name)
    const stat = lstatSync(path)
    seen[name] = {
      mode: stat.mode,
      owner: `${stat.uid}:${stat.gid}`,
      ...(stat.isSymbolicLink() && { link: readlinkSync(path) }),
      ...(stat.isFile() && { bytes: readFileSync(path).toString('hex') }),
    }
  }
  return seen
}

/** The server under test, without a configuration of its own. */
async function startServer(name = 'server'): Promise<TmuxServer> {
  const socket = join(dir, name)
  const server = await startTmuxServer({
    socket,
    env,
    session: 'work',
    shellCommand: 'exec sh',
    cwd: home,
  })
  started.push(server)
  return server
}

/** What a tmux that reads the user's files by itself has bound after the prefix. */
async function keysOfFreshTmux(): Promise<string> {
  const socket = join(dir, 'fresh')
  const run = (...args: string[]) => command(TMUX, ['-S', socket, ...args], { env, cwd: home })
  await run('new-session', '-d', 'exec sh')
  try {
    return (await run('list-keys', '-T', 'prefix')).stdout
  } finally {
    await run('kill-server')
  }
}

const boundTo = (keys: string, key: string) =>
  keys.split('\n').find((line) => new RegExp(`-T prefix +${key} `).test(line)) ?? ''

const TPM_CONF = `# List of plugins
set -g @plugin 'tmux-plugins/tpm'
set -g @plugin 'tmux-plugins/tmux-sensible'

# Initialize TMUX plugin manager (keep this line at the very bottom of tmux.conf)
run '~/.tmux/plugins/tpm/tpm'
`

const ORDINARY_CONF = `# my tmux
set -g mouse on
set-option -g history-limit 50000 # plenty
bind | split-window -h -c "#{pane_current_path}"
bind r source-file ~/.tmux.conf \\; display "reloaded"
setw -g mode-keys vi`

describe('install tmux, then uninstall tmux, gives every file back byte for byte', () => {
  const confs: Record<string, () => void> = {
    'an empty tmux.conf': () => write(conf(), ''),
    'no tmux.conf at all': () => {},
    'a symlinked tmux.conf with its own mode': () => {
      write(join(home, 'dotfiles', 'tmux.conf'), ORDINARY_CONF, 0o640)
      symlinkSync('dotfiles/tmux.conf', conf())
    },
    'a tmux.conf with conflicting keys': () =>
      write(conf(), `${ORDINARY_CONF}\nbind Tab last-window\nbind -r S swap-pane -D\n`, 0o600),
    'a tmux.conf with TPM': () => write(conf(), TPM_CONF),
    'a tmux.conf under ~/.config': () => write(conf('.config/tmux/tmux.conf'), ORDINARY_CONF),
    'a tmux.conf with CRLF lines': () =>
      write(conf(), 'set -g mouse on\r\nset -g base-index 1\r\n'),
    'a tmux.conf that is no valid UTF-8': () =>
      writeFileSync(conf(), Buffer.from([0x23, 0xff, 0xfe, 0x0a, 0x23, 0xc3, 0x28])),
    'a symlink to a tmux.conf that is not there yet': () => {
      mkdirSync(join(home, 'dotfiles'))
      symlinkSync(join(home, 'dotfiles', 'tmux.conf'), conf())
    },
  }

  test.each(Object.entries(confs))('%s', async (_name, prepare) => {
    prepare()
    const before = snapshot()

    const installed = await trailboss('install', 'tmux', '--yes', '--status')
    expect(installed).toMatchObject({ code: 0 })
    const path = existsSync(conf()) ? conf() : conf('.config/tmux/tmux.conf')
    expect(read(path)).toMatch(/^# >>> trailboss.*>>>\nsource-file -q ".*"\n# <<< trailboss <<</m)
    expect(boundTo(await keysOfFreshTmux(), 'g')).toContain('@trailboss_popup')

    const between = snapshot()
    const again = await trailboss('install', 'tmux', '--yes')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Already installed') })
    expect(snapshot()).toEqual(between)

    expect(await trailboss('uninstall', 'tmux', '--yes')).toMatchObject({ code: 0 })
    expect(snapshot()).toEqual(before)
    expect(readdirSync(env['TRAILBOSS_HOME']!)).not.toContain('tmux.conf')
    expect(await trailboss('uninstall', 'tmux', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Not installed'),
    })
  })
})

describe('the configuration file', () => {
  test('TPM stays the last line', async () => {
    write(conf(), TPM_CONF)
    await trailboss('install', 'tmux', '--yes')
    expect(read(conf()).endsWith("run '~/.tmux/plugins/tpm/tpm'\n")).toBe(true)
  })

  test('mode and symlink are kept while it is installed, and a backup lies beside it', async () => {
    write(join(home, 'dotfiles', 'tmux.conf'), ORDINARY_CONF, 0o640)
    symlinkSync('dotfiles/tmux.conf', conf())
    await trailboss('install', 'tmux', '--yes')
    expect(readlinkSync(conf())).toBe('dotfiles/tmux.conf')
    expect(lstatSync(join(home, 'dotfiles', 'tmux.conf')).mode & 0o777).toBe(0o640)
    expect(read(conf('.tmux.conf.trailboss-backup'))).toBe(ORDINARY_CONF)
  })

  test('the change is shown, and without --yes or a terminal it is refused', async () => {
    write(conf(), ORDINARY_CONF)
    const before = snapshot()
    const result = await trailboss('install', 'tmux')
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain(`+++ ${conf()}`)
    expect(result.stderr).toContain('+# >>> trailboss ')
    expect(result.stderr).toContain('--yes')
    expect(snapshot()).toEqual(before)
    expect(existsSync(env['TRAILBOSS_HOME']!)).toBe(false)
  })

  test('what was written around the block since stays, and so does the backup', async () => {
    write(conf(), 'one\n')
    await trailboss('install', 'tmux', '--yes')
    write(conf(), `zero\n${read(conf())}two\n`)
    const result = await trailboss('uninstall', 'tmux', '--yes')
    expect(read(conf())).toBe('zero\none\ntwo\n')
    expect(result.stderr).toMatch(/trailboss-backup is kept/)
    expect(read(conf('.tmux.conf.trailboss-backup'))).toBe('one\n')
  })

  test('of several files the one that tmux reads last is taken, and that is said', async () => {
    write(conf(), 'set -g mouse on\n')
    write(conf('.config/tmux/tmux.conf'), 'set -g base-index 1\n')
    const result = await trailboss('install', 'tmux', '--yes')
    expect(read(conf())).toBe('set -g mouse on\n')
    expect(read(conf('.config/tmux/tmux.conf'))).toContain('trailboss')
    expect(result.stderr).toMatch(
      /\.config\/tmux\/tmux\.conf is taken: tmux reads .*\.tmux\.conf, then/,
    )
  })

  test('--conf names another one, for both directions', async () => {
    write(conf('mine.conf'), ORDINARY_CONF)
    const before = snapshot()
    await trailboss('install', 'tmux', '--yes', '--conf', 'mine.conf')
    expect(read(conf('mine.conf'))).toContain('trailboss')
    expect(existsSync(conf())).toBe(false)
    await trailboss('uninstall', 'tmux', '--yes', '--conf', 'mine.conf')
    expect(snapshot()).toEqual(before)
  })

  test('one that cannot be written is said, with the line to add by hand', async () => {
    symlinkSync('/proc/nowhere/tmux.conf', conf())
    const result = await trailboss('install', 'tmux', '--yes')
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/cannot be written[\s\S]*yourself: source-file -q "/)
  })

  test('a directory in its place is refused', async () => {
    mkdirSync(conf('here'))
    const result = await trailboss('install', 'tmux', '--yes', '--conf', 'here')
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('not a regular file') })
  })

  test('in a terminal it asks, and only a yes changes anything', async () => {
    write(conf(), ORDINARY_CONF)
    const before = snapshot()
    const terminal = await startServer('terminal')
    const screen = () => terminal.run('capture-pane', '-p', '-t', 'work:')
    const see = (pattern: RegExp) =>
      waitFor(screen, {
        what: `the screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      })
    const answer = (text: string) => terminal.run('send-keys', '-t', 'work:', text, 'Enter')

    await answer(`clear; ${TRAILBOSS} install tmux; echo ended $?`)
    await see(/status line .*\[y\/N\]/)
    await answer('y')
    await see(/Make this change\? \[y\/N\]/)
    await answer('')
    await see(/Nothing was changed[\s\S]*ended 1/)
    expect(snapshot()).toEqual(before)

    await answer(`clear; ${TRAILBOSS} install tmux; echo ended $?`)
    await see(/status line .*\[y\/N\]/)
    await answer('y')
    await see(/Make this change\? \[y\/N\]/)
    await answer('y')
    await see(/ended 0/)
    expect(read(conf())).toContain('trailboss')
    expect(read(join(env['TRAILBOSS_HOME']!, 'tmux.conf'))).toContain('status-right')
  })
})

describe('keys that are taken', () => {
  test("the user's binding stays, the others are bound, and another key is offered", async () => {
    write(conf(), 'bind Tab last-window\n')
    const result = await trailboss('install', 'tmux', '--yes')
    expect(result.code).toBe(0)
    expect(result.stderr).toMatch(/prefix Tab is left alone.*last-window[\s\S]*--key-next KEY/)
    const keys = await keysOfFreshTmux()
    expect(boundTo(keys, 'Tab')).toContain('last-window')
    expect(boundTo(keys, 'S')).toContain('@trailboss_skip')

    await trailboss('install', 'tmux', '--yes', '--key-next', 'M-n')
    expect(boundTo(await keysOfFreshTmux(), 'M-n')).toContain('@trailboss_fresh')
  })

  test('a binding in a file that the configuration reads along counts', async () => {
    write(conf('.tmux/keys.conf'), 'if-shell true { bind-key S choose-session }\n')
    write(conf(), 'source-file -q ~/.tmux/*.conf\n')
    const result = await trailboss('install', 'tmux', '--yes')
    expect(result.stderr).toMatch(/prefix S is left alone.*choose-session/)
  })

  test('when every key is taken nothing is changed', async () => {
    write(conf(), 'bind Tab last-window\nbind g x\nbind S y\n')
    const before = snapshot()
    const result = await trailboss('install', 'tmux', '--yes')
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('Every key is taken') })
    expect(snapshot()).toEqual(before)
  })

  test('a key that tmux does not know is refused', async () => {
    const result = await trailboss('install', 'tmux', '--yes', '--key-next', "x'; kill-server; '")
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a key') })
    expect(existsSync(conf())).toBe(false)
  })
})

describe('a running server', () => {
  test('gets the keys at once and gives them back', async () => {
    const server = await startServer()
    const look = async () =>
      [
        await server.run('list-keys'),
        await server.run('show-options', '-g'),
        await server.run('show-options', '-s'),
      ].join('\n')
    const before = await look()
    const installed = await trailboss('install', 'tmux', '--yes', '--status')
    expect(installed.stdout).toContain(`The keys work now in the tmux server at ${server.socket}`)
    expect(boundTo(await server.run('list-keys', '-T', 'prefix'), 'Tab')).toContain('@trailboss_')
    expect(await server.run('show-options', '-gv', 'status-right')).toContain('@trailboss_segment')

    const removed = await trailboss('uninstall', 'tmux', '--yes')
    expect(removed.stdout).toMatch(/Unbound .*Tab/)
    expect(await look()).toBe(before)
  })

  test('a binding that the user made only there is left alone', async () => {
    const server = await startServer()
    await server.run('bind-key', 'g', 'display-message', 'mine')
    const result = await trailboss('install', 'tmux', '--yes')
    expect(result.stderr).toMatch(/prefix g is left alone, the running tmux server binds it/)
    expect(boundTo(await server.run('list-keys', '-T', 'prefix'), 'g')).toContain('mine')
  })

  test('a key that the user has bound again since is not unbound', async () => {
    const server = await startServer()
    await trailboss('install', 'tmux', '--yes')
    await server.run('bind-key', 'Tab', 'last-window')
    await trailboss('uninstall', 'tmux', '--yes')
    const keys = await server.run('list-keys', '-T', 'prefix')
    expect(boundTo(keys, 'Tab')).toContain('last-window')
    expect(boundTo(keys, 'S')).toBe('')
  })

  test('another key frees the old one', async () => {
    const server = await startServer()
    await trailboss('install', 'tmux', '--yes')
    await trailboss('install', 'tmux', '--yes', '--key-skip', 'M-s')
    const keys = await server.run('list-keys', '-T', 'prefix')
    expect(boundTo(keys, 'M-s')).toContain('@trailboss_skip')
    expect(boundTo(keys, 'S')).toBe('')
  })

  test('what a running daemon has projected is not touched, what a dead one left is', async () => {
    const server = await startServer()
    const head = () => server.run('show-options', '-gqv', '@trailboss_head')
    const beat = (at: number) =>
      server.run('set-option', '-g', '@trailboss_beat', String(Math.floor(at / 1_000)))
    await server.run('set-option', '-g', '@trailboss_head', '%0')

    await trailboss('install', 'tmux', '--yes')
    await beat(Date.now())
    await trailboss('uninstall', 'tmux', '--yes')
    expect(await head()).toBe('%0')

    await trailboss('install', 'tmux', '--yes')
    await beat(Date.now() - 60_000)
    await trailboss('uninstall', 'tmux', '--yes')
    expect(await head()).toBe('')
  })

  test('--print changes nothing, there or on disk', async () => {
    const server = await startServer()
    const before = [snapshot(), await server.run('list-keys')]
    const result = await trailboss('install', 'tmux', '--print')
    expect(result.stdout).toContain("bind-key -N 'trailboss: ")
    expect([snapshot(), await server.run('list-keys')]).toEqual(before)
    expect(existsSync(env['TRAILBOSS_HOME']!)).toBe(false)
  })
})

describe('the TPM plugin', () => {
  const keysAfterPlugin = async (server: TmuxServer): Promise<string> => {
    await server.run('run-shell', join(ROOT, 'trailboss.tmux'))
    return waitFor(() => server.run('list-keys', '-T', 'prefix'), {
      what: 'the plugin to have bound the skip key',
      until: (keys) => boundTo(keys, 'S') !== '',
    })
  }

  test('binds the keys that its options name', async () => {
    const server = await startServer()
    await server.run('set-option', '-g', '@trailboss-key-next', 'M-n')
    await server.run('set-option', '-g', '@trailboss-status', 'on')
    const keys = await keysAfterPlugin(server)
    expect(boundTo(keys, 'M-n')).toContain('@trailboss_fresh')
    expect(boundTo(keys, 'g')).toContain('@trailboss_popup')
    await waitFor(() => server.run('show-options', '-gv', 'status-right'), {
      what: 'the segment to be in the status line',
      until: (right) => right.includes('@trailboss_segment'),
    })
    expect(snapshot()).toEqual({})
  })

  test("leaves the user's keys alone, on the server that it runs in", async () => {
    const server = await startServer('another')
    await server.run('bind-key', 'Tab', 'last-window')
    const keys = await keysAfterPlugin(server)
    expect(boundTo(keys, 'Tab')).toContain('last-window')
    expect(boundTo(keys, 'S')).toContain('@trailboss_skip')
  })

  test('says how to build it when it is not built', async () => {
    const server = await startServer()
    const copy = join(dir, 'plugins', 'a %d #{pid} b')
    write(join(copy, 'trailboss.tmux'), read(join(ROOT, 'trailboss.tmux')), 0o755)
    const attach = `unset TMUX; exec ${TMUX} -S ${server.socket} attach-session -t work`
    const terminal = await startTmuxServer({
      socket: join(dir, 'outer'),
      env,
      session: 'terminal',
      shellCommand: attach,
      cwd: home,
    })
    started.push(terminal)
    await server.run('run-shell', `'${join(copy, 'trailboss.tmux').replaceAll('#', '##')}'`)
    await waitFor(() => terminal.run('capture-pane', '-p', '-t', 'terminal:'), {
      what: 'the message how to build it',
      until: (screen) => screen.includes(`not built yet; in a shell: cd '${copy}' && npm install`),
    })
  })
})
