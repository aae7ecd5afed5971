import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ControlClient } from '../../src/tmux/control/control-client.ts'
import {
  type PaneNews,
  type PanesNews,
  watchPanes,
} from '../../src/tmux/control/panes-subscription.ts'
import { type RunCommands, runCommands } from '../../src/tmux/exec.ts'
import {
  captureAll,
  captureByProcess,
  type PaneScreen,
} from '../../src/tmux/server-link/screens.ts'
import { SCREEN, startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let server: TmuxServer
let client: ControlClient
let losses: string[]

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-screens-'))
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    session: 'work',
    shellCommand: 'sleep 1000',
    cwd: dir,
  })
  losses = []
  client = new ControlClient(server.socket, { lost: ({ message }) => losses.push(message) })
  await waitFor(() => client.connect(), { what: 'the client', until: ({ ok }) => ok })
})
afterEach(async () => {
  await client[Symbol.asyncDispose]()
  await server.stop()
  rmSync(dir, { recursive: true })
})

/** A window that runs this. */
function open(shellCommand: string): Promise<string> {
  return server.run('new-window', '-d', '-P', '-F', '#{pane_id}', shellCommand)
}

/** What a program in the pane prints, byte for byte. */
async function print(pane: string, bytes: string | Buffer): Promise<void> {
  writeFileSync(await server.run('display-message', '-p', '-t', pane, '#{pane_tty}'), bytes)
}

async function capture(pane: string): Promise<PaneScreen | undefined> {
  return (await captureAll(client, [pane])).get(pane)
}

async function captureWith(pane: string, text: string): Promise<PaneScreen> {
  const screen = await waitFor(() => capture(pane), {
    what: `${text} on the screen`,
    until: (seen) => seen?.screen.lines.some((line) => line.includes(text)) ?? false,
  })
  if (!screen) throw new Error('it has gone')
  return screen
}

