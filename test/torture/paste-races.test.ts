import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pane } from '../../src/core/pane.ts'
import { pasteInto, pressKey, type WriteResult } from '../../src/tmux/write/guarded-write.ts'
import { randomFrom } from '../support/random.ts'
import { type ByteRecorder, byteRecorder } from '../support/tmux/byte-recorder.ts'
import { startTmuxServer, type TmuxServer } from '../support/tmux-server.ts'
import { waitFor } from '../support/wait-for.ts'

const RACES = Number(process.env['PASTE_RACES'] ?? 60)
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)

let dir: string
let server: TmuxServer
let bystander: ByteRecorder

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tb-races-'))
  bystander = byteRecorder(join(dir, 'bystander'))
  server = await startTmuxServer({
    socket: join(dir, 't'),
    env: { PATH: process.env['PATH'], HOME: dir, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    session: 'work',
    shellCommand: bystander.shellCommand,
    cwd: dir,
  })
  await server.run('set-option', '-g', 'remain-on-exit', 'on')
  await bystander.ready(server, '%0')
})
afterEach(async () => {
  await server.stop()
  rmSync(dir, { recursive: true })
})

type Victim = {
  target: Pane
  window: string
  recorder: ByteRecorder
  /** What takes its place, where something does. */
  next: ByteRecorder
}

/** One that must not get a byte of what is written. */
type Other = { pane: string; recorder: ByteRecorder }

/** What happens to a pane while it is written to; answers with what has taken its place. */
const disturbances: Record<string, (victim: Victim) => Promise<Other[]>> = {
  exit: async ({ target }) => {
    process.kill(target.pid, 'SIGKILL')
    return []
  },
  respawn: async ({ target, next }) => {
    await server.run('respawn-pane', '-k', '-t', target.id, next.shellCommand)
    await next.ready(server, target.id)
    return [{ pane: target.id, recorder: next }]
  },
  'kill and open': async ({ target, window, next }) => {
    const kill = ['kill-pane', '-t', target.id]
    const open = ['split-window', '-d', '-t', window, '-P', '-F', '#{pane_id}', next.shellCommand]
    const pane = await server.run(...kill, ';', ...open)
    await next.ready(server, pane)
    return [{ pane, recorder: next }]
  },
  synchronize: async ({ window }) => {
    await server.run('set-option', '-w', '-t', window, 'synchronize-panes', 'on')
    return []
  },
  'copy mode': async ({ target }) => {
    await server.run('copy-mode', '-t', target.id)
    return []
  },
}

const KINDS = process.env['PASTE_RACE_KINDS']?.split(',') ?? Object.keys(disturbances)

test(`${RACES} panes that end, change or are replaced while something is written harm no server and no other pane (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  const outcomes: Record<string, number> = {}
  for (let race = 0; race < RACES; race++) {
    const kind = KINDS[race % KINDS.length] ?? ''
    const result = await run(race, kind, random)
    const outcome = `${kind}: ${result.kind === 'refused' ? result.why : result.kind}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  console.log(outcomes)
  expect(await server.run('display-message', '-p', '#{pid}')).toBe(String(server.pid))
  expect(await server.run('list-buffers')).toBe('')
  await expectNothing({ pane: '%0', recorder: bystander })
  // Or else there was no race.
  expect(Object.keys(outcomes).join()).toMatch(/sent/)
  expect(Object.keys(outcomes).join()).toMatch(/dead|gone|other-pane/)
}, 600_000)

async function run(race: number, kind: string, random: () => number): Promise<WriteResult> {
  const victim = await openVictim(race)
  const beside = await openBeside(victim, race)
  const isKey = race % 4 === 3
  const [writeAfter, disturbAfter] = [random() * 8, random() * 16]
  const [result, replaced] = await Promise.all([
    delay(writeAfter).then(() =>
      isKey ? pressKey(victim.target, 'Enter') : pasteInto(victim.target, `race ${race}`),
    ),
    delay(disturbAfter).then(() => disturbances[kind]?.(victim) ?? []),
  ])
  await server.run('set-option', '-w', '-t', victim.window, 'synchronize-panes', 'off')
  for (const other of [beside, ...replaced]) await expectNothing(other)
  const got = victim.recorder.received()
  // A program that ends may not have read what was sent to it; all of it comes in one read, or nothing.
  const allowed =
    result.kind === 'refused' ? [''] : ['', isKey ? '\r' : `<paste>race ${race}</paste>`]
  expect(allowed, `${kind}: ${result.kind}`).toContain(got)
  await server.run('kill-window', '-t', victim.window)
  return result
}

async function openVictim(race: number): Promise<Victim> {
  const recorder = byteRecorder(join(dir, `${race}-victim`))
  const told = ['-d', '-P', '-F', '#{window_id} #{pane_id} #{pane_pid}']
  const ids = await server.run('new-window', ...told, recorder.shellCommand)
  const [window = '', id = '', pid] = ids.split(' ')
  await recorder.ready(server, id)
  return {
    target: { socket: server.socket, server: server.pid, id, pid: Number(pid) },
    window,
    recorder,
    next: byteRecorder(join(dir, `${race}-next`)),
  }
}

async function openBeside({ window }: Victim, race: number): Promise<Other> {
  const recorder = byteRecorder(join(dir, `${race}-beside`))
  const split = ['split-window', '-d', '-t', window, '-P', '-F', '#{pane_id}']
  const pane = await server.run(...split, recorder.shellCommand)
  await recorder.ready(server, pane)
  return { pane, recorder }
}

/** Whatever was on its way is in the pane before this key. */
async function expectNothing({ pane, recorder }: Other): Promise<void> {
  await server.run('send-keys', '-t', pane, '!')
  await waitFor(() => recorder.received().endsWith('!'), { what: `the key in ${pane}` })
  expect(recorder.received()).toBe('!')
}
