import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DaemonClient } from '../../src/client/daemon-client.ts'
import { readLastKnown } from '../../src/store/files/last-known.ts'
import { endDaemon, startDaemon } from '../support/daemon/bare-daemon.ts'
import { waitFor } from '../support/wait-for.ts'

let dir: string
let database: string
let client: DaemonClient
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-lost-'))
  database = join(dir, 'trailboss.db')
  client = new DaemonClient(join(dir, 'trailboss.sock'))
})
afterEach(() => {
  client[Symbol.dispose]()
  rmSync(dir, { recursive: true, force: true })
})

const tell = (session: string) =>
  client.postEvent({
    ...({ v: 1, kind: 'stuck', reason: 'stopped', source: 'api', harness: 'torture' } as const),
    session,
    at: Date.now(),
  })
const queued = async () => (await client.queue()).items.map(({ session }) => session)
const warnings = async () => (await client.status()).warnings.join('\n')

test.each([
  ['the database and its journal', ['', '-wal', '-shm']],
  ['the database', ['']],
  ['the journal', ['-wal']],
])('what is acknowledged after %s was unlinked survives kill -9', async (_, suffixes) => {
  const first = await startDaemon(dir)
  for (const session of ['a', 'b']) await tell(session)
  for (const suffix of suffixes) rmSync(database + suffix)
  await tell('c')
  expect(await warnings()).toContain('was removed while Trail Boss was running')
  for (const suffix of suffixes) rmSync(database + suffix)
  await tell('d')
  await endDaemon(first, 'SIGKILL')
  const second = await startDaemon(dir)
  expect(await queued()).toEqual(['a', 'b', 'c', 'd'])
  expect(await warnings()).not.toContain('The database')
  await endDaemon(second, 'SIGTERM')
})

test.each([
  ['kill -9', 'SIGKILL'],
  ['a stop', 'SIGTERM'],
] as const)(
  'what is acknowledged around a journal cut off in place survives %s',
  async (_, signal) => {
    const first = await startDaemon(dir)
    for (const session of ['a', 'b']) await tell(session)
    truncateSync(`${database}-wal`)
    await tell('c')
    expect(await warnings()).toContain('was damaged while Trail Boss was running')
    await tell('d')
    truncateSync(`${database}-wal`)
    if (signal === 'SIGKILL') await client.status()
    await endDaemon(first, signal)
    const second = await startDaemon(dir)
    expect(await queued()).toEqual(['a', 'b', 'c', 'd'])
    expect(await warnings()).not.toContain('The database')
    await endDaemon(second, 'SIGTERM')
  },
)

test('the status answers while the database cannot be written again, which is tried until it works', async () => {
  const first = await startDaemon(dir)
  for (const session of ['a', 'b']) await tell(session)
  mkdirSync(`${database}.copy`)
  rmSync(database)
  for (let time = 0; time < 2; time++) {
    await expect(tell('refused')).rejects.toMatchObject({ code: 'NOT_STORED' })
    expect(await warnings()).toContain('cannot be written again')
    expect(await queued()).toEqual(['a', 'b'])
  }
  rmdirSync(`${database}.copy`)
  expect(await warnings()).toContain('Trail Boss has written all of it again')
  for (const session of ['c', 'd']) {
    rmSync(database)
    await tell(session)
  }
  const { warnings: listed } = await client.status()
  expect(listed).toHaveLength(1)
  await endDaemon(first, 'SIGKILL')
  const second = await startDaemon(dir)
  expect(await queued()).toEqual(['a', 'b', 'c', 'd'])
  await endDaemon(second, 'SIGTERM')
})

test('a home that is emptied under the daemon has its database again before the daemon ends', async () => {
  writeFileSync(join(dir, 'config.json'), '{"reconcileMs": 200}')
  const first = await startDaemon(dir)
  for (const session of ['a', 'b']) await tell(session)
  const exited = once(first, 'exit')
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true })
  expect(await exited).toEqual([1, null])
  const second = await startDaemon(dir)
  expect(await queued()).toEqual(['a', 'b'])
  await endDaemon(second, 'SIGTERM')
})

test('entries that went with a deleted journal are counted', async () => {
  const first = await startDaemon(dir)
  await tell('a')
  {
    using db = new DatabaseSync(database)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  for (let n = 0; n < 7; n++) await tell(`s${n}`)
  const seq = await waitFor(() => readLastKnown(database)?.seq ?? 0, {
    what: 'what is stored to be written down',
    until: (known) => known >= 8,
  })
  await endDaemon(first, 'SIGKILL')
  rmSync(`${database}-wal`)
  const second = await startDaemon(dir)
  expect(await queued()).toEqual(['a'])
  expect(await warnings()).toContain(`The database lacks at least ${seq - 1} entries`)
  expect(await warnings()).toContain('Its journal (trailboss.db-wal) is gone.')
  await endDaemon(second, 'SIGTERM')
})

test.each([
  ['emptied', () => truncateSync(database), 'The database was empty (0 bytes).'],
  ['removed', () => rmSync(database), 'The database was missing'],
])('a database that was %s while nobody ran is never silently a new one', async (_, lose, said) => {
  const first = await startDaemon(dir)
  for (const session of ['a', 'b', 'c']) await tell(session)
  await endDaemon(first, 'SIGTERM')
  lose()
  const second = await startDaemon(dir)
  expect(await warnings()).toContain(said)
  expect(await warnings()).toContain('It held at least 3 entries')
  await endDaemon(second, 'SIGTERM')
  const third = await startDaemon(dir)
  expect(await warnings()).not.toContain('The database')
  await endDaemon(third, 'SIGTERM')
})

test('after kill -9 the journal alone brings the queue back', async () => {
  const first = await startDaemon(dir)
  for (const session of ['a', 'b', 'c']) await tell(session)
  await endDaemon(first, 'SIGKILL')
  truncateSync(database)
  const second = await startDaemon(dir)
  expect(await queued()).toEqual(['a', 'b', 'c'])
  expect(await warnings()).toContain('The database was empty (0 bytes).')
  expect(readdirSync(dir).some((name) => name.includes('.damaged-'))).toBe(true)
  await endDaemon(second, 'SIGTERM')
})
