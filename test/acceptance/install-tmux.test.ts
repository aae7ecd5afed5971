import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readText, snapshot, TRAILBOSS, writeText } from '../support/install/hooks-home.ts'
import { boundTo, createTmuxHome, type TmuxHome } from '../support/install/tmux-home.ts'
import { waitFor } from '../support/wait-for.ts'

let it: TmuxHome

beforeEach(() => {
  it = createTmuxHome()
})

afterEach(() => it[Symbol.asyncDispose]())

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
    'an empty tmux.conf': () => writeText(it.conf(), ''),
    'no tmux.conf at all': () => {},
    'a symlinked tmux.conf with its own mode': () => {
      writeText(join(it.home, 'dotfiles', 'tmux.conf'), ORDINARY_CONF, 0o640)
      symlinkSync('dotfiles/tmux.conf', it.conf())
    },
    'a tmux.conf with conflicting keys': () =>
      writeText(
        it.conf(),
        `${ORDINARY_CONF}\nbind Tab last-window\nbind -r S swap-pane -D\n`,
        0o600,
      ),
    'a tmux.conf with TPM': () => writeText(it.conf(), TPM_CONF),
    'a tmux.conf under ~/.config': () =>
      writeText(it.conf('.config/tmux/tmux.conf'), ORDINARY_CONF),
    'a tmux.conf with CRLF lines': () =>
      writeText(it.conf(), 'set -g mouse on\r\nset -g base-index 1\r\n'),
    'a tmux.conf that is no valid UTF-8': () =>
      writeFileSync(it.conf(), Buffer.from([0x23, 0xff, 0xfe, 0x0a, 0x23, 0xc3, 0x28])),
    'a symlink to a tmux.conf that is not there yet': () => {
      mkdirSync(join(it.home, 'dotfiles'))
      symlinkSync(join(it.home, 'dotfiles', 'tmux.conf'), it.conf())
    },
  }

  test.each(Object.entries(confs))('%s', async (_name, prepare) => {
    prepare()
    const before = snapshot(it.home)

    const installed = await it.trailboss('install', 'tmux', '--yes', '--status')
    expect(installed).toMatchObject({ code: 0 })
    const path = existsSync(it.conf()) ? it.conf() : it.conf('.config/tmux/tmux.conf')
    expect(readText(path)).toMatch(
      /^# >>> trailboss.*>>>\nsource-file -q ".*"\n# <<< trailboss <<</m,
    )
    expect(boundTo(await it.keysOfFreshTmux(), 'g')).toContain('@trailboss_popup')

    const between = snapshot(it.home)
    const again = await it.trailboss('install', 'tmux', '--yes')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Already installed') })
    expect(snapshot(it.home)).toEqual(between)

    expect(await it.trailboss('uninstall', 'tmux', '--yes')).toMatchObject({ code: 0 })
    expect(snapshot(it.home)).toEqual(before)
    expect(readdirSync(it.state)).not.toContain('tmux.conf')
    expect(await it.trailboss('uninstall', 'tmux', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Not installed'),
    })
  })
})

