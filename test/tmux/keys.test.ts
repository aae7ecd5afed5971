import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Keys, quote, renderConf } from '../../src/tmux/conf/keys.ts'
import { command } from '../support/command.ts'
import { type Operator, seatOperator } from '../support/operator.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let home: string
let env: NodeJS.ProcessEnv
let launcher: string
let server: TmuxServer
let operator: Operator
let started: TmuxServer[]

beforeEach(async () => {
  dir = mkdtempSync(join('/tmp', 'tb-keys-'))
  home = join(dir, `ho me's %d #{pid}`)
  launcher = join(dir, `it's a "good" $place, 100%s #{pane_id}`, 'trail boss')
  mkdirSync(home)
  mkdirSync(dirname(launcher))
  env = {
    PATH: `${dirname(TMUX)}:${process.env['PATH']}`,
    HOME: home,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    TMUX_TMPDIR: dir,
  }
  started = []
  server = await start(`in ner's`, 'work', 'exec sh')
  installLauncher('')
  await bindKeys()
  operator = await seat('outer', 'work')
})

afterEach(async () => {
  for (const one of started) await one.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function start(name: string, session: string, shellCommand: string): Promise<TmuxServer> {
  const socket = join(dir, name)
  const one = await startTmuxServer({ socket, env, session, shellCommand, cwd: dir })
  started.push(one)
  return one
}

/** A human with a terminal of their own, attached to a session of the server under test. */
async function seat(name: string, session: string): Promise<Operator> {
  const attach = `unset TMUX TMUX_PANE; exec ${TMUX} -S ${quote(server.socket)} attach-session -t ${session}`
  const terminal = await start(name, 'terminal', attach)
  await terminal.run('set-option', '-g', 'status', 'off')
  return seatOperator(terminal, () => [server])
}

/** Writes down how it was called, then does what the test wants. */
function installLauncher(script: string): void {
  writeFileSync(
    launcher,
    `#!/bin/sh\nprintf '%s\\n' "$TRAILBOSS_HOME|$TRAILBOSS_TMUX_SOCKET|$*" >> "${dir}/calls"\n${script}\n`,
  )
  chmodSync(launcher, 0o755)
}

const calls = (): string[] =>
  existsSync(join(dir, 'calls'))
    ? readFileSync(join(dir, 'calls'), 'utf8').split('\n').filter(Boolean)
    : []

async function bindKeys(
  keys: Keys = { next: 'Tab', popup: 'g', skip: 'S', back: 'B' },
): Promise<void> {
  await server.run('source-file', writeKeysFile({ keys, start: false }))
}

/** As tmux before 3.3 takes it: it runs no user hooks. */
async function bindOldKeys(): Promise<void> {
  const conf = writeKeysFile({ keys: { next: 'Tab', back: 'B' }, start: false })
  const text = readFileSync(conf, 'utf8').replaceAll('#{>=:#{version},3.3}', '0')
  expect(text).not.toContain('#{version}')
  writeFileSync(conf, text)
  await server.run('source-file', conf)
}

function writeKeysFile({ keys, start }: { keys: Keys; start: boolean }): string {
  const conf = join(dir, 'keys.conf')
  const env = { TRAILBOSS_HOME: home }
  writeFileSync(conf, renderConf({ launcher, keys, status: true, start, env }))
  return conf
}

const now = () => Math.floor(Date.now() / 1000)

/** What the daemon would project. */
async function project(options: Record<string, string | number>): Promise<void> {
  for (const [name, value] of Object.entries({ beat: now(), ...options })) {
    await server.run('set-option', '-g', `@trailboss_${name}`, String(value))
  }
}

const newPane = (...args: string[]) =>
  server.run(...(args as [string]), '-d', '-P', '-F', '#{pane_id}', 'exec sh')
const shownPane = async (who: Operator) => (await who.pane())!.id
const on = (id: string) => ({ socket: server.socket, id })
const pressNext = (who = operator) => who.press('C-b', 'Tab')
const nextTells = (what: RegExp) => operator.pressToBeTold(what, 'C-b', 'Tab')
const waitForCalls = (count = 1) =>
  waitFor(calls, { what: `${count} call of the CLI`, until: (seen) => seen.length >= count })

describe('next, with a head on this server', () => {
  test.each([
    ['a pane of another window', ['new-window', '-t', 'work:']],
    ['another pane of the window that is shown', ['split-window', '-t', 'work:']],
    ['a pane of another session', ['new-session', '-s', 'herd']],
  ])('goes to %s', async (_, where) => {
    const head = await newPane(...where)
    await project({ head, count: 1 })
    await pressNext()
    await operator.waitToBeOn(on(head))
    expect(calls()).toEqual([])
  })

  test('goes to a pane that a zoomed neighbour hides, and leaves the window zoomed', async () => {
    const head = await newPane('new-window', '-t', 'work:')
    const neighbour = await newPane('split-window', '-t', head)
    await server.run('resize-pane', '-Z', '-t', neighbour)
    await project({ head, count: 1 })
    await pressNext()
    await operator.waitToBeOn(on(head))
    const zoomed = await server.run('display-message', '-p', '-t', head, '#{window_zoomed_flag}')
    expect(zoomed).toBe('1')
  })

  test('moves only the client whose key was pressed', async () => {
    const other = await newPane('new-session', '-s', 'other')
    const head = await newPane('new-session', '-s', 'herd')
    const work = await shownPane(operator)
    const second = await seat('outer2', 'other')
    await project({ head, count: 1 })

    await pressNext(second)
    await second.waitToBeOn(on(head))
    expect(await shownPane(operator)).toBe(work)

    await second.lookAt(on(other))
    await pressNext(operator)
    await operator.waitToBeOn(on(head))
    expect(await shownPane(second)).toBe(other)
  })

  test('stays in its own session when another session shows the same windows', async () => {
    await server.run('new-session', '-d', '-s', 'twin', '-t', 'work')
    const second = await seat('outer2', 'twin')
    const head = await newPane('new-window', '-t', 'work:')
    await project({ head, count: 1 })
    for (const [who, session] of [
      [operator, 'work'],
      [second, 'twin'],
    ] as const) {
      const before = await shownPane(who)
      await pressNext(who)
      await who.waitToBeOn(on(head))
      const tty = await who.clientName()
      const clients = await server.run('list-clients', '-F', '#{client_tty} #{session_name}')
      expect(clients.split('\n')).toContain(`${tty} ${session}`)
      await who.lookAt(on(before))
    }
  })

  test('says so when this pane is the oldest one', async () => {
    await project({ head: await shownPane(operator), count: 2 })
    await nextTells(/this is the oldest one: answer it, or skip it with C-b S/)
    expect(calls()).toEqual([])
  })

  test('asks the CLI when the pane is gone', async () => {
    const before = await shownPane(operator)
    await project({ head: '%999', count: 1 })
    await pressNext()
    await waitForCalls()
    expect(await shownPane(operator)).toBe(before)
  })
})

describe('next, with nothing to go to', () => {
  test('says that nothing is stuck', async () => {
    await project({ head: '', count: '', cooling: '' })
    await nextTells(/trailboss: nothing is stuck *$/)
    expect(calls()).toEqual([])
  })

  test('takes a heartbeat from a little ahead for a fresh one', async () => {
    await project({ beat: now() + 8 })
    await nextTells(/trailboss: nothing is stuck/)
    expect(calls()).toEqual([])
  })

  test('says how many were skipped', async () => {
    await project({ head: '', count: '', cooling: 2 })
    await nextTells(/trailboss: nothing else waits \(2 skipped\)/)
    expect(calls()).toEqual([])
  })
})

describe('next, when tmux alone cannot tell', () => {
  test.each([
    ['the daemon never ran', { beat: '' }],
    ['the heartbeat is old', { beat: now() - 60 }],
    ['the heartbeat is from the future', { beat: now() + 3_600 }],
    ['the heartbeat is no number', { beat: 'soon' }],
    ['the head is on another server', { elsewhere: 1, count: 1 }],
    ['the head has no pane', { nopane: 1, count: 1 }],
    ['there is a count and no head', { count: 3 }],
  ])('asks the CLI when %s', async (_when, options) => {
    await project(options)
    const pane = await shownPane(operator)
    await pressNext()
    const tty = await operator.clientName()
    expect(await waitForCalls()).toEqual([
      `${home}|${server.socket}|jump-next --client ${tty} --pane ${pane}`,
    ])
  })

  test('a stale head is not gone to', async () => {
    const before = await shownPane(operator)
    const head = await newPane('new-window', '-t', 'work:')
    await project({ head, count: 1, beat: now() - 60 })
    await pressNext()
    await waitForCalls()
    expect(await shownPane(operator)).toBe(before)
  })

  test('the CLI gets which of two clients pressed the key', async () => {
    const other = await newPane('new-session', '-s', 'other')
    const second = await seat('outer2', 'other')
    await pressNext(second)
    const tty = await second.clientName()
    expect(await waitForCalls()).toEqual([
      `${home}|${server.socket}|jump-next --client ${tty} --pane ${other}`,
    ])
  })

  test.each([
    ...[`'; kill-server; '`, `%1'; kill-server; '`, `%1"; kill-server; "`, '%1\n; kill-server'],
    ...['%0; kill-server', '}} kill-server {', '#(touch PWNED)', '%1#(touch PWNED)'],
    ...['$(touch PWNED)', '#{E:@evil}', ',', '%', '%%', 'work:0', '-t', '@0'],
  ])('a head of %j does no harm', async (head) => {
    const evil = join(dir, 'PWNED')
    const before = await shownPane(operator)
    await server.run('set-option', '-g', '@evil', `#(touch ${evil})`)
    await project({ head: head.replace('PWNED', evil), count: 1 })
    await pressNext()
    expect(await waitForCalls()).toHaveLength(1)
    expect(await shownPane(operator)).toBe(before)
    expect(existsSync(evil)).toBe(false)
  })
})

describe('back', () => {
  const pressBack = (who = operator) => who.press('C-b', 'B')
  const backTells = (what: RegExp) => operator.pressToBeTold(what, 'C-b', 'B')
  const jumpTo = async (head: string, who = operator) => {
    await project({ head, count: 1 })
    await pressNext(who)
    await who.waitToBeOn(on(head))
  }
  const clientPid = () =>
    server.run('list-clients', '-F', '#{client_pid}').then((pids) => pids.split('\n')[0]!)

  test.each([
    ['another window', ['new-window', '-t', 'work:']],
    ['another pane of the same window', ['split-window', '-t', 'work:']],
    ['another session', ['new-session', '-s', 'herd']],
  ])('returns from %s, then goes forward again, without the CLI', async (_, where) => {
    const start = await shownPane(operator)
    const head = await newPane(...where)
    await jumpTo(head)
    await pressBack()
    await operator.waitToBeOn(on(start))
    await pressBack()
    await operator.waitToBeOn(on(head))
    await pressBack()
    await operator.waitToBeOn(on(start))
    expect(calls()).toEqual([])
  })

  test('works the same in a tmux before 3.3', async () => {
    await bindOldKeys()
    const start = await shownPane(operator)
    const head = await newPane('new-session', '-s', 'herd')
    await jumpTo(head)
    await pressBack()
    await operator.waitToBeOn(on(start))
    await pressBack()
    await operator.waitToBeOn(on(head))
    expect(calls()).toEqual([])
  })

  test('returns to where the jump began, however far the operator has wandered since', async () => {
    const start = await shownPane(operator)
    await jumpTo(await newPane('new-window', '-t', 'work:'))
    const far = await newPane('new-session', '-s', 'far')
    await operator.lookAt(on(far))
    await pressBack()
    await operator.waitToBeOn(on(start))
    await pressBack()
    await operator.waitToBeOn(on(far))
  })

  test('returns to the session that showed the window, not to another that has it too', async () => {
    await server.run('new-session', '-d', '-s', 'twin', '-t', 'work')
    await jumpTo(await newPane('new-session', '-s', 'herd'))
    await pressBack()
    const where = () => server.run('list-clients', '-F', '#{session_name}')
    await waitFor(where, { what: 'the client to be back', until: (name) => name === 'work' })
  })

  test('each client has a way back of its own', async () => {
    const [work, other] = [await shownPane(operator), await newPane('new-session', '-s', 'other')]
    const second = await seat('outer2', 'other')
    const head = await newPane('new-session', '-s', 'herd')
    await jumpTo(head)
    await jumpTo(head, second)
    await pressBack(second)
    await second.waitToBeOn(on(other))
    expect(await shownPane(operator)).toBe(head)
    await pressBack()
    await operator.waitToBeOn(on(work))
  })

  test('finds a pane that was moved to another session since', async () => {
    const start = await newPane('split-window', '-t', 'work:')
    await operator.lookAt(on(start))
    await jumpTo(await newPane('new-session', '-s', 'herd'))
    const other = await newPane('new-session', '-s', 'other')
    await server.run('join-pane', '-d', '-s', start, '-t', other)
    await pressBack()
    await operator.waitToBeOn(on(start))
  })

  test('says so when the pane is closed, and goes nowhere', async () => {
    const start = await newPane('new-window', '-t', 'work:')
    await operator.lookAt(on(start))
    const head = await newPane('new-session', '-s', 'herd')
    await jumpTo(head)
    await server.run('kill-pane', '-t', start)
    await backTells(/the pane that you were in is closed/)
    expect(await shownPane(operator)).toBe(head)
    expect(calls()).toEqual([])
  })

  test('says so when there was no jump yet, and when the operator is there already', async () => {
    await backTells(/nowhere to go back to/)
    const start = await shownPane(operator)
    await jumpTo(await newPane('new-window', '-t', 'work:'))
    await operator.lookAt(on(start))
    await backTells(/this is where you were before the last jump/)
    expect(calls()).toEqual([])
  })

  test('asks the CLI for a place on another server', async () => {
    const pane = await shownPane(operator)
    const place = '$0:@0.%0 4711 /tmp/other'
    await server.run('set-option', '-g', `@trailboss_back_${await clientPid()}`, place)
    await pressBack()
    const tty = await operator.clientName()
    expect(await waitForCalls()).toEqual([
      `${home}|${server.socket}|back --client ${tty} --pane ${pane}`,
    ])
  })

  test.each([
    ...[`$0:@0.%0'; kill-server; '`, '$0:@0.%0"; kill-server; "', '$0:@0.%0\n; kill-server'],
    ...[
      '#(touch PWNED)',
      '$0:@0.%0#(touch PWNED)',
      '$(touch PWNED)',
      '#{E:@evil}',
      '}} kill-server {',
    ],
  ])('a place of %j does no harm', async (place) => {
    const evil = join(dir, 'PWNED')
    const before = await shownPane(operator)
    await server.run('set-option', '-g', '@evil', `#(touch ${evil})`)
    const option = `@trailboss_back_${await clientPid()}`
    await server.run('set-option', '-g', option, place.replace('PWNED', evil))
    await pressBack()
    expect(await waitForCalls()).toHaveLength(1)
    expect(await shownPane(operator)).toBe(before)
    expect(existsSync(evil)).toBe(false)
  })
})

describe('the commands behind the keys', () => {
  const closePopup = async (shown: RegExp) => {
    await operator.press('Enter')
    const until = (screen: string) => !shown.test(screen)
    await waitFor(operator.screen, { what: 'the popup to be gone', until })
  }

  test('skip gets who skips what', async () => {
    const tty = await operator.clientName()
    const pane = await shownPane(operator)
    await operator.press('C-b', 'S')
    expect(await waitForCalls()).toEqual([
      `${home}|${server.socket}|skip --jump --client ${tty} --pane ${pane}`,
    ])
  })

  test('the popup shows the program, and closes with it', async () => {
    installLauncher('echo "what waits for you"; read -r line')
    const tty = await operator.clientName()
    const pane = await shownPane(operator)
    await operator.press('C-b', 'g')
    await operator.waitToSee(/what waits for you/)
    expect(calls()).toEqual([`${home}|${server.socket}|popup --client ${tty} --pane ${pane}`])
    await closePopup(/what waits for you/)
  })

  test('the popup leaves an error on the screen until it was read', async () => {
    installLauncher('echo "no daemon is running" >&2; exit 3')
    await operator.press('C-b', 'g')
    await operator.waitToSee(/no daemon is running[\s\S]*Press Enter to close/)
    await closePopup(/Press Enter/)
  })

  test('the popup opens where the login shell is no POSIX shell', async () => {
    await server.run('set-option', '-g', 'default-shell', '/bin/false')
    installLauncher('echo "what waits for you"; read -r line')
    await operator.press('C-b', 'g')
    await operator.waitToSee(/what waits for you/)
  })

  test('what the program prints, and its exit code, cover no pane', async () => {
    installLauncher(`echo out; echo err >&2; ${TMUX} wait-for -S done; exit 1`)
    await operator.press('C-b', 'S')
    await server.run('wait-for', 'done')
    await waitForCalls()
    await operator.type('echo still$((40+2))here')
    await operator.press('Enter')
    await operator.waitToSee(/still42here/)
    const modes = await server.run('list-panes', '-a', '-F', '#{pane_in_mode}')
    expect(modes).toBe('0')
  })

  test('a program that is gone is said in the status line', async () => {
    rmSync(launcher)
    await nextTells(/trailboss: its program cannot be started/)
  })

  test('an action without a key is not bound, and the message names the command instead', async () => {
    await server.run('unbind-key', '-T', 'prefix', 'S')
    await bindKeys({ next: 'M-n', popup: 'F5' })
    const bound = await server.run('list-keys', '-T', 'prefix')
    expect(bound).not.toMatch(/trailboss_skip\}"/)
    await project({ head: await shownPane(operator), count: 1 })
    await operator.pressToBeTold(/skip it with `trailboss skip`/, 'C-b', 'M-n')
  })
})

describe('the status segment', () => {
  const statusLine = async () => (await operator.screen()).trimEnd().split('\n').at(-1)!
  const waitForStatus = (pattern: RegExp) =>
    waitFor(
      async () => {
        await server.run('refresh-client', '-S', '-t', await operator.clientName())
        return statusLine()
      },
      { what: `the status line to show ${pattern}`, until: (line) => pattern.test(line) },
    )

  test('shows how many are stuck, and nothing when none is', async () => {
    await project({ count: 3 })
    await waitForStatus(/⚠ 3 stuck$/)
    await project({ count: '' })
    await waitForStatus(/^(?!.*stuck).*-\d\d *$/)
  })

  test('shows how many were skipped when that is all there is', async () => {
    await project({ count: 3, cooling: 6 })
    await waitForStatus(/⚠ 3 stuck$/)
    await project({ count: '', cooling: 6 })
    await waitForStatus(/ 6 skipped$/)
    await project({ count: '', cooling: '' })
    await waitForStatus(/^(?!.*skipped).*-\d\d *$/)
  })

  test('fits behind a long title', async () => {
    await server.run('select-pane', '-t', 'work:', '-T', 'a title that is far too long to be shown')
    await project({ count: 12 })
    await waitForStatus(/a title that is.*⚠ 12 stuck$/)
  })

  test('says that the daemon is off, whether it never ran, was stopped or has died', async () => {
    await waitForStatus(/ trailboss is off$/)
    await project({ count: 3 })
    await waitForStatus(/⚠ 3 stuck$/)
    await project({ count: 3, beat: now() - 60 })
    await waitForStatus(/ trailboss is off$/)
    await project({ count: 3 })
    await server.run('set-option', '-gu', '@trailboss_beat')
    await waitForStatus(/ trailboss is off$/)
  })

  test('is there once, however often the file is read', async () => {
    await bindKeys()
    await bindKeys()
    await project({ count: 3 })
    await waitForStatus(/⚠ 3 stuck$/)
    expect((await statusLine()).match(/stuck/g)).toHaveLength(1)
  })

  test('stays when a theme sets both sides of the line later', async () => {
    await project({ count: 3 })
    await server.run('set-option', '-g', 'status-left', 'THEME LEFT')
    await server.run('set-option', '-g', 'status-right', 'THEME RIGHT')
    await waitForStatus(/^THEME LEFT.*THEME RIGHT ⚠ 3 stuck$/)
  })

  test('is where somebody has put it, and nowhere else', async () => {
    await project({ count: 3 })
    await server.run('set-option', '-g', 'status-right', '#{E:@trailboss_segment} | mine')
    await waitForStatus(/(?<!stuck.*)⚠ 3 stuck \| mine$/)
  })
})

describe('the daemon', () => {
  const keys = { next: 'Tab' }
  const startFresh = async (name: string) => {
    const conf = writeKeysFile({ keys, start: true })
    const socket = join(dir, name)
    const tmux = (...args: string[]) => command(TMUX, ['-S', socket, '-f', conf, ...args], { env })
    await tmux('new-session', '-d', '-x', '80', '-y', '24', 'exec sh')
    const option = async (option: string) => (await tmux('show-options', '-gqv', option)).stdout
    const pid = Number((await tmux('display-message', '-p', '#{pid}')).stdout)
    started.push({
      socket,
      pid,
      run: async (...args) => (await tmux(...args)).stdout,
      try: tmux,
      stop: async () => void (await tmux('kill-server')),
    })
    return { tmux, conf, option }
  }

  test('is started with the server, for the home that the keys are for, and only once', async () => {
    installLauncher(`echo "$TMUX" >> "${dir}/tmux"; echo much; echo noise >&2; exit 3`)
    const { tmux, conf } = await startFresh('fresh')
    await waitForCalls()
    expect(calls()).toEqual([`${home}||up`])
    expect(readFileSync(join(dir, 'tmux'), 'utf8')).toMatch(new RegExp(`^${dir}/fresh,\\d+,`))

    await tmux('source-file', conf)
    await tmux('source-file', conf)
    await tmux('run-shell', 'true')
    expect(calls()).toHaveLength(1)
    const { stdout } = await tmux('display-message', '-p', '#{pane_in_mode}')
    expect(stdout).toBe('0\n')
  })

  test('a program that is gone keeps no server from starting, and says nothing', async () => {
    rmSync(launcher)
    const { tmux } = await startFresh('fresh')
    await tmux('run-shell', 'true')
    expect((await tmux('display-message', '-p', '#{pane_in_mode}')).stdout).toBe('0\n')
    expect((await tmux('show-messages')).stdout).not.toMatch(/returned/)
  })
})
