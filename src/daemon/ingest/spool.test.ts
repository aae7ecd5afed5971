import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { emptySpool, Spool } from './spool.ts'

let world: TestHerd
let spool: string
beforeEach(() => {
  world = createTestHerd()
  spool = join(world.dir, 'spool')
  mkdirSync(spool)
})
afterEach(() => world[Symbol.dispose]())

function spoolStop(session: string, at: number, name = `${at}-1.json`): void {
  const payload = { session_id: session, hook_event_name: 'Stop' }
  writeFileSync(join(spool, name), JSON.stringify({ v: 1, harness: 'claude-code', at, payload }))
}
const storeAtOnce = (work: () => void) => world.herd.atOnce(work)
const empty = () => emptySpool(spool, world.ingest, world.log, storeAtOnce)

test('takes in what was spooled, in the order in which it happened, and removes it', () => {
  const now = Date.now()
  spoolStop('late', now - 1_000)
  spoolStop('early', now - 9_000)
  expect(empty()).toEqual({ taken: 2, bad: 0, left: 0 })
  expect(world.queue()).toEqual(['early', 'late'])
  expect(readdirSync(spool)).toEqual([])
})

test('a spooled stop goes before a live one that happened after it', () => {
  const live = { session_id: 'live', hook_event_name: 'Stop' }
  world.ingest.hook(live, 'live')
  spoolStop('before', Date.now() - 60_000)
  empty()
  expect(world.queue()).toEqual(['before', 'live'])
})

test('a file that makes no sense is kept aside without its secrets, the rest is taken', () => {
  writeFileSync(join(spool, '1-1.json'), '{"v":1,"password":"hunter2","at":1,"payl')
  spoolStop('good', 2)
  expect(empty()).toEqual({ taken: 1, bad: 1, left: 0 })
  expect(readdirSync(join(spool, 'bad'))).toEqual(['1-1.json'])
  expect(readFileSync(join(spool, 'bad', '1-1.json'), 'utf8')).toBe(
    '{"v":1,"password":"[redacted]","at":1,"payl',
  )
  expect(empty()).toEqual({ taken: 0, bad: 0, left: 0 })
})

test('what cannot be stored now stays for the next time', () => {
  spoolStop('a', 1)
  world.store.db.exec(
    'CREATE TRIGGER no BEFORE INSERT ON events BEGIN SELECT raise(ABORT, "full"); END',
  )
  expect(empty()).toEqual({ taken: 0, bad: 0, left: 1 })
  world.store.db.exec('DROP TRIGGER no')
  expect(empty()).toEqual({ taken: 1, bad: 0, left: 0 })
})

test('temporary files stay while they are fresh and go when they are stale', () => {
  for (const name of ['.fresh', '.stale']) writeFileSync(join(spool, name), '{')
  utimesSync(join(spool, '.stale'), 1, 1)
  empty()
  expect(existsSync(join(spool, '.fresh'))).toBe(true)
  expect(existsSync(join(spool, '.stale'))).toBe(false)
})

test('anything but a regular file stays, and so does a bad file that cannot be moved', () => {
  execFileSync('mkfifo', [join(spool, '1-1.json')])
  mkdirSync(join(spool, '2-1.json'))
  writeFileSync(join(spool, 'bad'), 'in the way')
  writeFileSync(join(spool, '3-1.json'), '{')
  spoolStop('good', 4)
  expect(empty()).toEqual({ taken: 1, bad: 0, left: 1 })
})

test('a large spool is taken in piece by piece', () => {
  for (let i = 1; i <= 5; i++) spoolStop(`s${i}`, i)
  expect(emptySpool(spool, world.ingest, world.log, storeAtOnce, 3)).toEqual({
    taken: 3,
    bad: 0,
    left: 2,
  })
  expect(world.queue()).toEqual(['s1', 's2', 's3'])
})

test('an event is taken in as soon as it arrives, even in a spool that was replaced', async () => {
  const hungMark = join(world.dir, 'daemon-hung')
  const failed = (error: unknown) => expect.unreachable(String(error))
  using followed = new Spool(
    { paths: { spool, hungMark }, log: world.log, storeAtOnce, failed },
    world.ingest,
  )
  followed.follow()
  spoolStop('first', 1)
  await waitFor(() => world.queue(), { what: 'it', until: (queue) => queue.includes('first') })
  renameSync(spool, `${spool}.old`)
  mkdirSync(spool)
  followed.follow()
  spoolStop('second', 2)
  await waitFor(() => world.queue(), { what: 'it', until: (queue) => queue.includes('second') })
})

test('a daemon that empties the spool is not hung, so the mark is removed', () => {
  const hungMark = join(world.dir, 'daemon-hung')
  writeFileSync(hungMark, '1\n')
  new Spool(
    { paths: { spool, hungMark }, log: world.log, storeAtOnce, failed: () => {} },
    world.ingest,
  ).empty()
  expect(existsSync(hungMark)).toBe(false)
})
