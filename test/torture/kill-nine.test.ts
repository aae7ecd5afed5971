import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DaemonClient } from '../../src/client/daemon-client.ts'
import type { AgentEvent } from '../../src/core/session/event.ts'
import { Store } from '../../src/store/store.ts'
import { answering, launchDaemon, startDaemon } from '../support/daemon/bare-daemon.ts'
import { randomFrom } from '../support/random.ts'
import { waitFor } from '../support/wait-for.ts'

const KILLS = Number(process.env['TORTURE_KILLS'] ?? 8)
const WRITERS = 6
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-torture-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test(`${KILLS} times kill -9 under load loses and doubles nothing that was acknowledged (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  const acknowledged = new Map<string, number>()
  const sent = new Set<string>()
  for (let round = 0; round < KILLS; round++) {
    const daemon = await startDaemon(dir)
    const stop = new AbortController()
    const before = acknowledged.size
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(`r${round}w${writer}`, stop.signal, sent, acknowledged),
    )
    await waitFor(() => acknowledged.size > before + WRITERS, { what: 'the load to be on' })
    await delay(random() * 180)
    const exited = once(daemon, 'exit')
    daemon.kill('SIGKILL')
    await exited
    stop.abort()
    await Promise.all(writers)
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS * WRITERS)

  using store = new Store(join(dir, 'trailboss.db'))
  expect(store.setAside).toBeUndefined()
  const logged = store.db.prepare("SELECT entry ->> '$.event.detail' AS id FROM events").all()
  const ids = logged.map((row) => String(row['id']))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...acknowledged.keys()].filter((id) => !ids.includes(id))).toEqual([])
  expect(ids.filter((id) => !sent.has(id))).toEqual([])
  const plain = (sessions: Iterable<{ key: string }>) =>
    JSON.parse(JSON.stringify([...sessions].toSorted((a, b) => a.key.localeCompare(b.key))))
  expect(plain(store.replayed().sessions.values())).toEqual(plain(store.state.sessions.values()))
})

test('of twelve daemons started at once exactly one runs, and another takes over when it is killed', async () => {
  for (let round = 0; round < 2; round++) {
    const racers = Array.from({ length: 12 }, () => launchDaemon(dir))
    const exits = racers.map((racer) => once(racer, 'exit').then(([code]) => code as number))
    await answering(dir)
    const losers = await waitFor(() => racers.filter((racer) => racer.exitCode !== null), {
      what: 'eleven to give up',
      until: (gone) => gone.length === 11,
    })
    expect(losers.map((racer) => racer.exitCode)).toEqual(Array(11).fill(1))
    const winner = racers.find((racer) => racer.exitCode === null)
    winner?.kill('SIGKILL')
    await Promise.all(exits)
  }
})

test('a database that was cut short is set aside, and the daemon still starts', async () => {
  const first = await startDaemon(dir)
  using client = new DaemonClient(join(dir, 'trailboss.sock'))
  for (let i = 0; i < 50; i++) await client.postEvent(stopOf(`s${i}`, `e${i}`))
  first.kill('SIGTERM')
  await once(first, 'exit')
  const db = new DatabaseSync(join(dir, 'trailboss.db'))
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const file = join(dir, 'trailboss.db')
  truncateSync(file, Math.floor(statSync(file).size / 2))
  const second = await startDaemon(dir)
  const { warnings } = await client.status()
  expect(warnings.join()).toContain('set aside')
  expect(readdirSync(dir).some((name) => name.includes('.damaged-'))).toBe(true)
  second.kill('SIGTERM')
  await once(second, 'exit')
})

test('a daemon whose home is removed ends, and one whose socket is removed listens again', async () => {
  writeFileSync(join(dir, 'config.json'), '{"reconcileMs": 200}')
  const daemon = await startDaemon(dir)
  unlinkSync(join(dir, 'trailboss.sock'))
  await answering(dir)
  const exited = once(daemon, 'exit')
  // It may be about to listen again in the very directory.
  rmSync(dir, { recursive: true, force: true, maxRetries: 20 })
  expect(await exited).toEqual([1, null])
})

async function write(
  name: string,
  signal: AbortSignal,
  sent: Set<string>,
  acknowledged: Map<string, number>,
): Promise<void> {
  using client = new DaemonClient(join(dir, 'trailboss.sock'))
  for (let n = 0; !signal.aborted; n++) {
    const id = `${name}n${n}`
    sent.add(id)
    try {
      await client.postEvent(stopOf(name, id))
      acknowledged.set(id, n)
    } catch {
      return
    }
  }
}

function stopOf(session: string, id: string): AgentEvent {
  const told = { v: 1, kind: 'stuck', reason: 'stopped', source: 'api' } as const
  return { ...told, harness: 'torture', session, at: Date.now(), detail: id }
}
