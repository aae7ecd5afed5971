import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { freshDirectory } from '../../test/support/store/database-path.ts'
import type { AgentEvent } from '../core/session/event.ts'
import { queueOf } from '../core/session/queue.ts'
import type { Entry, State } from '../core/session/state.ts'
import { Store } from './store.ts'
import { readEpisodeStats } from './tables/episodes.ts'

const place = freshDirectory()

function received(session: string, given: Partial<AgentEvent>): Entry {
  const stuck = { v: 1, harness: 'h', session, source: 'hook', kind: 'stuck', at: 1 } as const
  return { type: 'event.received', event: { ...stuck, ...given }, recovered: false }
}
const stopped = (session: string, at: number) => received(session, { reason: 'stopped', at })
const prompted = (session: string, at: number) => received(session, { kind: 'unstuck', at })

const queued = (state: State) => queueOf(state.sessions.values(), 1e15).map((s) => s.id)
const plain = (state: State) =>
  JSON.parse(
    JSON.stringify([...state.sessions.values()].toSorted((a, b) => a.key.localeCompare(b.key))),
  )

describe('if nothing can be stored', () => {
  test('it reports why, until it can', () => {
    const store = new Store(place.path)
    expect(store.refusal()).toBeUndefined()
    const { page_count } = store.db.prepare('PRAGMA page_count').get() as { page_count: number }
    store.db.exec(`PRAGMA max_page_count = ${page_count}`)
    const long = received('a', { ask: { text: 'x'.repeat(200_000) } })
    expect(() => store.append(long, 1)).toThrow(/full/)
    expect(store.refusal()).toMatch(/full/)
    expect(queued(store.state)).toEqual([])
    store.db.exec('PRAGMA max_page_count = 100000')
    expect(store.refusal()).toBeUndefined()
    store.db.close()
  })

  test('files that became read-only are made writable again', () => {
    new Store(place.path).db.close()
    for (const suffix of ['', '-wal', '-shm']) {
      if (suffix) writeFileSync(place.path + suffix, '')
      chmodSync(place.path + suffix, 0o400)
    }
    const store = new Store(place.path)
    for (const suffix of ['', '-wal', '-shm'])
      expect(statSync(place.path + suffix).mode & 0o777).toBe(0o600)
    store.db.close()
  })

  test('what cannot be opened at all is named', () => {
    mkdirSync(place.path)
    expect(() => new Store(place.path)).toThrow(
      `${place.path} cannot be used: unable to open database file`,
    )
  })
})

