import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import { command } from '../support/command.ts'
import { type StubDaemon, startStubDaemon } from '../support/daemon/stub-daemon.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { failedTriggerItem, queueItem } from '../support/views/queue-item.ts'
import { waitFor } from '../support/wait-for.ts'

const ENTRY = fileURLToPath(new URL('../support/views/popup-entry.ts', import.meta.url))

const FLAGS = [
  '#{?alternate_on,alternate,main} screen',
  'cursor #{?cursor_flag,on,off}',
  'wrap #{?wrap_flag,on,off}',
].join(', ')

let directory: string
let tmux: TmuxServer
let daemon: StubDaemon
let items: QueueItem[]
let agentPane: string

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tb-popup-'))
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    LANG: 'C.UTF-8',
    TERM: 'screen-256color',
  }
  const shellCommand = `printf 'the agent is asking\\n❯ 1. Yes\\n'; exec sleep 600`
  const socket = join(directory, 'tmux.sock')
  tmux = await startTmuxServer({ socket, env, session: 'herd', shellCommand, cwd: directory })
  agentPane = await tmux.run('display-message', '-p', '-t', 'herd:', '#{pane_id}')
  const pane = { socket: tmux.socket, id: agentPane }
  const since = Date.now() - 4 * 60_000
  items = [
    queueItem('s1', { project: 'billing', ask: { text: 'Shall I go on?' }, pane, since }),
    queueItem('s2', { project: 'web', harness: 'codex', pane, since }),
    queueItem('s3', { project: 'lost', pane: null, since }),
  ]
  daemon = await startStubDaemon(join(directory, 'daemon.sock'), items)
})

