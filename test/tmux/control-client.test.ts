import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ControlClient } from '../../src/tmux/control/control-client.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let server: TmuxServer
let client: ControlClient
let losses: string[]

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-control-'))
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color' },
    session: 'work',
    shellCommand: 'cat',
    cwd: dir,
  })
  losses = []
  client = new ControlClient(server.socket, { lost: ({ message }) => losses.push(message) })
})
afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await server.stop()
  rmSync(dir, { recursive: true })
})

const connected = () => client.connect().then(({ ok }) => ok)
/** What tmux says of our client. */
async function told(format: string): Promise<string> {
  const rows = await server.run('list-clients', '-F', `#{client_control_mode} ${format}`)
  const [row = ''] = rows.split('\n').filter((line) => line.startsWith('1 '))
  return row.slice(2)
}

/** A server that does not answer. */
async function whileStopped(work: () => Promise<void>): Promise<void> {
  process.kill(server.pid, 'SIGSTOP')
  try {
    await work()
  } finally {
    process.kill(server.pid, 'SIGCONT')
  }
}

describe('a command in control mode', () => {
  beforeEach(() => waitFor(connected, { what: 'the client to be connected' }))

  test('is answered with its lines, or with why it was refused', async () => {
    await expect(client.command('display-message', '-p', 'here')).resolves.toEqual({
      ok: true,
      lines: ['here'],
    })
    await expect(client.command('capture-pane', '-p', '-t', '%77')).resolves.toEqual({
      ok: false,
      lines: ["can't find pane: %77"],
    })
    await expect(client.command('send-keys', 'y')).rejects.toThrow('is not to run "send-keys"')
  })

  test('gets each of its words as it is, whatever is in it', async () => {
    const piece = fc.constantFrom(
      '; kill-server',
      "'",
      '"',
      '\\',
      '$HOME',
      '#{pid}',
      '~',
      '{',
      '}',
      '%if',
    )
    const part = fc.oneof(piece, fc.string({ unit: 'grapheme', maxLength: 8 }))
    const word = fc
      .array(part, { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join('').replaceAll(/[\0\n\r(]/g, ''))
    await fc.assert(
      fc.asyncProperty(word, async (text) => {
        await client.command('set-option', '-gq', '@trailboss_word', text)
        const { lines } = await client.command('display-message', '-p', '[#{@trailboss_word}]')
        expect(lines).toEqual([`[${text}]`])
      }),
      { numRuns: 300 },
    )
  })

  test('is answered by its own answer, however many are under way and whatever hooks say', async () => {
    await server.run('set-hook', '-g', 'after-display-message', 'display-message -p hooked')
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 7 === 0
          ? client.command('capture-pane', '-p', '-t', `%9${index}`)
          : client.command('display-message', '-p', String(index)),
      ),
    )
    for (const [index, { ok, lines }] of answers.entries()) {
      expect(lines).toEqual(index % 7 === 0 ? [`can't find pane: %9${index}`] : [`${index}`])
      expect(ok).toBe(index % 7 !== 0)
    }
  })

  test('that fails ends its sequence and no other', async () => {
    const say = (text: string) => ({ words: ['display-message', '-p', text] })
    const fail = { words: ['capture-pane', '-p', '-t', '%77'] }
    const answers = await client.run([[say('a'), fail, say('b')], [say('c')]])
    expect(answers.map((all) => all.map(({ ok }) => ok))).toEqual([[true, false, false], [true]])
    expect(answers[1]?.[0]?.lines).toEqual(['c'])
  })

  test('with a line break in it is refused before anything is sent', async () => {
    await expect(client.command('display-message', '-p', 'a\nkill-server')).rejects.toThrow(
      'line break',
    )
    await expect(client.command('display-message', '-p', 'b')).resolves.toMatchObject({ ok: true })
  })
})

describe('when the connection is lost', () => {
  beforeEach(() => waitFor(connected, { what: 'the client to be connected' }))

  test('what was under way is rejected, and it can be connected again', async () => {
    const pid = Number(await told('#{client_pid}'))
    await whileStopped(async () => {
      const pending = [client.command('list-panes'), client.command('list-clients')]
      process.kill(pid, 'SIGKILL')
      for (const { status, reason } of await Promise.allSettled(pending).then(rejections)) {
        expect(status).toBe('rejected')
        expect(reason).toMatch(/control client .* has ended: SIGKILL/)
      }
    })
    expect(client.isConnected()).toBe(false)
    expect(losses).toHaveLength(1)
    await expect(client.command('list-panes')).rejects.toThrow('no control client')
    await waitFor(connected, { what: 'the client to be connected again' })
    await expect(client.command('list-panes')).resolves.toMatchObject({ ok: true })
  })

  test('by an answer that does not come, it is said so', async () => {
    await client[Symbol.asyncDispose]()
    client = new ControlClient(server.socket, { timeoutMs: 300 })
    await waitFor(connected, { what: 'the client to be connected' })
    await whileStopped(async () => {
      await expect(client.command('list-panes')).rejects.toThrow('no answer within 300 ms')
    })
    await waitFor(connected, { what: 'the client to be connected again' })
  })

  test('with its session, another one will do', async () => {
    await server.run('new-session', '-d', '-s', 'other', 'cat')
    await server.run('kill-session', '-t', '=work')
    await waitFor(() => losses.length, { what: 'the loss to be told' })
    await waitFor(connected, { what: 'the client to be connected again' })
    expect(await told('#{session_name}')).toBe('other')
  })

  test('with its session it is not lost where tmux moves its clients on', async () => {
    await server.run('set-option', '-g', 'detach-on-destroy', 'off')
    await server.run('new-session', '-d', '-s', 'other', 'cat')
    await server.run('kill-session', '-t', '=work')
    await expect(client.command('display-message', '-p', '#S')).resolves.toEqual({
      ok: true,
      lines: ['other'],
    })
    expect(losses).toEqual([])
  })

  test('with the server, it says so, leaves it alone for a while, and starts none', async () => {
    await server.run('kill-server')
    await waitFor(() => !client.isConnected(), { what: 'the loss' })
    await waitFor(() => client.connect(), {
      what: 'the server to be gone',
      until: (result) => !result.ok && result.kind === 'no-server',
    })
    // Within the pause it does not even look.
    const first = await client.connect()
    expect(await client.connect()).toBe(first)
    expect((await server.try('list-sessions')).stderr).toContain('no server running')
  })

  test('a subscription goes on over the next one', async () => {
    const values: string[] = []
    client.subscribe('test', '#{@value}', (value) => values.push(String(value)))
    await server.run('set-option', '-s', '@value', 'one')
    await waitFor(() => values.at(-1) === 'one', { what: 'the first value' })
    process.kill(Number(await told('#{client_pid}')), 'SIGKILL')
    await waitFor(() => losses.length, { what: 'the loss to be told' })
    await server.run('set-option', '-s', '@value', 'two')
    await waitFor(connected, { what: 'the client to be connected again' })
    await waitFor(() => values.at(-1) === 'two', { what: 'the second value' })
  })
})

function rejections(results: PromiseSettledResult<unknown>[]) {
  return results.map((result) => ({
    status: result.status,
    reason: result.status === 'rejected' ? String(result.reason) : '',
  }))
}