describe('the configuration file', () => {
  test('TPM stays the last line', async () => {
    writeText(it.conf(), TPM_CONF)
    await it.trailboss('install', 'tmux', '--yes')
    expect(readText(it.conf()).endsWith("run '~/.tmux/plugins/tpm/tpm'\n")).toBe(true)
  })

  test('mode and symlink are kept while it is installed, and a backup lies beside it', async () => {
    writeText(join(it.home, 'dotfiles', 'tmux.conf'), ORDINARY_CONF, 0o640)
    symlinkSync('dotfiles/tmux.conf', it.conf())
    await it.trailboss('install', 'tmux', '--yes')
    expect(readlinkSync(it.conf())).toBe('dotfiles/tmux.conf')
    expect(lstatSync(join(it.home, 'dotfiles', 'tmux.conf')).mode & 0o777).toBe(0o640)
    expect(readText(it.conf('.tmux.conf.trailboss-backup'))).toBe(ORDINARY_CONF)
  })

  test('the change is shown, and without --yes or a terminal it is refused', async () => {
    writeText(it.conf(), ORDINARY_CONF)
    const before = snapshot(it.home)
    const result = await it.trailboss('install', 'tmux')
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain(`+++ ${it.conf()}`)
    expect(result.stderr).toContain('+# >>> trailboss ')
    expect(result.stderr).toContain('--yes')
    expect(snapshot(it.home)).toEqual(before)
    expect(existsSync(it.state)).toBe(false)
  })

  test('what was written around the block since stays, and so does the backup', async () => {
    writeText(it.conf(), 'one\n')
    await it.trailboss('install', 'tmux', '--yes')
    writeText(it.conf(), `zero\n${readText(it.conf())}two\n`)
    const result = await it.trailboss('uninstall', 'tmux', '--yes')
    expect(readText(it.conf())).toBe('zero\none\ntwo\n')
    expect(result.stderr).toMatch(/trailboss-backup is kept/)
    expect(readText(it.conf('.tmux.conf.trailboss-backup'))).toBe('one\n')
  })

  test('of several files the one that tmux reads last is taken, and that is said', async () => {
    writeText(it.conf(), 'set -g mouse on\n')
    writeText(it.conf('.config/tmux/tmux.conf'), 'set -g base-index 1\n')
    const result = await it.trailboss('install', 'tmux', '--yes')
    expect(readText(it.conf())).toBe('set -g mouse on\n')
    expect(readText(it.conf('.config/tmux/tmux.conf'))).toContain('trailboss')
    expect(result.stderr).toMatch(
      /\.config\/tmux\/tmux\.conf is taken: tmux reads .*\.tmux\.conf, then/,
    )
  })

  test('--conf names another one, for both directions', async () => {
    writeText(it.conf('mine.conf'), ORDINARY_CONF)
    const before = snapshot(it.home)
    await it.trailboss('install', 'tmux', '--yes', '--conf', 'mine.conf')
    expect(readText(it.conf('mine.conf'))).toContain('trailboss')
    expect(existsSync(it.conf())).toBe(false)
    await it.trailboss('uninstall', 'tmux', '--yes', '--conf', 'mine.conf')
    expect(snapshot(it.home)).toEqual(before)
  })

  test('one that cannot be written is said, with the line to add by hand', async () => {
    symlinkSync('/proc/nowhere/tmux.conf', it.conf())
    const result = await it.trailboss('install', 'tmux', '--yes')
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/cannot be written[\s\S]*yourself: source-file -q "/)
  })

  test('a directory in its place is refused', async () => {
    mkdirSync(it.conf('here'))
    const result = await it.trailboss('install', 'tmux', '--yes', '--conf', 'here')
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('not a regular file') })
  })

  test('in a terminal it asks, and only a yes changes anything', async () => {
    writeText(it.conf(), ORDINARY_CONF)
    const before = snapshot(it.home)
    const terminal = await it.startServer('terminal')
    const screen = () => terminal.run('capture-pane', '-p', '-t', 'work:')
    const see = (pattern: RegExp) =>
      waitFor(screen, {
        what: `the screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      })
    const answer = (text: string) => terminal.run('send-keys', '-t', 'work:', text, 'Enter')

    const begin = async () => {
      await answer('clear')
      // The answers to an earlier one must not be seen for those to this one.
      await waitFor(screen, {
        what: 'an empty screen',
        until: (text) => !text.includes('[y/N]'),
      })
      await answer(`${TRAILBOSS} install tmux; echo ended $?`)
      await see(/status line .*\[y\/N\]/)
    }
    await begin()
    await terminal.run('send-keys', '-t', 'work:', 'C-c')
    await see(/\[y\/N\] *\nInterrupted\. Nothing more was changed\.\nended 130/)
    expect(snapshot(it.home)).toEqual(before)

    await begin()
    await answer('y')
    await see(/Make this change\? \[y\/N\]/)
    await answer('')
    await see(/Nothing was changed[\s\S]*ended 1/)
    expect(snapshot(it.home)).toEqual(before)

    await begin()
    await answer('y')
    await see(/Make this change\? \[y\/N\]/)
    await answer('y')
    await see(/ended 0/)
    expect(readText(it.conf())).toContain('trailboss')
    expect(readText(join(it.state, 'tmux.conf'))).toContain('status-format')
  })
})

describe('on a terminal of 80 columns and 24 lines', () => {
  test('what will change, the lines for tmux.conf and the question are seen together', async () => {
    writeText(it.conf(), ORDINARY_CONF)
    const terminal = await it.startServer('terminal')
    await terminal.run('resize-window', '-t', 'work:', '-x', '80', '-y', '24')
    const command = `clear; ${TRAILBOSS} install tmux --status`
    await terminal.run('send-keys', '-t', 'work:', command, 'Enter')
    const screen = await waitFor(() => terminal.run('capture-pane', '-p', '-t', 'work:'), {
      what: 'the question',
      until: (text) => text.includes('Make this change? [y/N]'),
    })
    expect(screen).toMatch(
      /^This binds prefix Tab \(next\), prefix g \(popup\), prefix S \(skip\) and prefix B\s\(back\)/m,
    )
    expect(screen.replaceAll('\n', ' ')).toMatch(
      /shows the stuck count .* and starts Trail Boss with tmux\./,
    )
    expect(screen).toContain('It adds three lines to ~/.tmux.conf and writes')
    expect(screen).toContain('+source-file -q')
    expect(screen).not.toContain('bind-key')

    const all = await it.trailboss('install', 'tmux', '--diff')
    expect(all.stderr).toContain("+bind-key -N 'trailboss: ")
  })
})

describe('what an earlier install chose', () => {
  const KEYS = ['--key-next', 'M-n', '--key-skip', 'F6']
  const FLAGS = ['--status', '--no-start', ...KEYS]

  test('stays until a flag says otherwise', async () => {
    await it.trailboss('install', 'tmux', '--yes', ...FLAGS)
    const chosen = readText(join(it.state, 'tmux.conf'))
    expect(await it.trailboss('install', 'tmux', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Already installed[\s\S]*prefix M-n[\s\S]*prefix F6/),
    })
    expect(readText(join(it.state, 'tmux.conf'))).toBe(chosen)

    await it.trailboss('install', 'tmux', '--yes', '--key-next', 'Tab', '--no-status', '--start')
    const keys = await it.keysOfFreshTmux()
    expect(boundTo(keys, 'Tab')).toContain('@trailboss_fresh')
    expect(boundTo(keys, 'M-n')).not.toContain('@trailboss')
    expect(boundTo(keys, 'F6')).toContain('@trailboss_skip')
    const now = readText(join(it.state, 'tmux.conf'))
    expect(now).not.toContain("'status-format")
    expect(now).toContain('@trailboss_run} up')
  })

  test('gives way to what config.json says', async () => {
    await it.trailboss('install', 'tmux', '--yes', ...KEYS)
    writeText(join(it.state, 'config.json'), '{"keys": {"next": "F7"}, "statusSegment": true}')
    await it.trailboss('install', 'tmux', '--yes')
    const keys = await it.keysOfFreshTmux()
    expect(boundTo(keys, 'F7')).toContain('@trailboss_fresh')
    expect(boundTo(keys, 'F6')).toContain('@trailboss_skip')
    expect(readText(join(it.state, 'tmux.conf'))).toContain("'status-format")
  })
})

describe('keys that are taken', () => {
  test("the user's binding stays, and a free key is taken and said instead", async () => {
    writeText(it.conf(), 'bind Tab last-window\n')
    const result = await it.trailboss('install', 'tmux', '--yes')
    expect(result.code).toBe(0)
    expect(result.stderr).toMatch(/prefix Tab is left alone.*last-window[\s\S]*--key-next KEY/)
    expect(result.stderr).toContain('prefix N is for Next instead')
    expect(result.stdout).toContain('prefix N  go to the oldest')
    const keys = await it.keysOfFreshTmux()
    expect(boundTo(keys, 'Tab')).toContain('last-window')
    expect(boundTo(keys, 'N')).toContain('@trailboss_fresh')
    expect(boundTo(keys, 'S')).toContain('@trailboss_skip')

    const again = await it.trailboss('install', 'tmux', '--yes')
    expect(again.stdout).toContain('Already installed')
    expect(again.stderr).not.toContain('left alone')

    await it.trailboss('install', 'tmux', '--yes', '--key-next', 'F5')
    expect(boundTo(await it.keysOfFreshTmux(), 'F5')).toContain('@trailboss_fresh')
  })

  test('a taken key that was asked for by name has no stand-in, and a free one is named', async () => {
    writeText(it.conf(), 'bind F5 last-window\n')
    const result = await it.trailboss('install', 'tmux', '--yes', '--key-next', 'F5')
    expect(result.stderr).toMatch(/prefix F5 is left alone[\s\S]*Next has no key; prefix N is free/)
    const keys = await it.keysOfFreshTmux()
    expect(boundTo(keys, 'F5')).toContain('last-window')
    expect(boundTo(keys, 'N')).toBe('')
  })

  test('Back takes another key as well; drain has one only if somebody chose it, and keeps it', async () => {
    writeText(it.conf(), 'bind B last-window\n')
    const result = await it.trailboss('install', 'tmux', '--yes')
    expect(result.stderr).toContain('prefix b is for Back instead')
    const plain = await it.keysOfFreshTmux()
    expect(boundTo(plain, 'B')).toContain('last-window')
    expect(boundTo(plain, 'b')).toContain('@trailboss_was')
    expect(plain).not.toContain('@trailboss_drain}')

    await it.trailboss('install', 'tmux', '--yes', '--key-drain', 'R', '--key-back', 'M-b')
    expect(await it.trailboss('install', 'tmux', '--yes')).toMatchObject({
      stdout: expect.stringMatching(/Already installed[\s\S]*prefix M-b[\s\S]*prefix R/),
    })
    const chosen = await it.keysOfFreshTmux()
    expect(boundTo(chosen, 'M-b')).toContain('@trailboss_was')
    expect(boundTo(chosen, 'R')).toContain('@trailboss_drain')
    await it.trailboss('uninstall', 'tmux', '--yes')
    expect(readText(it.conf())).toBe('bind B last-window\n')
  })

  test('a binding in a file that the configuration reads along counts', async () => {
    writeText(it.conf('.tmux/keys.conf'), 'if-shell true { bind-key S choose-session }\n')
    writeText(it.conf(), 'source-file -q ~/.tmux/*.conf\n')
    const result = await it.trailboss('install', 'tmux', '--yes')
    expect(result.stderr).toMatch(/prefix S is left alone.*choose-session/)
  })

  test('when all three are taken, three others are bound', async () => {
    writeText(it.conf(), 'bind Tab last-window\nbind g x\nbind S y\n')
    expect(await it.trailboss('install', 'tmux', '--yes')).toMatchObject({ code: 0 })
    expect(readText(join(it.state, 'tmux.conf'))).toMatch(/'N' [\s\S]*'G' [\s\S]*'Z' /)
  })

  test('when every key that was asked for is taken nothing is changed', async () => {
    writeText(it.conf(), 'bind F5 last-window\nbind F6 x\nbind F7 y\nbind F8 z\n')
    const before = snapshot(it.home)
    const keys = ['--key-next', 'F5', '--key-popup', 'F6', '--key-skip', 'F7', '--key-back', 'F8']
    const result = await it.trailboss('install', 'tmux', '--yes', ...keys)
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('Every key is taken') })
    expect(snapshot(it.home)).toEqual(before)
  })

  test('a key that tmux does not know is refused', async () => {
    const result = await it.trailboss(
      'install',
      'tmux',
      '--yes',
      '--key-next',
      "x'; kill-server; '",
    )
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a key') })
    expect(existsSync(it.conf())).toBe(false)
  })
})