describe('the store', () => {
  test('has everything again after it is reopened', () => {
    {
      using store = new Store(place.path)
      store.append(stopped('a', 10), 1_000)
      store.append(stopped('b', 20), 1_001)
      store.append(prompted('a', 30), 1_002)
    }
    using again = new Store(place.path)
    expect(queued(again.state)).toEqual(['b'])
    expect(again.lastSeq).toBe(3)
    expect(plain(again.replayed())).toEqual(plain(again.state))
  })

  test('never admits an entry earlier than the one before it, even after a restart', () => {
    {
      using store = new Store(place.path)
      store.append(stopped('a', 10), 5_000)
    }
    using again = new Store(place.path)
    again.append(stopped('b', 20), 1)
    expect(again.lastAdmittedAt).toBe(5_001)
    expect(queued(again.state)).toEqual(['a', 'b'])
  })

  test('a write that fails leaves neither a row nor a trace in memory', () => {
    using store = new Store(place.path)
    store.append(stopped('a', 10), 1_000)
    refuseSessions(store)
    expect(() => store.append(stopped('b', 20), 1_001)).toThrow('full')
    expect(queued(store.state)).toEqual(['a'])
    expect(store.db.prepare('SELECT count(*) AS n FROM events').get()).toEqual({ n: 1 })
    store.db.exec('DROP TRIGGER no')
    store.append(stopped('b', 20), 1_002)
    expect(queued(store.state)).toEqual(['a', 'b'])
  })

  test('entries that can be read again are committed together, except for a refused one', () => {
    using store = new Store(place.path)
    using other = new DatabaseSync(place.path)
    const onDisk = () => other.prepare('SELECT count(*) AS n FROM events').get()?.['n']
    store.atOnce(() => {
      store.append(stopped('a', 1), 1)
      refuseSessions(store)
      expect(() => store.append(stopped('b', 2), 2)).toThrow('full')
      store.db.exec('DROP TRIGGER no')
      store.append(stopped('c', 3), 3)
      expect(onDisk()).toBe(0)
    })
    expect(onDisk()).toBe(2)
    expect(queued(store.state)).toEqual(['a', 'c'])
    expect(queued(store.replayed())).toEqual(['a', 'c'])
    store.append(stopped('d', 4), 4)
    expect(onDisk()).toBe(3)
  })

  test('what came before an error is still committed', () => {
    using store = new Store(place.path)
    const work = () => {
      store.append(stopped('a', 1), 1)
      throw new Error('no')
    }
    expect(() => store.atOnce(work)).toThrow('no')
    expect(queued(store.replayed())).toEqual(['a'])
    expect(store.db.isTransaction).toBe(false)
  })

  test('compaction drops old entries and keeps state, replay and figures', () => {
    using store = new Store(place.path)
    for (let turn = 0; turn < 50; turn++) {
      store.append(stopped('a', turn * 10 + 1), 1_000 + turn * 10 + 1)
      store.append(prompted('a', turn * 10 + 2), 1_000 + turn * 10 + 2)
    }
    store.append(stopped('b', 990), 1_990)
    const before = plain(store.state)
    const figures = readEpisodeStats(store.db)
    expect(figures).toMatchObject([{ harness: 'h', reason: 'stopped', episodes: 50 }])
    while (store.compact(10, 30) > 0);
    expect(store.db.prepare('SELECT count(*) AS n FROM events').get()).toEqual({ n: 10 })
    expect(plain(store.state)).toEqual(before)
    expect(plain(store.replayed())).toEqual(before)
    expect(readEpisodeStats(store.db)).toEqual(figures)
  })

  test('a log that was compacted completely still counts on from where it was', () => {
    {
      using store = new Store(place.path)
      store.append(stopped('a', 10), 9_000)
      store.compact(0, 10)
    }
    using again = new Store(place.path)
    again.append(stopped('b', 20), 1)
    expect(again.lastSeq).toBe(2)
    expect(again.lastAdmittedAt).toBe(9_001)
  })

  test('what an earlier version stored without its subject gets one, from sessions, log and base', () => {
    const failed = { harness: 'trailboss', source: 'api', reason: 'stopped' } as const
    {
      using store = new Store(place.path)
      store.append(received('runtime-rt_1', failed), 1_000)
      store.compact(0, 10)
      store.append(received('trigger-trg_1', failed), 1_001)
      store.append(stopped('trigger-1', 20), 1_002)
      expect(JSON.stringify(plain(store.state))).not.toContain('about')
    }
    using again = new Store(place.path)
    for (const state of [again.state, again.replayed()]) {
      expect(queueOf(state.sessions.values(), 1e15).map(({ about }) => about)).toEqual([
        { kind: 'runtime', id: 'rt_1' },
        { kind: 'trigger', id: 'trg_1' },
        undefined,
      ])
    }
  })

  test('a file that is not a database is set aside, never deleted, and reported', () => {
    writeFileSync(place.path, 'this is not a database, not even nearly so')
    using store = new Store(place.path)
    expect(store.setAside).toContain('.damaged-')
    expect(readFileSync(store.setAside ?? '', 'utf8')).toContain('not even nearly')
    store.append(stopped('a', 1), 1)
    expect(queued(store.state)).toEqual(['a'])
  })

  test('what is still intact in a damaged database is recovered', () => {
    {
      using store = new Store(place.path)
      for (let i = 0; i < 40; i++) store.append(stopped(`s${i}`, i + 1), 1_000 + i)
      store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    const bytes = readFileSync(place.path)
    const eventsPage = bytes.indexOf('event.received')
    bytes.fill(0xff, eventsPage, eventsPage + 2_000)
    const header = Math.floor(eventsPage / 4096) * 4096
    bytes.fill(0xff, header, header + 64)
    writeFileSync(place.path, bytes)
    using store = new Store(place.path)
    expect(store.setAside).toBeDefined()
    expect(queued(store.state)).toHaveLength(40)
    expect(readdirSync(place.dir).some((name) => name.includes('.damaged-'))).toBe(true)
  })

  test('a database of a newer version is left alone with a clear message', () => {
    {
      using store = new Store(place.path)
      store.db.exec('PRAGMA user_version = 99')
    }
    expect(() => new Store(place.path)).toThrow(/newer Trail Boss/)
  })
})

function refuseSessions(store: Store): void {
  store.db.exec(
    'CREATE TRIGGER no BEFORE INSERT ON sessions BEGIN SELECT raise(ABORT, "full"); END',
  )
}
