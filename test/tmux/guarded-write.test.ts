import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Pane } from '../../src/core/pane.ts'
import {
  pasteInto,
  pressKey,
  type WriteKey,
  type WriteResult,
} from '../../src/tmux/write/guarded-write.ts'
import { seatOperator } from '../support/operator.ts'
import { type ByteRecorder, byteRecorder } from '../support/tmux/byte-recorder.ts'
import { startTmuxServer, TMUX, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let env: NodeJS.ProcessEnv
let server: TmuxServer
let terminal: TmuxServer | undefined
let recorders: ByteRecorder[]

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-write-'))
  env = { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' }
  terminal = undefined
  recorders = []
  server = await startServer()
})
afterEach(async () => {
  await terminal?.stop()
  await server.stop()
  rmSync(dir, { recursive: true })
})

/** Its first pane, %0, is a recorder. */
async function startServer(): Promise<TmuxServer> {
  const recorder = record()
  const { shellCommand } = recorder
  const options = { socket: join(dir, 't'), env, session: 'work', shellCommand, cwd: dir }
  const started = await startTmuxServer(options)
  await started.run('set-option', '-g', 'remain-on-exit', 'on')
  await recorder.ready(started, '%0')
  return started
}

function record(): ByteRecorder {
  const recorder = byteRecorder(join(dir, `bytes-${recorders.length}`))
  recorders.push(recorder)
  return recorder
}

async function openRecorder(...command: string[]): Promise<string> {
  const recorder = record()
  const pane = await server.run(...command, '-d', '-P', '-F', '#{pane_id}', recorder.shellCommand)
  await recorder.ready(server, pane)
  return pane
}

/** Waits until tmux says this of the first pane. */
async function seen(format: string, wanted: string): Promise<void> {
  await waitFor(() => server.run('display-message', '-p', '-t', '%0', format), {
    what: `${format} to be ${wanted}`,
    until: (value) => value === wanted,
  })
}

async function targetOf(pane = '%0'): Promise<Pane> {
  const pid = await server.run('display-message', '-p', '-t', pane, '#{pane_pid}')
  return { socket: server.socket, server: server.pid, id: pane, pid: Number(pid) }
}

async function attach(): Promise<ReturnType<typeof seatOperator>> {
  const shellCommand = `exec '${TMUX}' -S '${server.socket}' attach -t work`
  const options = { socket: join(dir, 'o'), env, session: 'terminal', shellCommand, cwd: dir }
  terminal = await startTmuxServer(options)
  return seatOperator(terminal, () => [server])
}

/** Both ways to write, and that no byte of it went anywhere. */
async function expectBoth(target: Pane, result: WriteResult): Promise<void> {
  expect(await pasteInto(target, 'wrong')).toEqual(result)
  expect(await pressKey(target, 'Enter')).toEqual(result)
  expect(await server.run('list-buffers')).toBe('')
  for (const recorder of recorders) expect(recorder.received()).toBe('')
}

const sent = { kind: 'sent' }
const refused = (why: string) => ({ kind: 'refused', why }) as WriteResult

describe('a text', () => {
  const hostile = {
    'a shell command of a format': '#(touch canary) #{pid} ##(touch canary) #[fg=red]',
    'shell syntax': '$(touch canary) `touch canary` | & > canary',
    'the end of a command': '; kill-server ; \\; } { ;',
    'a flag': '-X',
    'a trailing semicolon': 'hello;',
    'quotes and backslashes': `it's "so" \\ \\n \\`,
    'time formats': '%H:%M %0 %% %s',
    'line breaks and tabs': 'one\n\ttwo\n\nthree\n',
    'the word by which tmux answers': 'DONE\nREFUSED 1 %0 1 1 0 0 0',
    'letters from everywhere': 'ß 日本語 👍🏽 e\u0301 \u{1f468}\u200d\u{1f469}',
    'key names': 'Enter C-c Escape',
    'a prompt of 64 KiB': `${'0123456789abcde\n'.repeat(4_096)}`,
  }

  test.each(Object.entries(hostile))(
    'with %s arrives as it is, as one bracketed paste',
    async (_, text) => {
      expect(await pasteInto(await targetOf(), text)).toEqual(sent)
      const wanted = `<paste>${text}</paste>`
      await waitFor(() => recorders[0]?.received() === wanted, { what: 'the text' })
      expect(await server.run('list-buffers')).toBe('')
      expect(existsSync(join(dir, 'canary'))).toBe(false)
    },
  )

  test.each([
    ['\x1b[201~rm -rf /\r', 'a control character'],
    ['one\rtwo', 'a control character'],
    ['\x03', 'a control character'],
    ['nul\0', 'a control character'],
    ['\x7f', 'a control character'],
    ['\x9b201~', 'a control character'],
    ['half \ud83d', 'Unicode'],
    ['', 'empty'],
    ['x'.repeat(66_561), '66561 bytes'],
  ])('like %j is a fault of ours: it is thrown back', async (text, why) => {
    await expect(pasteInto(await targetOf(), text)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining(why),
    })
    expect(recorders[0]?.received()).toBe('')
  })

  test('leaves the buffers of the operator alone', async () => {
    await server.run('set-buffer', 'kept')
    await pasteInto(await targetOf(), 'ours')
    await pasteInto({ ...(await targetOf()), pid: 1 }, 'ours')
    expect(await server.run('list-buffers', '-F', '#{buffer_sample}')).toBe('kept')
  })
})