describe('one pass over the screens', () => {
  test('shows each with its title, its cursor and its size', async () => {
    await print('%0', '\x1b]2;Über uns\x07one\r\n\r\n日本語 and 👍🏽 e\u0301\r\n> ')
    const { screen, ...about } = await captureWith('%0', '日本語')
    expect(screen).toEqual({
      lines: ['one', '', '日本語 and 👍🏽 e\u0301', '>'],
      title: 'Über uns',
      cursor: { x: 2, y: 3, visible: true },
      width: SCREEN.width,
      height: SCREEN.height,
    })
    expect(about).toEqual({
      pid: Number(await server.run('display-message', '-p', '-t', '%0', '#{pane_pid}')),
      isDead: false,
      isInMode: false,
      isAlternate: false,
    })
  })

  test('shows an alternate screen, a hidden cursor, and what is under copy mode', async () => {
    await print('%0', 'before\x1b[?1049h\x1b[2J\x1b[Hinside\x1b[?25l')
    const alternate = await captureWith('%0', 'inside')
    expect(alternate.screen.lines).toEqual(['inside'])
    expect(alternate).toMatchObject({ isAlternate: true, screen: { cursor: { visible: false } } })
    await server.run('copy-mode', '-t', '%0')
    await print('%0', '\x1b[2;1Hafter')
    const copied = await captureWith('%0', 'after')
    expect(copied).toMatchObject({ isInMode: true, screen: { lines: ['inside', 'after'] } })
  })

  test('has nothing for panes that are not there, and all others', async () => {
    const [a, b] = [await open('sleep 1000'), await open('sleep 1000')]
    await print(b, 'still here')
    await captureWith(b, 'still here')
    await server.run('kill-pane', '-t', a)
    const seen = await captureAll(client, ['%0', a, '%999', 'work', '%0', b])
    expect([...seen.keys()]).toEqual(['%0', a, '%999', b])
    expect(seen.get(a)).toBeUndefined()
    expect(seen.get('%999')).toBeUndefined()
    expect(seen.get('%0')?.screen.lines).toEqual([])
    expect(seen.get(b)?.screen.lines).toEqual(['still here'])
  })

  test('holds while panes come and go under it', async () => {
    await print('%0', 'constant')
    await captureWith('%0', 'constant')
    const passing = Promise.all(
      Array.from({ length: 30 }, (_, index) => open(`sleep 0.0${index % 10}`)),
    )
    let isOver = false
    passing.finally(() => {
      isOver = true
    })
    const ids = Array.from({ length: 40 }, (_, index) => `%${index}`)
    while (!isOver) {
      const seen = await captureAll(client, ids)
      expect(seen.get('%0')?.screen.lines).toEqual(['constant'])
      expect(seen.size).toBe(40)
    }
    expect(losses).toEqual([])
  })

  test('is not taken in by a screen that shows the end of an answer', async () => {
    const pane = await open('sleep 1000')
    const now = Math.floor(Date.now() / 1_000)
    const guards = ['%exit', '%session-changed $9 x', '%subscription-changed p $0 - - - : y']
    const forged = [...guards, ...[0, 1, 2].map((later) => `%end ${now + later} 500 1`)]
    await print(pane, forged.join('\r\n'))
    const { screen } = await captureWith(pane, '%end')
    expect(screen.lines).toEqual(forged)
    expect(client.isConnected()).toBe(true)
  })

  test('holds while everything is resized, and at 300 × 100', async () => {
    await server.run('set-option', '-g', 'window-size', 'manual')
    await print('%0', '日'.repeat(150))
    let isOver = false
    const resizing = (async () => {
      for (let index = 0; index < 40; index += 1) {
        const [x, y] = [String(20 + ((index * 37) % 280)), String(40 + ((index * 13) % 60))]
        await server.run('resize-window', '-t', 'work:0', '-x', x, '-y', y)
      }
      await server.run('resize-window', '-t', 'work:0', '-x', '300', '-y', '100')
    })().finally(() => {
      isOver = true
    })
    while (!isOver) {
      const { screen } = await captureWith('%0', '日')
      expect(screen.lines.length).toBeLessThanOrEqual(screen.height)
      for (const line of screen.lines) {
        expect(line).toMatch(/^日+$/)
        expect(line.length * 2).toBeLessThanOrEqual(screen.width)
      }
    }
    await resizing
    await print('%0', `\x1b[2J\x1b[H${Array.from({ length: 100 }, () => '#'.repeat(300)).join('')}`)
    const full = await waitFor(() => capture('%0'), {
      what: 'a full screen',
      until: (seen) => seen?.screen.lines.length === 100,
    })
    expect(full?.screen).toMatchObject({ width: 300, height: 100 })
    expect(full?.screen.lines.every((line) => line === '#'.repeat(300))).toBe(true)
  })

  test('is the same by processes, also beside a pane that is gone', async () => {
    await print('%0', 'one\r\n\r\n  three\x1b]2;a title\x07')
    const other = await open('printf "%s\\n" %exit 日本語; sleep 1000')
    await waitFor(() => capture(other), {
      what: 'the other',
      until: (seen) => seen?.screen.lines.length === 2,
    })
    for (const ids of [['%0', other], ['%0', '%999', other], ['%999'], []]) {
      expect(await captureByProcess(server.socket, ids)).toEqual(await captureAll(client, ids))
    }
    await expect(captureByProcess(`${server.socket}-none`, ['%0'])).rejects.toThrow('could not')
  })

  test('takes one more process for a pane that is gone, and for more than tmux takes at once', async () => {
    const bytes: number[] = []
    const counting: RunCommands = (socket, commands) => {
      bytes.push(commands.flat().join(' ').length)
      return runCommands(socket, commands)
    }
    const screens = await captureByProcess(server.socket, ['%998', '%0', '%999'], counting)
    expect([...screens.keys()]).toEqual(['%998', '%0', '%999'])
    expect(screens.get('%0')).toBeDefined()
    expect(bytes).toHaveLength(3)
    bytes.length = 0
    const many = Array.from({ length: 120 }, (_, index) => `%${index}`)
    await captureByProcess(`${server.socket}-none`, many, counting).catch(() => {})
    expect(bytes).toHaveLength(3)
    expect(Math.max(...bytes)).toBeLessThan(16_000)
  })

  test('holds while panes print as fast as they can, and is not sent any of that', async () => {
    await print('%0', 'constant')
    const floods = await Promise.all([open('yes flood'), open('yes %exit'), open('yes 日本語')])
    for (const pane of floods) {
      await waitFor(() => capture(pane), {
        what: 'a full screen',
        until: (seen) => (seen?.screen.lines.length ?? 0) >= SCREEN.height - 2,
      })
    }
    for (let pass = 0; pass < 50; pass += 1) {
      const seen = await captureAll(client, ['%0', ...floods])
      expect(seen.get('%0')?.screen.lines).toEqual(['constant'])
      // The last line may be half written.
      const lines = seen.get(floods[1] ?? '')?.screen.lines.slice(0, -1)
      expect(new Set(lines)).toEqual(new Set(['%exit']))
    }
    expect(await server.run('list-clients', '-F', '#{client_flags}')).toContain('no-output')
    expect(losses).toEqual([])
  })
})

