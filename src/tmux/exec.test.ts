import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runTmux } from './exec.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-exec-'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true, force: true })
})

function startServer(): { socket: string } & Disposable {
  const socket = join(dir, 's')
  execFileSync('tmux', ['-S', socket, '-f', '/dev/null', 'new-session', '-d', 'sleep 600'])
  const stop = () => execFileSync('tmux', ['-S', socket, 'kill-server'])
  return { socket, [Symbol.dispose]: () => void stop() }
}

function fakeTmux(script: string): void {
  writeFileSync(join(dir, 'tmux'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(dir, 'tmux'), 0o755)
  vi.stubEnv('PATH', `${dir}:${process.env['PATH']}`)
}

test('a command reaches the server of the given socket and its output comes back', async () => {
  using server = startServer()
  const text = 'a "b" $HOME ⚠ #(touch x)'
  const set = await runTmux(server.socket, ['set-option', '-g', '@x', text])
  expect(set).toEqual({ ok: true, stdout: '' })
  const shown = await runTmux(server.socket, ['show-options', '-gv', '@x'])
  expect(shown).toEqual({ ok: true, stdout: `${text}\n` })
})

test('input is fed to the command', async () => {
  using server = startServer()
  await runTmux(server.socket, ['load-buffer', '-b', 'b', '-'], { input: 'typed' })
  const shown = await runTmux(server.socket, ['show-buffer', '-b', 'b'])
  expect(shown).toEqual({ ok: true, stdout: 'typed' })
})

test('a command that tmux refuses fails with its message and exit code', async () => {
  using server = startServer()
  const result = await runTmux(server.socket, ['select-pane', '-t', '%999'])
  expect(result).toMatchObject({ ok: false, kind: 'failed', code: 1 })
  expect(result).toHaveProperty('stderr', expect.stringContaining("can't find pane"))
})

test('no socket, or a socket nobody listens on, is no server', async () => {
  expect(await runTmux(join(dir, 'absent'), ['list-sessions'])).toMatchObject({ kind: 'no-server' })

  const stale = join(dir, 'stale')
  writeFileSync(stale, '')
  expect(await runTmux(stale, ['list-sessions'])).toMatchObject({ kind: 'no-server' })
})

test('a server that does not answer is a timeout, not an absence', async () => {
  const socket = join(dir, 'deaf')
  const deaf = createServer(() => {})
  await new Promise<void>((resolve) => deaf.listen(socket, resolve))
  try {
    expect(await runTmux(socket, ['list-sessions'], { timeoutMs: 200 })).toMatchObject({
      ok: false,
      kind: 'timeout',
      code: null,
    })
  } finally {
    deaf.close()
  }
})

test('a machine without tmux reports that it is missing', async () => {
  vi.stubEnv('PATH', dir)
  expect(await runTmux(undefined, ['-V'])).toMatchObject({ ok: false, kind: 'missing' })
})

test('TMUX and TMUX_PANE of the caller do not leak into the command', async () => {
  vi.stubEnv('TMUX', '/somewhere/else,1,0')
  vi.stubEnv('TMUX_PANE', '%7')
  fakeTmux('echo "[$TMUX][$TMUX_PANE] $*"')
  expect(await runTmux('/s', ['list-panes'])).toEqual({
    ok: true,
    stdout: '[][] -u -S /s list-panes\n',
  })
})

test('a tmux that leaves its input unread is judged by its exit code', async () => {
  fakeTmux('exec <&-; sleep 0.1; exit 3')
  const input = 'x'.repeat(1_000_000)
  expect(await runTmux('/s', ['load-buffer', '-'], { input })).toMatchObject({
    kind: 'failed',
    code: 3,
  })
})
