import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom } from '../../test/support/random.ts'
import { fillStore } from '../../test/support/store/filled-store.ts'
import { damageRow, tablesOf } from '../../test/support/store/row-damage.ts'
import { queueOf } from '../core/session/queue.ts'
import { setAsideRows } from './rows/set-aside-rows.ts'
import { Store } from './store.ts'
import { appendAudit, countAudit, countForgottenAudit, listAudit } from './tables/audit.ts'
import {
  countUnread,
  countUnreadOf,
  listThreads,
  readMessages,
  readUnread,
} from './tables/bridge.ts'
import { listDispatches } from './tables/dispatches.ts'
import { listWaits, readEpisodeStats } from './tables/episodes.ts'
import { readRuntimeScreen } from './tables/runtime-screens.ts'
import { listRuntimes } from './tables/runtimes.ts'
import { listTokens, readTokensKeptAt } from './tables/tokens.ts'
import { deliveredAfter, deliveredSince, listTriggers } from './tables/triggers.ts'

const ROUNDS = Number(process.env['TORTURE_ROWS'] ?? 4)
const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1e6)
/** The offset of its 32 bits in the file. */
const SCHEMA_VERSION = 15
const NOW = 1_800_000_000_000

let dir: string
let template: string
let path: string

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tb-rows-'))
  template = join(dir, 'template.db')
  path = join(dir, 'trailboss.db')
  fillStore(template, NOW, '/tmp')
})
afterEach(() => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function damaged(sql: string): void {
  copyFileSync(template, path)
  using db = new DatabaseSync(path)
  db.exec(sql)
}

/** Everything that it can be asked for. */
function readAll({ db, state }: Store) {
  return {
    queue: queueOf(state.sessions.values(), NOW),
    runtimes: [listRuntimes(db), readRuntimeScreen(db, 'rt_0')],
    triggers: listTriggers(db),
    dispatches: listDispatches(db),
    threads: listThreads(db),
    messages: listThreads(db).map(({ id }) => readMessages(db, id)),
    unread: [readUnread(db, 'w/r0'), countUnread(db, 'w/r0'), countUnreadOf(db, 'w/r0')],
    tokens: [listTokens(db), readTokensKeptAt(db)],
    audit: [listAudit(db), countAudit(db), countForgottenAudit(db)],
    figures: [readEpisodeStats(db), listWaits(db), deliveredAfter(db, 0), deliveredSince(db, 0)],
  }
}

/** As they stand in the file, by table and row. */
function rawRows(db: DatabaseSync, tables: string[]): Map<string, unknown> {
  return new Map(
    tables.flatMap((table) =>
      db
        .prepare(`SELECT rowid AS row_id, * FROM ${table}`)
        .all()
        .map((row): [string, unknown] => [`${table} ${row['row_id']}`, { ...row }]),
    ),
  )
}

describe('one damaged row', () => {
  const table = () => tablesOf(template)

  test(`of any table does not prevent reading the others (seed ${seed})`, {
    timeout: 60_000 + ROUNDS * 5_000,
  }, () => {
    const random = randomFrom(seed)
    // A log with a gap starts again, and the probe is written at every start.
    const tables = table().filter((name) => name !== 'base' && name !== 'meta')
    const before = rawRows(new DatabaseSync(template, { readOnly: true }), tables)
    for (const name of table()) {
      for (let round = 0; round < ROUNDS; round++) {
        copyFileSync(template, path)
        const damage = damageRow(path, name, random)
        const about = JSON.stringify(damage)
        try {
          using store = new Store(path)
          readAll(store)
          for (const _ of store.examine());
          readAll(store)
          const after = rawRows(store.db, tables)
          for (const [key, row] of before) {
            if (key === `${damage.table} ${damage.rowId}`) continue
            // Other tests cover what is salvaged if a file is damaged beyond single rows.
            if (store.setAside === undefined)
              expect(after.get(key), `${about}: ${key}`).toEqual(row)
          }
          expect(store.setAside, about).toBeUndefined()
          // An event that still reads as one, of another session by now, is not known to be damaged.
          const isRead = damage.table === 'events' && after.has(`events ${damage.rowId}`)
          const others = store.replayed().sessions.size - store.state.sessions.size
          expect(Math.abs(others), about).toBeLessThanOrEqual(isRead ? 1 : 0)
          store.append({ type: 'item.restored', session: 'torture:s0' as never }, NOW + 10)
        } catch (error) {
          throw new Error(`after ${about}`, { cause: error })
        }
        for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
      }
    }
  })

  test(`or flipped bits anywhere in the file do not prevent a start (seed ${seed})`, {
    timeout: 60_000 + ROUNDS * 10_000,
  }, () => {
    const random = randomFrom(seed)
    const whole = readFileSync(template)
    for (let round = 0; round < ROUNDS * 10; round++) {
      const bytes = Buffer.from(whole)
      const flips = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        Math.floor(random() * bytes.length * 8),
      )
      // A schema that seems newer is left alone, with a clear message.
      if (flips.some((bit) => bit >> 5 === SCHEMA_VERSION)) continue
      for (const bit of flips) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      writeFileSync(path, bytes)
      try {
        using store = new Store(path)
        readAll(store)
        for (const _ of store.examine());
        store.append({ type: 'item.restored', session: 'torture:s0' as never }, NOW + 10)
      } catch (error) {
        throw new Error(`after the bits ${flips.join(', ')} were flipped`, { cause: error })
      }
      for (const suffix of ['-wal', '-shm', '.json']) rmSync(path + suffix, { force: true })
    }
  })

  test('of the sessions is restored from the log, and kept as it was found', () => {
    copyFileSync(template, path)
    const before = new Store(path)
    const sessions = [...before.state.sessions.values()]
    before.db.close()
    damaged("UPDATE sessions SET record = '{}' WHERE key = 'torture:s2'")
    using store = new Store(path)
    expect([...store.state.sessions.values()].toSorted(byKey)).toEqual(sessions.toSorted(byKey))
    expect(setAsideRows(store.db)).toEqual({ count: 1, names: ['sessions torture:s2'] })
    const [kept] = store.db.prepare('SELECT table_name, row, reason FROM set_aside_rows').all()
    expect({ ...kept }).toMatchObject({
      table_name: 'sessions',
      reason: 'record.key is not a name',
    })
    expect(JSON.parse(String(kept?.['row']))).toMatchObject({ key: 'torture:s2', record: '{}' })
  })

  test.each([
    ['the log', "UPDATE events SET entry = '{}' WHERE seq = (SELECT max(seq) FROM events)"],
    ['the base', "UPDATE base SET sessions = '[{}]'"],
    ['the base, all of it', 'DELETE FROM base'],
  ])('of %s costs no session, and the log starts again from them', (_, sql) => {
    copyFileSync(template, path)
    const before = new Store(path)
    const { lastSeq } = before
    const sessions = [...before.state.sessions.values()]
    before.db.close()
    damaged(sql)
    using store = new Store(path)
    for (const _ of store.examine());
    expect(store.lastSeq).toBe(lastSeq)
    expect([...store.replayed().sessions.values()].toSorted(byKey)).toEqual(
      sessions.toSorted(byKey),
    )
    expect([...store.state.sessions.values()].toSorted(byKey)).toEqual(sessions.toSorted(byKey))
  })

  test('whose columns contradict its record gets them from the record', () => {
    damaged("UPDATE runtimes SET status = 'zzz' WHERE runtime_id = 'rt_1'")
    using store = new Store(path)
    expect(listRuntimes(store.db, { status: 'stopped' })).toHaveLength(4)
    expect(setAsideRows(store.db).names).toEqual(['runtimes rt_1'])
  })

  test.each([
    'UPDATE daily_stats SET stuck_ms = -1',
    'UPDATE daily_stats SET longest_ms = -1',
    'UPDATE daily_stats SET episodes = 9007199254740991, stuck_ms = 9007199254740991, longest_ms = 9007199254740991',
    'UPDATE daily_stats SET stuck_ms = (longest_ms + 1) * (episodes + 1)',
    'UPDATE episodes SET closed_at = 0',
    'UPDATE episodes SET stuck_at = -1',
  ])('with an impossible duration is set aside: %s', (sql) => {
    damaged(sql)
    using store = new Store(path)
    for (const _ of store.examine());
    expect(setAsideRows(store.db).count).toBeGreaterThan(0)
    expect([readEpisodeStats(store.db), listWaits(store.db)]).toContainEqual([])
  })

  test.each([-1, 9_007_199_254_740_991n, 9_223_372_036_854_775_807n])(
    'whose figures change to %s while the daemon runs breaks no sum',
    (figure) => {
      damaged('')
      using store = new Store(path)
      const add = store.db.prepare(
        "INSERT INTO daily_stats VALUES (?, 'h', 'stopped', 'answered', ?, ?, ?)",
      )
      for (const day of ['2026-01-01', '2026-01-02']) add.run(day, figure, figure, figure)
      for (const { episodes, stuckMs, longestMs } of readEpisodeStats(store.db)) {
        expect(Math.min(episodes, stuckMs, longestMs)).toBeGreaterThanOrEqual(0)
      }
    },
  )

  test.each([
    ['the last number that there is', '9223372036854775807'],
    ['a number that leaves no room', String(2 ** 53 - 1)],
    ['the number that a new one seems to have', '-1'],
  ])('with %s does not block new rows', (_, seq) => {
    damaged(
      `DROP TRIGGER audit_keeps_lines; UPDATE audit SET seq = ${seq} WHERE seq = (SELECT min(seq) FROM audit); UPDATE sqlite_sequence SET seq = abs(${seq}) WHERE name = 'messages'`,
    )
    using store = new Store(path)
    const line = appendAudit(store.db, { at: NOW, kind: 'thread_closed', actor: 'trailboss' })
    expect(line.seq).toBeLessThan(1_000)
    expect(setAsideRows(store.db).names).toEqual([`audit ${seq}`])
    const sequences = store.db.prepare('SELECT max(seq) AS seq FROM sqlite_sequence').get()
    expect(Number(sequences?.['seq'])).toBeLessThan(1_000)
  })

  test('does not come back through later writes', () => {
    damaged("UPDATE threads SET record = '{}' WHERE thread_id = 'th_1'")
    {
      using store = new Store(path)
      expect(listThreads(store.db).map(({ id }) => id)).toEqual(['th_0', 'th_2', 'th_3'])
    }
    using again = new Store(path)
    expect(listThreads(again.db)).toHaveLength(3)
    expect(setAsideRows(again.db).count).toBe(1)
  })

  test('that is damaged while the daemon runs is set aside when it is read', () => {
    damaged('')
    using store = new Store(path)
    store.db.exec("UPDATE messages SET record = 'x' WHERE message_id = 'msg_0_0'")
    expect(readMessages(store.db, 'th_0').map(({ id }) => id)).toEqual(['msg_0_1'])
    expect(setAsideRows(store.db).names).toEqual(['messages 1'])
  })
})

const byKey = (a: { key: string }, b: { key: string }) => a.key.localeCompare(b.key)
