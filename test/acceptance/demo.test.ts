import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { programPath } from '../emitter/emitter-home.ts'
import { command } from '../support/command.ts'
import { TRAILBOSS } from '../support/create-world.ts'
import { sabotagedProduct } from '../support/install/sabotaged-product.ts'
import { isAlive } from '../support/processes.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let tmp: string
let env: NodeJS.ProcessEnv
beforeEach(() => {
  dir = mkdtempSync('/tmp/tb-demo-')
  tmp = join(dir, 'tmp')
  mkdirSync(tmp)
  mkdirSync(join(dir, 'home'))
  env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: join(dir, 'home'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMPDIR: tmp,
  }
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('trailboss demo --check', () => {
  test('takes the whole tour with real keys, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await check(TRAILBOSS)
    expect(stdout).not.toContain('✗')
    expect(stdout.match(/✓/g)?.length).toBe(14)
    expect(stdout).toMatch(/All is well/)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(leftovers()).toEqual([])
    expect(readdirSync(join(dir, 'home'))).toEqual([])
  })

  test('fails at the first step that needs a hook when the emitter sends nothing', async () => {
    const { code, stdout, stderr } = await check(sabotagedProduct(join(dir, 'product')))
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ four agents are seen at work/)
    expect(stdout).toMatch(/✓ everything that was started is gone/)
    expect(stderr).toMatch(/The screen at that moment:[\s\S]*Trail Boss/)
    expect(leftovers()).toEqual([])
  })

  const check = (program: string) =>
    command(program, ['demo', '--check'], { env, cwd: dir, timeoutMs: 60_000 })
})

describe('trailboss demo', () => {
  test('without a terminal it says what to do instead', async () => {
    const { code, stdout, stderr } = await command(TRAILBOSS, ['demo'], { env, cwd: dir })
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/needs a terminal[\s\S]*trailboss demo --check/)
    expect(leftovers()).toEqual([])
  })

  test('greets, lets the herd be answered with the keys, and cleans up when one detaches', async () => {
    await using person = await sitDown('unset TMUX TMUX_PANE;')
    await person.sees(/Ctrl-b Tab {2}go to the one that has waited longest/)
    await person.sees(/⚠ 1 stuck/)
    await person.press('C-b', 'Tab')
    await person.sees(/npm test -- login[\s\S]*Do you want to proceed\?/)
    await person.press('y')
    await person.sees(/14 tests passed/)
    await person.pressesUntil(['C-b', 'Tab'], /Below which width/)
    await person.press('C-b', 'd')
    await person.sees(/everything it started is gone[\s\S]*trailboss install tmux[\s\S]*exit 0/)
    expect(leftovers()).toEqual([])
  })

  test('inside another tmux it takes a prefix that the outer one lets through', async () => {
    await using person = await sitDown('')
    await person.sees(/Ctrl-a Tab/)
    await person.press('C-a', 'd')
    await person.sees(/exit 0/)
  })

  test('a signal ends it as a detach does', async () => {
    await using person = await sitDown('unset TMUX TMUX_PANE;')
    await person.sees(/⚠ 1 stuck/)
    const { pid, herd } = await person.processes()
    process.kill(pid, 'SIGTERM')
    await person.sees(/everything it started is gone[\s\S]*exit 143/)
    expect(herd.length).toBeGreaterThanOrEqual(6)
    expect(herd.filter(isAlive)).toEqual([])
    expect(leftovers()).toEqual([])
  })

  test('it waits for an agent whose tmux server is gone before it can be asked', async () => {
    const hooks = slowHooks()
    await using person = await sitDown('unset TMUX TMUX_PANE;')
    await person.sees(/⚠ 1 stuck/)
    const { herd, server } = await person.processes()
    hooks.slowDown()
    await waitFor(hooks.isOneRunning, { what: 'a hook to run, which its agent waits for' })
    process.kill(server, 'SIGKILL')
    await person.sees(/everything it started is gone[\s\S]*exit 0/)
    expect(herd.filter(isAlive)).toEqual([])
    expect(leftovers()).toEqual([])
  })

  test('closing the terminal ends it, too', async () => {
    const person = await sitDown('unset TMUX TMUX_PANE;')
    await person.sees(/⚠ 1 stuck/)
    const { pid, herd } = await person.processes()
    await person[Symbol.asyncDispose]()
    await waitFor(() => [pid, ...herd].filter(isAlive), {
      what: 'every process of the demo to end',
      until: (alive) => alive.length === 0,
    })
    expect(leftovers()).toEqual([])
  })
})

/** Has the emitter's own programs take three seconds from then on. */
function slowHooks() {
  const [bin, flag, started] = [join(dir, 'bin'), join(dir, 'slow'), join(dir, 'started')]
  mkdirSync(bin)
  const sleep = programPath('sleep')
  const programs = {
    curl: `if [ -e ${flag} ]; then : >${started}; ${sleep} 3; fi\nexec ${programPath('curl')} "$@"`,
    sleep: `if [ -e ${flag} ]; then set 3; fi\nexec ${sleep} "$@"`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  env['PATH'] = `${bin}:${env['PATH']}`
  return { slowDown: () => writeFileSync(flag, ''), isOneRunning: () => existsSync(started) }
}

function leftovers(): string[] {
  return readdirSync(tmp).filter((name) => name.startsWith('trailboss-'))
}

/** A person at a terminal who has just run `trailboss demo`. */
async function sitDown(before: string) {
  const pidFile = join(dir, 'pid')
  const run = `sh -c 'echo $$ >${pidFile}; exec ${TRAILBOSS} demo'`
  const shellCommand = `${before} ${run}; echo "exit $?"; exec cat`
  const socket = join(dir, 't')
  const terminal = await startTmuxServer({ socket, env, session: 'seat', shellCommand, cwd: dir })
  await terminal.run('set-option', '-g', 'status', 'off')
  const screen = () => terminal.run('capture-pane', '-p', '-t', 'seat:')
  return {
    press: (...keys: string[]) => terminal.run('send-keys', '-t', 'seat:', ...keys),
    sees: (pattern: RegExp) =>
      waitFor(screen, {
        what: `the screen to show ${pattern}`,
        until: (text) => pattern.test(text),
      }),
    pressesUntil: (keys: string[], pattern: RegExp) =>
      waitFor(
        async () => {
          await terminal.run('send-keys', '-t', 'seat:', ...keys)
          return screen()
        },
        { what: `the keys to lead to ${pattern}`, until: (text) => pattern.test(text) },
      ),
    processes: async () => {
      const { server, panes } = await herdOf(terminal)
      return { pid: Number(readFileSync(pidFile, 'utf8')), server, herd: [server, ...panes] }
    },
    [Symbol.asyncDispose]: () => terminal.stop(),
  }
}

/** The demo's tmux server and everything in its panes. */
async function herdOf(terminal: TmuxServer): Promise<{ server: number; panes: number[] }> {
  const socket = join(tmp, leftovers()[0] ?? '', 'tmux')
  const format = '#{pid} #{pane_pid}'
  const listed = await terminal.run('-S', socket, 'list-panes', '-a', '-F', format)
  const [server = 0, ...panes] = new Set(listed.split(/\s+/).map(Number))
  return { server, panes }
}