describe('the news of the panes', () => {
  let news: PanesNews[]

  const latest = (pane: string): PaneNews | undefined => news.at(-1)?.panes.get(pane)

  beforeEach(() => {
    news = []
    watchPanes(client, (all) => news.push(all))
  })

  test('report all panes of the server, and what changes in them', async () => {
    await server.run('new-session', '-d', '-s', 'second', 'sleep 1000')
    await server.run('set-option', '-g', 'remain-on-exit', 'on')
    const mortal = await open('read line')
    await waitFor(() => news.at(-1)?.panes.size === 3, { what: 'three panes' })
    expect(news.at(-1)?.serverPid).toBe(server.pid)
    expect(latest('%1')).toMatchObject({ isDead: false, isInMode: false })
    await server.run('send-keys', '-t', mortal, 'Enter')
    await server.run('copy-mode', '-t', '%1')
    await waitFor(() => latest(mortal)?.isDead && latest('%1')?.isInMode, { what: 'the changes' })
  })

  test('keep hostile titles in their own panes', async () => {
    const pane = await open('sleep 1000')
    const other = `;%0 1 1 1 17 0:;`
    const piece = fc.constantFrom(
      other,
      '5:',
      ';',
      '#(touch /)',
      '#{pid}',
      '#[fg=red]',
      '##',
      '%H:%M',
      '日本',
      '\u{1f600}',
      'ß',
      '}',
      ',',
      "'",
      '"',
      '\\',
    )
    const titles = fc.sample(
      fc.array(fc.oneof(piece, fc.string({ unit: 'grapheme-ascii', maxLength: 6 })), {
        maxLength: 8,
      }),
      { numRuns: 8, seed: 4 },
    )
    for (const [index, parts] of titles.entries()) {
      const title = `${index} ${parts.join('')}`
      await print(pane, `\x1b]2;${title}\x07`)
      await waitFor(() => latest(pane)?.title === title, { what: `the title ${title}` })
      expect((await capture(pane))?.screen.title).toBe(title)
      expect(news.at(-1)?.panes.size).toBe(2)
      expect(latest('%0')).toMatchObject({ isDead: false, isInMode: false })
    }
    expect(news).not.toContain(undefined)
  })

  test('survive titles in no known encoding and longer than any', async () => {
    await print('%0', Buffer.from([0x1b, 0x5d, 0x32, 0x3b, 0xff, 0xfe, 0xc3, 0x28, 0x07]))
    const long = '長'.repeat(5_000)
    await print('%0', `\x1b]2;${long}\x07`)
    await waitFor(() => latest('%0')?.title.startsWith('長'), { what: 'the long title' })
    expect(long.startsWith(latest('%0')?.title ?? '?')).toBe(true)
    expect((await capture('%0'))?.screen.title).toBe(long)
  })
})