describe('a key', () => {
  test('is pressed once', async () => {
    expect(await pressKey(await targetOf(), 'Enter')).toEqual(sent)
    expect(await pressKey(await targetOf(), 'C-c')).toEqual(sent)
    await waitFor(() => recorders[0]?.received() === '\r\x03', { what: 'both keys' })
  })

  test('of no other name is ever pressed', async () => {
    for (const key of ['Escape', 'C-u', 'y', 'Enter ; kill-server', '-X', '']) {
      await expect(pressKey(await targetOf(), key as WriteKey)).rejects.toThrow('never pressed')
    }
    expect(recorders[0]?.received()).toBe('')
  })
})

describe('nothing is written', () => {
  test('into a pane that is not there, whatever a client looks at', async () => {
    await expectBoth({ ...(await targetOf()), id: '%77' }, refused('gone'))
    await attach()
    await expectBoth({ ...(await targetOf()), id: '%77' }, refused('gone'))
  })

  test('into a pane with another process or of another server', async () => {
    const target = await targetOf()
    await expectBoth({ ...target, pid: target.pid + 1 }, refused('other-pane'))
    await expectBoth({ ...target, server: target.server + 1 }, refused('other-pane'))
  })

  test('into a pane that was respawned under its id', async () => {
    const target = await targetOf()
    const next = record()
    await server.run('respawn-pane', '-k', '-t', '%0', next.shellCommand)
    await next.ready(server, '%0')
    await expectBoth(target, refused('other-pane'))
  })

  test('into a dead pane, which would end the server (3.3a)', async () => {
    const target = await targetOf()
    process.kill(target.pid)
    await seen('#{pane_dead}', '1')
    await expectBoth(target, refused('dead'))
    expect(await server.run('display-message', '-p', '#{pid}')).toBe(String(server.pid))
  })

  test('while its input is off', async () => {
    await server.run('select-pane', '-d', '-t', '%0')
    await expectBoth(await targetOf(), refused('input-off'))
    await server.run('select-pane', '-e', '-t', '%0')
    expect(await pasteInto(await targetOf(), 'on again')).toEqual(sent)
  })

  test('while it is synchronized with others', async () => {
    await openRecorder('split-window', '-t', '%0')
    await server.run('set-option', '-w', '-t', '%0', 'synchronize-panes', 'on')
    await expectBoth(await targetOf(), refused('synchronized'))
  })

  test('while the operator scrolls in it, with a client attached', async () => {
    const operator = await attach()
    await server.run('copy-mode', '-t', '%0')
    await expectBoth(await targetOf(), refused('in-mode'))
    await operator.press('q')
    await seen('#{pane_in_mode}', '0')
    expect(await pasteInto(await targetOf(), 'after')).toEqual(sent)
    await waitFor(() => recorders[0]?.received() === '<paste>after</paste>', { what: 'the text' })
  })

  test('into a pane that shows something else than what was seen', async () => {
    const target = await targetOf()
    const cursor = { x: 5, y: 0, visible: true }
    for (const other of [{ x: 4 }, { y: 1 }, { visible: false }]) {
      expect(await pasteInto(target, 'no', { ...cursor, ...other })).toEqual(refused('changed'))
      expect(await pressKey(target, 'Enter', { ...cursor, ...other })).toEqual(refused('changed'))
    }
    expect(await pasteInto(target, 'yes', cursor)).toEqual(sent)
    await waitFor(() => recorders[0]?.received() === '<paste>yes</paste>', { what: 'the text' })
  })

  test('into the pane with the same id of a server that came after', async () => {
    const target = await targetOf()
    await server.stop()
    await waitFor(() => !existsSync(`/proc/${target.server}`), { what: 'the server to end' })
    expect(await pasteInto(target, 'wrong')).toEqual(refused('gone'))
    server = await startServer()
    await expectBoth(target, refused('other-pane'))
  })

  test('for a target whose parts are more than numbers', async () => {
    const target = await targetOf()
    const wrong = [
      { id: '%0 ; kill-server' },
      { id: 'work' },
      { id: '#(touch canary)' },
      { pid: Number.NaN },
      { server: 0 },
      { server: 1.5 },
    ]
    for (const part of wrong) {
      await expect(pasteInto({ ...target, ...part }, 'x')).rejects.toThrow('proper identity')
    }
    expect(recorders[0]?.received()).toBe('')
  })
})

