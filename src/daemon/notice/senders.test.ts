import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import type { Notice } from '../../core/notice/notice-text.ts'
import { commandSender } from './command.ts'
import { desktopSender } from './desktop.ts'
import { runProgram } from './program.ts'
import { terminalSender } from './terminal.ts'

const dir = mkdtempSync(join(tmpdir(), 'tb-senders-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const notice: Notice = {
  ...{ id: '1', level: 'first', count: 1, items: [] },
  title: `api asks '; touch ${dir}/pwned; '`,
  text: `@/etc/hostname $(touch ${dir}/pwned) <!channel> & more`,
  line: `api asks $(touch ${dir}/pwned) <!channel> & more`,
}
const { env } = process

describe('a program', () => {
  test.each([
    [['/no/such/program'], 'there is no program /no/such/program'],
    [['sh', '-c', 'echo one; echo two >&2; exit 3'], /^sh exited with 3: (one · two|two · one)$/],
    [['sh', '-c', 'kill -9 $$'], 'sh was ended by SIGKILL'],
    [[dir], /EACCES/],
  ])('%j fails with its reason', async (argv, why) => {
    const expected = typeof why === 'string' ? why : expect.stringMatching(why)
    expect(await runProgram(argv, { env, timeoutMs: 5_000 })).toEqual({
      kind: 'failed',
      why: expected,
    })
  })

  test('that leaves something behind that holds its output open has still ended', async () => {
    const argv = ['sh', '-c', 'sleep 5 & exit 0']
    expect(await runProgram(argv, { env, timeoutMs: 3_000 })).toEqual({ kind: 'sent' })
  })

  test('that hangs is killed with all that it started', async () => {
    const file = join(dir, 'child')
    const argv = ['sh', '-c', `trap '' TERM; sleep 600 & echo $! > ${file}; wait`]
    const result = await runProgram(argv, { env, timeoutMs: 500 })
    expect(result).toMatchObject({ kind: 'failed', why: expect.stringContaining('was killed') })
    const child = Number(readFileSync(file, 'utf8'))
    await expect.poll(() => isRunning(child)).toBe(false)
  })

  test('that cannot be started for lack of file descriptors has failed', async () => {
    const script = `
      import { openSync } from 'node:fs'
      import { runProgram } from ${JSON.stringify(fileURLToPath(new URL('program.ts', import.meta.url)))}
      try { for (;;) openSync('/dev/null') } catch {}
      const { kind, why } = await runProgram(['true'], { env: {}, timeoutMs: 500 })
      process.stdout.write(kind + ' ' + why)
      setTimeout(() => process.stdout.write(' and goes on'), 700)`
    const node = [process.execPath, '--input-type=module', '-e', script]
    const limited = spawn('sh', ['-c', 'ulimit -n 60; exec "$@"', 'sh', ...node])
    let said = ''
    limited.stdout.on('data', (chunk) => {
      said += chunk
    })
    await once(limited, 'close')
    expect(said).toMatch(/^failed .*EMFILE and goes on$/)
  })

  test('need not read its input, and may print without end', async () => {
    const input = 'x'.repeat(5_000_000)
    const argv = ['sh', '-c', 'yes | head -c 20000000']
    expect(await runProgram(argv, { env, input, timeoutMs: 20_000 })).toEqual({ kind: 'sent' })
  })
})

describe('a terminal', () => {
  const send = (name: string) => terminalSender('osc9')(notice, { socket: '/none', name })

  test('that is none is left alone', async () => {
    const file = join(dir, 'a-file')
    writeFileSync(file, 'mine')
    expect(await send(file)).toEqual({ kind: 'failed', why: `${file} is no terminal` })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(await send('/dev/pts/99999')).toMatchObject({ kind: 'failed' })
    expect(await send('/dev/null')).toMatchObject({ kind: 'failed' })
    expect(await terminalSender('bell')(notice, undefined)).toEqual({ kind: 'nobody' })
  })

  test('that takes no more output fails at once', async () => {
    // Its other end is never read.
    const script = `import os, pty, time
master, slave = pty.openpty()
os.set_blocking(slave, False)
for size in [512, 1, 1, 1, 1]:
    try:
        while True: os.write(slave, b"x" * size)
    except BlockingIOError: time.sleep(0.1) # The kernel moves some of it on.
print(os.ttyname(slave), flush=True)
time.sleep(60)`
    const child = spawn('python3', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [name] = await once(child.stdout, 'data')
    const result = await send(String(name).trim())
    child.kill('SIGKILL')
    expect(result).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('takes no output at the moment'),
    })
  })
})

test('on macOS the texts are arguments of the script, not part of it', async () => {
  const bin = join(dir, 'osascript')
  writeFileSync(bin, `#!/bin/sh\nprintf '%s\\n' "$@" > ${dir}/osascript.args\n`, { mode: 0o755 })
  const path = { ...env, PATH: `${dir}:${env['PATH']}` }
  expect(await desktopSender(path, 'darwin')(notice, undefined)).toEqual({ kind: 'sent' })
  expect(readFileSync(`${dir}/osascript.args`, 'utf8').split('\n').slice(-3)).toEqual([
    notice.title,
    notice.text,
    '',
  ])
})

describe('the examples in the documentation', () => {
  const text = readFileSync(
    fileURLToPath(new URL('../../../docs/notices.md', import.meta.url)),
    'utf8',
  )
  const commands = [...text.matchAll(/```json\n([\s\S]*?)\n```/g)]
    .map(([, json = '']) => JSON.parse(json) as { notify?: { command?: string[] } })
    .flatMap(({ notify }) => notify?.command ?? [])
    .filter((word) => word.includes('curl'))

  test('send what is asked as it is, and run none of it', async () => {
    const bodies: { title: unknown; body: string }[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push({ title: request.headers['title'], body })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect(commands).toHaveLength(2)
    for (const command of commands) {
      const argv = ['sh', '-c', command.replace(/https:\S+/, here)]
      expect(await commandSender(argv, env)(notice, undefined)).toEqual({ kind: 'sent' })
    }
    server.close()
    const line = notice.line.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
    expect(bodies[0]).toEqual({ title: notice.title, body: notice.text })
    expect(JSON.parse(bodies[1]?.body ?? '')).toEqual({ text: line })
    expect(() => readFileSync(`${dir}/pwned`)).toThrow()
  })
})

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