afterEach(async () => {
  await tmux.stop()
  await daemon[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

test.each([
  [60, 15],
  [80, 24],
  [200, 50],
])('shows queue, ask and live pane at %i×%i', async (columns, rows) => {
  const popup = await openPopup(columns, rows)
  const screen = await popup.see('the agent is asking')
  const lines = screen.split('\n')
  expect(lines).toHaveLength(rows)
  expect(lines[0]).toContain('Trail Boss   3 stuck')
  expect(screen).toMatch(/▸.*4m.*billing.*Shall I go on\?/)
  expect(screen).toMatch(/lost.*no pane/)
  expect(lines.at(-1)).toContain('↵ jump')
  expect(await popup.flags()).toBe('alternate screen, cursor off, wrap off')
})

test('the live pane has the colours that it has, and nothing else of what is hidden in it', async () => {
  const paint =
    "printf '\\033[38;5;208morange\\033[0m \\033[8mhidden\\033[0m \\033[5;44mblink\\033[0m\\n'"
  const split = ['split-window', '-d', '-P', '-F', '#{pane_id}'] as const
  const pane = await tmux.run(...split, `${paint}; exec sleep 600`)
  daemon.setItems([queueItem('s9', { pane: { socket: tmux.socket, id: pane } })])
  const popup = await openPopup(80, 24)
  await popup.see('orange')
  const shown = await tmux.run('capture-pane', '-e', '-p', '-t', popup.pane)
  const [line = ''] = shown.split('\n').filter((one) => one.includes('orange'))
  expect(line).toMatch(/\u001b\[38;5;208morange/)
  expect(line).toMatch(/\u001b\[44mblink/)
  expect(line).toMatch(/(?<!\u001b\[[\d;]*8m)hidden/)
  expect(line).not.toMatch(/\u001b\[(?:[\d;]*;)?[58]m/)
})

test('Enter in the filter jumps to the match', async () => {
  const popup = await openList()
  await popup.press('/', ...'codex')
  await popup.see('1 of 3')
  await popup.press('Enter')
  await popup.see('popup left: jump s2')
})

test('moves by key and jumps with Enter after giving the terminal back', async () => {
  const popup = await openList()
  await popup.press('Down')
  await popup.see('▸ 2')
  await popup.press('k')
  await popup.see('▸ 1')
  await popup.press('j', 'Enter')
  await popup.see('popup left: jump s2')
  await expectRestored(popup)
})

test('jumps at once with a number, and stays where there is no pane', async () => {
  const popup = await openList()
  await popup.press('3')
  await popup.see('No pane to go to')
  await popup.press('2')
  await popup.see('popup left: jump s2')
})

test.each([['q'], ['Escape'], ['C-c']])('is closed by %s', async (key) => {
  const popup = await openList()
  await popup.press(key)
  await popup.see('popup left: closed')
  await expectRestored(popup)
})

test('skips the selected one, which cools down at the tail', async () => {
  const popup = await openList()
  await popup.press('s')
  await popup.see('Skipped billing')
  const screen = await popup.see('1 skipped')
  expect(screen).toMatch(/▸ 1 .*web/)
  expect(screen).toMatch(/3 .*billing.*back in/)
  expect(daemon.skips).toEqual([{ session: 's1', harness: 'claude-code' }])
})

test('sends a trigger that failed once more, and lets another be', async () => {
  const since = Date.now() - 60_000
  daemon.setItems([failedTriggerItem('trg_1', { since }), failedTriggerItem('trg_2', { since })])
  const popup = await openPopup(80, 24)
  expect(await popup.see('r retry')).toContain('supervisor')
  await popup.press('r')
  await popup.see('On its way again to ranch/reviewer, as trg_again.')
  await popup.press('j', 'x')
  await popup.see('Dismissed: ranch/reviewer does not get it.')
  expect(daemon.posts).toEqual([
    ['/triggers/retry', { id: 'trg_1' }],
    ['/triggers/cancel', { id: 'trg_2' }],
  ])
})

test('narrows the list while a filter is typed or pasted', async () => {
  const popup = await openList()
  await popup.press('/', ...'codex')
  const screen = await popup.see('1 of 3')
  expect(screen).not.toContain('billing')
  await popup.press('Escape')
  await popup.see('billing')
  await popup.press('/')
  await popup.see('↵ jump   Tab keep')
  await popup.paste('lost')
  await popup.see('/lost')
  await popup.see('1 of 3')
})

test('a paste into the list presses no key', async () => {
  const popup = await openList()
  await popup.paste('sq2')
  await popup.press('j')
  await popup.see('▸ 2')
  expect(daemon.skips).toEqual([])
})

test('follows the queue, keeps the selected session, and grazes when it is empty', async () => {
  const popup = await openPopup(80, 24)
  await popup.press('j')
  await popup.see('▸ 2')
  daemon.setItems([queueItem('s9', { since: Date.now() }), ...items])
  expect(await popup.see('4 stuck')).toMatch(/▸ 3 .*web/)
  daemon.setItems([])
  await popup.see('Your herd is grazing.')
})

test('lays out again when it is resized', async () => {
  const popup = await openList()
  await popup.resize(200, 50)
  await popup.see('│')
  await popup.resize(60, 15)
  const screen = await popup.see('Trail Boss   3 stuck', (lines) => !lines.includes('├'))
  expect(screen.split('\n')).toHaveLength(15)
})

test('says when the daemon is down, and comes to life when it is up', async () => {
  await daemon[Symbol.asyncDispose]()
  const popup = await openPopup(80, 24)
  await popup.see('Start it with: trailboss up')
  daemon = await startStubDaemon(join(directory, 'daemon.sock'), items)
  await popup.see('3 stuck')
})

test('keeps its columns whatever width tmux gives to a cluster', async () => {
  const texts = [
    '👨‍👩‍👧‍👦👨‍👩‍👧‍👦 family',
    '⚠️⚠️⚠️ warn',
    '🇩🇪🇫🇷 flags',
    '👍🏽👍🏽 thumbs',
    '1️⃣2️⃣ keys',
    'e\u0301 ก็ क्षि',
    '漢字',
    '\u001b[31mred\u001b[2J\u001b]0;pwn\u0007',
  ]
  daemon.setItems(
    texts.map((text, index) => queueItem(`e${index}`, { project: text, ask: { text } })),
  )
  const popup = await openPopup(120, 24)
  await popup.see(/8 .*red/)
  const columns = await popup.columnsOf('[│├]', texts.length)
  expect(columns).toEqual(texts.map(() => 57))
})

test.each(['SIGTERM', 'SIGHUP'])('gives the terminal back on %s', async (signal) => {
  const popup = await openList()
  process.kill(await popup.pid(), signal)
  await popup.see('popup left: closed')
  await expectRestored(popup)
})

test('gives the terminal back before an error that nobody caught is printed', async () => {
  const popup = await openList()
  process.kill(await popup.pid(), 'SIGUSR2')
  await popup.see('nobody caught this')
  await expectRestored(popup)
})

type Popup = {
  pane: string
  press(...keys: string[]): Promise<void>
  paste(text: string): Promise<void>
  see(what: string | RegExp, until?: (screen: string) => boolean): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  pid(): Promise<number>
  flags(): Promise<string>
  /** At which column tmux itself has the first matches. */
  columnsOf(pattern: string, count: number): Promise<number[]>
}

async function openPopup(columns: number, rows: number): Promise<Popup> {
  const shell = `${process.execPath} ${ENTRY} ${join(directory, 'daemon.sock')}; exec sleep 600`
  const format = ['-P', '-F', '#{pane_id}']
  const pane = await tmux.run('new-window', ...format, '-t', 'herd:', `sleep 600`)
  const resize = async (width: number, height: number) => {
    await tmux.run('resize-window', '-t', pane, '-x', String(width), '-y', String(height))
  }
  await resize(columns, rows)
  await tmux.run('respawn-pane', '-k', '-t', pane, shell)
  const screen = () => tmux.run('capture-pane', '-p', '-t', pane)
  return {
    pane,
    resize,
    press: async (...keys) => {
      for (const key of keys) await tmux.run('send-keys', '-t', pane, key)
    },
    paste: async (text) => {
      await tmux.run('set-buffer', '-b', 'clip', text)
      await tmux.run('paste-buffer', '-p', '-b', 'clip', '-t', pane)
    },
    see: (what, until = () => true) =>
      waitFor(screen, {
        what: `${what} on the screen`,
        until: (seen) =>
          (typeof what === 'string' ? seen.includes(what) : what.test(seen)) && until(seen),
      }),
    pid: async () => {
      const shellPid = await tmux.run('display-message', '-p', '-t', pane, '#{pane_pid}')
      const { stdout } = await command('pgrep', ['-P', shellPid], { env: process.env })
      return Number(stdout.trim())
    },
    flags: () => tmux.run('display-message', '-p', '-t', pane, FLAGS),
    columnsOf: async (pattern, count) => {
      await tmux.run('set-option', '-w', '-t', pane, 'mode-keys', 'vi')
      await tmux.run('copy-mode', '-t', pane)
      await tmux.run('send-keys', '-t', pane, '-X', 'top-line')
      const columns: number[] = []
      for (let found = 0; found < count; found++) {
        await tmux.run('send-keys', '-t', pane, '-X', 'search-forward', pattern)
        columns.push(
          Number(await tmux.run('display-message', '-p', '-t', pane, '#{copy_cursor_x}')),
        )
      }
      return columns
    },
  }
}

async function openList(): Promise<Popup> {
  const popup = await openPopup(80, 24)
  await popup.see('▸ 1')
  return popup
}

async function expectRestored(popup: Popup): Promise<void> {
  expect(await popup.flags()).toBe('main screen, cursor on, wrap on')
}