describe('when tmux does not answer', () => {
  test.each([
    ['a paste', (target: Pane) => pasteInto(target, 'late')],
    ['a key', (target: Pane) => pressKey(target, 'Enter')],
  ])('%s is unknown, and is not made up for when tmux is back', async (_, write) => {
    const target = await targetOf()
    process.kill(server.pid, 'SIGSTOP')
    const result = await write(target).finally(() => process.kill(server.pid, 'SIGCONT'))
    expect(result).toEqual({ kind: 'unknown', why: 'tmux did not answer in time' })
    // It takes requests in the order in which they came: this one is behind the late one.
    await server.run('set-option', '-g', '@after', '1')
    expect(await pasteInto(target, 'next')).toEqual(sent)
    await waitFor(() => recorders[0]?.received().endsWith('</paste>'), { what: 'the next' })
    expect(recorders[0]?.received()).toBe('<paste>next</paste>')
    expect(await server.run('list-buffers')).toBe('')
  })

  test('a text that tmux has taken and not pasted does not stay behind', async () => {
    await server.run('set-hook', '-g', 'after-load-buffer', 'run-shell "sleep 4"')
    expect(await pasteInto(await targetOf(), 'held up')).toMatchObject({ kind: 'unknown' })
    expect(await server.run('list-buffers')).toBe('')
    await server.run('set-hook', '-gu', 'after-load-buffer')
    expect(await pasteInto(await targetOf(), 'next')).toEqual(sent)
    await waitFor(() => recorders[0]?.received() === '<paste>next</paste>', { what: 'the next' })
  })

  test('what it never got into its buffer was not pasted', async () => {
    await server.run('set-hook', '-g', 'after-load-buffer', 'delete-buffer')
    const why = expect.stringMatching(/^no-tmux: no buffer trailboss-/)
    expect(await pasteInto(await targetOf(), 'lost')).toEqual({ kind: 'refused', why })
    await server.run('set-hook', '-gu', 'after-load-buffer')
    expect(await pasteInto(await targetOf(), 'next')).toEqual(sent)
    await waitFor(() => recorders[0]?.received() === '<paste>next</paste>', { what: 'the next' })
  })

  test('a tmux that is not there has written nothing', async () => {
    const target = await targetOf()
    const path = process.env['PATH']
    process.env['PATH'] = dir
    onTestFinished(() => void Object.assign(process.env, { PATH: path }))
    const why = 'no-tmux: tmux is not installed, or not in PATH'
    expect(await pasteInto(target, 'x')).toEqual({ kind: 'refused', why })
    expect(await pressKey(target, 'Enter')).toEqual({ kind: 'refused', why })
  })

  test('a server that lost its socket is not gone', async () => {
    const target = await targetOf()
    rmSync(server.socket)
    const unreached = { kind: 'refused', why: expect.stringMatching(/^no-tmux: .*No such file/) }
    expect(await pasteInto(target, 'x')).toEqual(unreached)
    expect(await pressKey(target, 'Enter')).toEqual(unreached)
    // It makes its socket again.
    process.kill(server.pid, 'SIGUSR1')
    await waitFor(() => existsSync(server.socket), { what: 'the socket' })
    await seen('#{pane_id}', '%0')
    expect(await pasteInto(target, 'x')).toEqual(sent)
  })
})
