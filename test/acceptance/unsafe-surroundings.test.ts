import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StatusView } from '../../src/contract/responses.ts'
import { command } from '../support/command.ts'
import { createWorld, TRAILBOSS } from '../support/create-world.ts'
import { freePort } from '../support/free-port.ts'
import { waitFor } from '../support/wait-for.ts'

describe('a token file that is not for its owner alone', () => {
  test('is replaced, and everybody hears of it', async () => {
    await using world = await createWorld({ up: false, port: await freePort() })
    const [full, ingest] = [join(world.state, 'token'), join(world.state, 'ingest-token')]
    const elsewhere = join(world.dir, 'elsewhere')
    const known = 'ab'.repeat(32)
    for (const file of [full, elsewhere]) writeFileSync(file, `${known}\n`)
    chmodSync(full, 0o644)
    symlinkSync(elsewhere, ingest)

    const before = await world.trailboss('doctor')
    expect(before.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `Have a new one made: rm '${full}'; trailboss restart`,
    )
    const { code, stderr } = await world.trailboss('up')
    expect(code, stderr).toBe(0)
    const told = [
      `${full} is open to other users (mode 644). The token was replaced`,
      `${ingest} is not a regular file. The token was replaced`,
    ]
    const { stdout: status } = await world.trailboss('status', '--json')
    for (const sentence of told) {
      expect(stderr).toContain(sentence)
      expect(status).toContain(sentence)
      expect(world.daemonLog()).toContain(sentence)
    }
    for (const file of [full, ingest]) {
      expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
      expect(readFileSync(file, 'utf8')).not.toContain(known)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    expect(readFileSync(elsewhere, 'utf8')).toBe(`${known}\n`)
    const replaced = readFileSync(full, 'utf8')

    await world.trailboss('down')
    expect((await world.trailboss('up')).stderr).not.toContain('replaced')
    expect(readFileSync(full, 'utf8')).toBe(replaced)
  })
})

describe('a token file that holds no token', () => {
  test('is replaced where it can be; else the port stays closed, and the daemon starts', async () => {
    const port = await freePort()
    await using world = await createWorld({ up: false, port })
    const [full, ingest] = [join(world.state, 'token'), join(world.state, 'ingest-token')]
    writeFileSync(full, '', { mode: 0o600 })
    mkdirSync(ingest)

    const { code, stderr } = await world.trailboss('up')
    expect(code, stderr).toBe(0)
    expect(stderr).toContain(`${full} is empty. The token was replaced`)
    expect(stderr).toContain(`${ingest} is not a regular file and cannot be replaced`)
    expect(readFileSync(full, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    const { tcp } = await world.json<StatusView>('status')
    expect(tcp).toEqual({ port, listening: false })

    rmSync(ingest, { recursive: true })
    const restarted = await world.trailboss('restart')
    expect(restarted.stderr).not.toContain('token')
    expect((await world.json<StatusView>('status')).tcp).toEqual({ port, listening: true })
  })
})

describe('a home that is opened while the daemon runs', () => {
  test('is closed again, hooks go on, and everybody can read it', async () => {
    await using world = await createWorld()
    chmodSync(world.state, 0o755)
    await waitFor(() => statSync(world.state).mode & 0o777, {
      what: 'the home to be closed',
      until: (mode) => mode === 0o700,
    })
    const warning = `${world.state} was open to other users (mode 755)`
    const again = await world.trailboss('up')
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('runs already') })
    expect(again.stderr).toContain(warning)
    const { warnings } = await world.json<StatusView>('status')
    expect(warnings).toEqual([expect.stringContaining(warning)])
    expect(world.daemonLog()).toContain(warning)
  })
})

describe('a home that anybody could replace', () => {
  test('is refused, above a link and above its target', async () => {
    await using world = await createWorld({ up: false })
    const open = join(world.dir, 'open')
    const closed = join(world.dir, 'closed')
    for (const dir of [open, closed, join(open, 'inner')]) mkdirSync(dir, { mode: 0o755 })
    chmodSync(open, 0o777)
    symlinkSync(join(open, 'inner'), join(closed, 'link'))
    const up = (home: string, ...args: string[]) =>
      command(TRAILBOSS, args, { env: { ...world.env, TRAILBOSS_HOME: home } })

    for (const home of [join(open, 'inner', 'tb'), join(closed, 'link', 'tb')]) {
      for (const args of [['up'], ['up', '--foreground']]) {
        const { code, stderr } = await up(home, ...args)
        expect(code).toBe(1)
        expect(stderr).toContain(
          `Every user can write to ${open}, so anybody could replace ${home}.`,
        )
        expect(stderr).toContain(`chmod +t '${open}'`)
      }
      expect(existsSync(home)).toBe(false)
    }
    const home = join(open, 'inner', 'tb')
    mkdirSync(home, { mode: 0o700 })
    expect((await up(home, 'doctor')).stdout).toContain(`every user can write to ${open}`)
    rmSync(home, { recursive: true })

    chmodSync(open, 0o1777)
    const started = await up(home, 'up')
    expect(started.code, started.stderr).toBe(0)
    expect((await up(home, 'down')).code).toBe(0)
  })
})

describe('a request target that names another server', () => {
  test('is refused on the port and on the socket', async () => {
    const port = await freePort()
    await using world = await createWorld({ up: false, port })
    await world.up()
    const token = readFileSync(join(world.state, 'token'), 'utf8').trim()
    const ask = (target: string, where: { port: number } | { path: string }) =>
      answerTo(where, [
        `GET ${target} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        `Authorization: Bearer ${token}`,
        'Connection: close',
      ])
    const tcp = { port }
    const unix = { path: join(world.state, 'trailboss.sock') }
    for (const target of [
      'http://evil.test/status',
      `http://evil.test:${port}/status`,
      `http://127.0.0.1:${port}@evil.test/status`,
      `https://127.0.0.1:${port}/status`,
    ]) {
      expect(await ask(target, tcp), target).toMatch(/^HTTP\/1\.1 421 [\s\S]*"code":"MISDIRECTED"/)
      expect(await ask(target, unix), target).toMatch(/^HTTP\/1\.1 421 /)
    }
    expect(await ask(`http://127.0.0.1:${port}/status`, tcp)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await ask('/status', tcp)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await ask('http://localhost/status', unix)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

/** As the bytes are, since no client would send such a target. */
function answerTo(where: { port: number } | { path: string }, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', ...where })
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}
