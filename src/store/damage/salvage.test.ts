import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { freshDirectory } from '../../../test/support/store/database-path.ts'
import { runtimeIn } from '../../../test/support/supervisor/runtime-in.ts'
import { triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { newThread } from '../../core/bridge/thread.ts'
import { issuedToken } from '../../core/bridge/token.ts'
import { newRuntime } from '../../core/supervisor/runtime/runtime.ts'
import type { RuntimeStatus } from '../../core/supervisor/runtime/runtime-transition.ts'
import { codeOf, type TriggerState } from '../../core/supervisor/trigger/trigger.ts'
import { migrations } from '../database/migrations.ts'
import { Store } from '../store.ts'
import { appendAudit, forgetAudit, listAudit } from '../tables/audit.ts'
import { insertMessage, listThreads, readMessages, saveThread } from '../tables/bridge.ts'
import { listWaits, readEpisodeStats } from '../tables/episodes.ts'
import { listRuntimes, saveRuntime } from '../tables/runtimes.ts'
import { insertToken, listTokens } from '../tables/tokens.ts'
import { insertTrigger, listTriggers } from '../tables/triggers.ts'

const place = freshDirectory()

const TRIGGERS: TriggerState[] = ['queued', 'submitted', 'delivered', 'cancelled']
const RUNTIMES: RuntimeStatus[] = ['ready', 'starting', 'failed', 'stopped']

function filled(): void {
  using store = new Store(place.path)
  const { db } = store
  stuck(store, 'a')
  for (const [n, status] of RUNTIMES.entries()) {
    const given = { runtimeId: `rt_${n}`, workspaceId: 'w', role: `r${n}` }
    const runtime = newRuntime({ ...given, harness: 'h', socket: '/tmp/s', cwd: '/tmp' }, 1)
    saveRuntime(db, { ...runtimeIn(status, runtime), failures: [1, 2] })
  }
  for (const [n, state] of TRIGGERS.entries()) {
    const fields = { id: `trg_${n}`, mark: `mark${n}`, runtimeId: 'rt_0', agentId: 'w/r0' }
    insertTrigger(db, triggerIn(state, { ...fields, threadId: 'th_1', createdAt: n }))
  }
  saveThread(db, newThread({ id: 'th_1', workspaceId: 'w', title: 't', participants: ['w/r0'] }, 1))
  for (let n = 0; n < 40; n++) {
    insertMessage(db, {
      id: `msg_${n}`,
      threadId: 'th_1',
      author: { kind: 'system' },
      at: n,
      text: `message number ${n} ${'x'.repeat(300)}`,
      to: [],
      findings: [],
    })
  }
  insertToken(
    db,
    'secret',
    issuedToken({ id: 'tok_1', runtimeId: 'rt_0', agentId: 'w/r0', workspaceId: 'w' }, 1),
  )
  appendAudit(db, { at: 1, kind: 'runtime_registered', actor: 'operator:ana' })
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

/** Corrupts the page with this text. */
function damage(text: string): void {
  const bytes = readFileSync(place.path)
  const page = Math.floor(bytes.indexOf(text) / 4096) * 4096
  bytes.fill(0xff, page, page + 200)
  writeFileSync(place.path, bytes)
}

/** Flips the lowest bit of one byte of the text, including in old page contents. */
function flip(text: string, at: number): void {
  const bytes = readFileSync(place.path)
  expect(bytes.includes(text), text).toBe(true)
  for (let index = bytes.indexOf(text); index >= 0; index = bytes.indexOf(text, index + 1)) {
    bytes[index + at] = (bytes[index + at] ?? 0) ^ 1
  }
  writeFileSync(place.path, bytes)
}

describe('from a damaged database', () => {
  test("what is intact in the supervisor's tables is copied", () => {
    filled()
    damage('event.received')
    using store = new Store(place.path)
    expect(store.setAside).toBeDefined()
    expect(store.state.sessions.size).toBe(1)
    expect(listRuntimes(store.db)).toMatchObject(RUNTIMES.map(() => ({ failures: [1, 2] })))
    expect(listThreads(store.db)).toHaveLength(1)
    expect(readMessages(store.db, 'th_1')).toHaveLength(40)
    expect(listAudit(store.db).lines).toMatchObject([{ seq: 1, actor: 'operator:ana' }])
  })

  test('no trigger is delivered that might have been before, and no runtime waits for one', () => {
    filled()
    damage('event.received')
    using store = new Store(place.path)
    expect(listTriggers(store.db).map((one) => [one.state, codeOf(one)])).toEqual([
      ['failed', 'ACK_TIMEOUT'],
      ['failed', 'ACK_TIMEOUT'],
      ['delivered', undefined],
      ['cancelled', undefined],
    ])
    expect(listTriggers(store.db, { states: ['failed'] })).toHaveLength(2)
    const runtimes = listRuntimes(store.db)
    expect([runtimes.at(0)?.status, runtimes.at(-1)?.status]).toEqual(['ready', 'stopped'])
    for (const { status, runtimeId } of runtimes) {
      const listed = listRuntimes(store.db, { status })
      expect(listed).toContainEqual(expect.objectContaining({ runtimeId }))
    }
  })

  test('no token is accepted that might have been revoked', () => {
    filled()
    damage('event.received')
    using store = new Store(place.path)
    expect(listTokens(store.db)).toEqual([])
  })

  test('one corrupt table does not affect the others', () => {
    filled()
    damage('message number 39')
    using store = new Store(place.path)
    expect(store.setAside).toBeDefined()
    expect(store.state.sessions.size).toBe(1)
    expect(listRuntimes(store.db)).toHaveLength(4)
    expect(readMessages(store.db, 'th_1').length).toBeLessThan(40)
    expect(listAudit(store.db).lines).toHaveLength(1)
    appendAudit(store.db, { at: 2, kind: 'runtime_started', actor: 'trailboss' })
    expect(listAudit(store.db).lines[0]?.seq).toBe(2)
  })

  test.each(['cursors', 'sessions', 'runtimes', 'audit'])(
    'a flipped bit in the definition of %s costs nothing',
    (table) => {
      for (const text of [`CREATE TABLE ${table}`, `table${table}`, `${table}${table}`]) {
        filled()
        flip(text, 8)
        using store = new Store(place.path)
        expect(store.setAside, text).toBeDefined()
        expect(store.state.sessions.size, text).toBe(1)
        expect(listRuntimes(store.db), text).toHaveLength(4)
        expect(readMessages(store.db, 'th_1'), text).toHaveLength(40)
        expect(listAudit(store.db).lines, text).toHaveLength(1)
        rmSync(place.dir, { recursive: true })
        mkdirSync(place.dir)
      }
    },
  )

  test('the files that are set aside stay as they were, and no copy is left', () => {
    filled()
    flip('CREATE TABLE cursors', 8)
    const found = readFileSync(place.path)
    using store = new Store(place.path)
    expect(readFileSync(String(store.setAside)).equals(found)).toBe(true)
    expect(readdirSync(place.dir).filter((name) => name.includes('copy'))).toEqual([])
  })

  test('a corrupt page in the middle of a table costs no row of another page', () => {
    filled()
    damage('message number 20 ')
    using store = new Store(place.path)
    const texts = readMessages(store.db, 'th_1').map(({ text }) => text.slice(0, 17))
    expect(texts).toContain('message number 0 ')
    expect(texts).not.toContain('message number 20')
    expect(texts).toContain('message number 39')
    expect(texts.length).toBeGreaterThan(25)
  })

  test('the log continues after its last entry', () => {
    filled()
    damage('message number 39')
    using store = new Store(place.path)
    expect([store.lastSeq, store.lastAdmittedAt]).toEqual([1, 1])
    stuck(store, 'b')
    expect(store.lastSeq).toBe(2)
  })
})

describe('a database that somebody has altered', () => {
  test.each([
    "ALTER TABLE sessions ADD COLUMN more TEXT DEFAULT 'x'",
    'ALTER TABLE events ADD COLUMN more TEXT',
    'ALTER TABLE events DROP COLUMN admitted_at',
  ])('is set aside, and its sessions are copied: %s', (sql) => {
    filled()
    {
      using db = new DatabaseSync(place.path)
      db.exec(sql)
    }
    using store = new Store(place.path)
    expect(store.setAside).toBeDefined()
    expect(store.losses.join()).toMatch(/could not be used \(its table (sessions|events) does not/)
    expect(store.state.sessions.size).toBe(1)
    stuck(store, 'b')
    expect(store.state.sessions.size).toBe(2)
  })
})

describe('a database of the previous version', () => {
  test('is upgraded with everything in it', () => {
    const [first = ''] = migrations
    {
      using old = new DatabaseSync(place.path)
      old.exec(`PRAGMA journal_mode = WAL; ${first}; PRAGMA user_version = 1`)
    }
    {
      using store = new Store(place.path)
      stuck(store, 'a')
      expect(listRuntimes(store.db)).toEqual([])
    }
    using again = new Store(place.path)
    expect(again.state.sessions.size).toBe(1)
    expect(again.db.prepare('PRAGMA user_version').get()).toEqual({
      user_version: migrations.length,
    })
  })

  test('with an audit keeps all of it, and drops what is too old', () => {
    {
      using old = new DatabaseSync(place.path)
      old.exec(`PRAGMA journal_mode = WAL; ${migrations.slice(0, 2).join(';')}`)
      old.exec('PRAGMA user_version = 2')
      for (const at of [1, 9]) appendAudit(old, { at, kind: 'trigger_sent', actor: 'trailboss' })
    }
    using store = new Store(place.path)
    expect(listAudit(store.db).lines.map(({ at }) => at)).toEqual([9, 1])
    expect(() => store.db.exec('DELETE FROM audit')).toThrow('The audit is append-only.')
    expect(forgetAudit(store.db, 5, 10)).toBe(1)
  })

  test('with episodes keeps them, with an unknown outcome', () => {
    {
      using old = new DatabaseSync(place.path)
      old.exec(`PRAGMA journal_mode = WAL; ${migrations.slice(0, 3).join(';')}`)
      old.exec("INSERT INTO episodes VALUES (7, 'codex:a', 'codex', 'stopped', 100, 350)")
      old.exec("INSERT INTO daily_stats VALUES ('2026-01-01', 'codex', 'stopped', 4, 900, 500)")
      old.exec('PRAGMA user_version = 3')
    }
    using store = new Store(place.path)
    const about = { harness: 'codex', reason: 'stopped', outcome: 'unknown' }
    expect(listWaits(store.db)).toEqual([{ ...about, closedAt: 350, ms: 250 }])
    expect(readEpisodeStats(store.db)).toEqual([
      { ...about, episodes: 4, stuckMs: 900, longestMs: 500 },
    ])
    stuck(store, 'b')
  })

  test.each(['migrated', 'salvaged'])(
    'with runtimes keeps their lifecycle when it is %s',
    (how) => {
      const statuses = ['ready', 'triggering', 'awaiting_ack', 'retrying', 'fallback_resume']
      const others = ['spawn_recovery', 'starting', 'offline', 'failed', 'stopping', 'stopped']
      {
        using old = new DatabaseSync(place.path)
        old.exec(`PRAGMA journal_mode = WAL; ${migrations.slice(0, 5).join(';')}`)
        old.exec('PRAGMA user_version = 5')
        for (const status of [...statuses, ...others]) formerRuntime(old, status, true)
        formerRuntime(old, 'failed', false)
        if (how === 'salvaged') padEvents(old)
        old.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      }
      if (how === 'salvaged') damage('event.received')
      using store = new Store(place.path)
      expect(store.setAside !== undefined).toBe(how === 'salvaged')
      const found = new Map(listRuntimes(store.db).map((one) => [one.role, one]))
      const pane = { socket: '/s', id: '%3', server: 7, pid: 8, agentPid: 9 }
      for (const role of statuses) expect(found.get(role)).toMatchObject({ status: 'ready', pane })
      expect(found.get('spawn_recovery')).toMatchObject({ status: 'starting', pane })
      expect(found.get('failed')).toMatchObject({ status: 'failed', pane })
      expect(found.get('failed-unwanted')).toMatchObject({ status: 'given-up', pane })
      expect(found.get('stopping')).toMatchObject({ status: 'stopping', restartBy: 'operator:ana' })
      for (const role of ['starting', 'offline', 'stopped'] as const) {
        expect(found.get(role)).toMatchObject({ status: role, failures: [4], lastHeartbeatAt: 2.5 })
        expect(listRuntimes(store.db, { status: role }).length).toBeGreaterThan(0)
      }
      expect(found.get('ready')).not.toHaveProperty('wantsRunning')
      expect(found.get('stopped')).not.toHaveProperty('pane')
      expect(found.size).toBe(12)
    },
  )

  test.each(['migrated', 'salvaged'])('with triggers keeps what was tried when it is %s', (how) => {
    {
      using old = new DatabaseSync(place.path)
      old.exec(`PRAGMA journal_mode = WAL; ${migrations.slice(0, 6).join(';')}`)
      old.exec('PRAGMA user_version = 6')
      for (const [n, [fields]] of FORMER_TRIGGERS.entries()) formerTrigger(old, n, fields)
      if (how === 'salvaged') padEvents(old)
      old.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    if (how === 'salvaged') damage('event.received')
    using store = new Store(place.path)
    const expected = FORMER_TRIGGERS.map(([{ state, settledAt }, delivery], n) => {
      const facts = { ...FORMER_FACTS, ...namesOf(n), isChannelClosed: false }
      if (how === 'migrated' || settledAt) return { ...facts, state, settledAt, ...delivery }
      const { write, fallback }: FormerTrigger = delivery
      const failure = { state: 'failed', code: 'ACK_TIMEOUT', settledAt: expect.any(Number) }
      return { ...facts, write, fallback, ...failure }
    })
    expect(listTriggers(store.db)).toEqual(expected)
    for (const { record } of store.db.prepare('SELECT record FROM triggers').all()) {
      expect(JSON.stringify(JSON.parse(String(record)))).toBe(record)
    }
  })

  test('with sessions in it keeps them, even if it is damaged', () => {
    filled()
    {
      using old = new DatabaseSync(place.path)
      for (const table of [
        'runtimes',
        'triggers',
        'dispatches',
        'decisions',
        'notices',
        'mutes',
        'threads',
        'messages',
      ])
        old.exec(`DROP TABLE ${table}`)
      for (const table of ['cursors', 'heartbeats', 'tokens', 'set_aside_rows', 'runtime_screens'])
        old.exec(`DROP TABLE ${table}`)
      old.exec('DROP TABLE audit_totals; DROP TRIGGER audit_loses_no_line; DROP TABLE audit')
      old.exec('ALTER TABLE episodes DROP COLUMN outcome')
      old.exec('PRAGMA user_version = 1')
      old.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    {
      using store = new Store(place.path)
      expect(store.setAside).toBeUndefined()
      expect(store.state.sessions.size).toBe(1)
      store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    }
    damage('event.received')
    using store = new Store(place.path)
    expect(store.state.sessions.size).toBe(1)
  })
})

function stuck(store: Store, session: string): void {
  const event = { v: 1, kind: 'stuck', harness: 'h', session, at: 1, source: 'hook' } as const
  store.append({ type: 'event.received', event, recovered: false }, 1)
}

/** As the previous version wrote it: delivery and lifecycle in one status. */
function formerRuntime(db: DatabaseSync, status: string, wantsRunning: boolean): void {
  const role = wantsRunning ? status : `${status}-unwanted`
  const pane = { tmuxPane: '%3', serverPid: 7, panePid: 8, pid: 9, pidStart: 10 }
  const record = {
    ...{ runtimeId: `rt_${role}`, workspaceId: 'w', role, harness: 'h', socket: '/s', cwd: '/' },
    ...{ agentId: `w/${role}`, tmuxSession: 'agents_w', tmuxWindow: role, sessionId: 's' },
    ...(status === 'stopped' ? {} : pane),
    ...{ status, statusAt: 3, operatorBusy: false, lastHeartbeatAt: 2.5, lastTriggerId: 't' },
    ...{ startedAt: 1, failures: [4], wantsRunning, restartBy: 'operator:ana' },
  }
  db.prepare('INSERT INTO runtimes VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    ...[record.runtimeId, record.agentId, 'w', 'h', 's', status, JSON.stringify(record)],
  )
}

/** Gives the test something else to damage. */
function padEvents(db: DatabaseSync): void {
  const event = JSON.stringify({ type: 'event.received', padding: 'x'.repeat(200) })
  for (let n = 1; n < 50; n++) {
    db.prepare('INSERT INTO events VALUES (?, 1, ?, ?)').run(n, 'event.received', event)
  }
}

const FORMER_FACTS = { agentId: 'w/r', reason: 'r', text: 'Größe “1\\2”\n', createdAt: 1 }
const fallback = { code: 'ACK_TIMEOUT', since: 50, resumes: 1, spawns: 0, launchedAt: 55 }
const fell = { via: 'resume', code: 'ACK_TIMEOUT', fallback }
const claimed = { via: 'paste', claimedAt: 30, notBefore: 38 }
const typed = { ...claimed, wroteAt: 0.1 + 0.2, pastes: 1 }
const entered = { ...typed, enters: 1, enteredAt: 45 }
const channel = { ...entered, via: 'channel', pastes: 0, enters: 0, isInChannel: true }
const write = {
  by: 'paste',
  claimedAt: 30,
  wroteAt: 0.1 + 0.2,
  pastes: 1,
  enters: 1,
  isUnsure: false,
}
const code = 'OPERATOR_BUSY'
const answered = { kind: 'seen' }
const ack = { kind: 'hook', at: 50 }

type FormerTrigger = { state?: string; settledAt?: number } & Record<string, unknown>

/** As the previous version wrote them, with any field in any state; and the delivery that each has now. */
const FORMER_TRIGGERS: readonly [FormerTrigger, Record<string, unknown>][] = [
  [{ state: 'queued', notBefore: 5 }, { notBefore: 5 }],
  [
    { state: 'deferred', deferredAt: 20, code, notBefore: 5 },
    { code, deferredAt: 20 },
  ],
  [
    { state: 'claimed', ...claimed },
    { write: { ...write, wroteAt: 30, pastes: 0, enters: 0 }, notBefore: 38 },
  ],
  [
    { state: 'written', ...typed, calmAt: 44, isUnsure: true, deferredAt: 20 },
    { write: { ...write, calmAt: 44, enters: 0, isUnsure: true }, deferredAt: 20, notBefore: 38 },
  ],
  [
    { state: 'submitted', ...entered },
    { write, enteredAt: 45, notBefore: 38 },
  ],
  [
    { state: 'submitted', ...channel },
    { write: { ...write, by: 'channel', pastes: 0, enters: 0 }, enteredAt: 45, notBefore: 38 },
  ],
  [
    { state: 'fallback', ...entered, ...fell },
    { write, fallback },
  ],
  [{ state: 'fallback', ...fell }, { fallback }],
  [
    { state: 'delivered', ...entered, ack, settledAt: 60 },
    { write, via: 'paste', ack },
  ],
  [
    { state: 'failed', ...entered, ...fell, settledAt: 60, answered },
    { write, fallback, code: 'ACK_TIMEOUT', answered },
  ],
  [{ state: 'cancelled', deferredAt: 20, code, settledAt: 60 }, { code }],
]

function namesOf(n: number): { id: string; mark: string; runtimeId: string } {
  return { id: `trg_${n}`, mark: `mark${n}`, runtimeId: `rt_${n}` }
}

function formerTrigger(db: DatabaseSync, n: number, fields: FormerTrigger): void {
  const { id, mark, runtimeId } = namesOf(n)
  const none = { pastes: 0, enters: 0, isUnsure: false, isInChannel: false, isChannelClosed: false }
  const record = JSON.stringify({ id, mark, runtimeId, ...FORMER_FACTS, ...none, ...fields })
  db.prepare('INSERT INTO triggers VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)').run(
    ...[id, runtimeId, 'w/r', null, mark, String(fields.state)],
    ...['claimedAt' in fields ? 30 : null, record],
  )
}
