import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { freshDirectory } from '../../test/support/store/database-path.ts'
import { fillStore } from '../../test/support/store/filled-store.ts'
import { Store } from './store.ts'
import { appendAudit, listAudit } from './tables/audit.ts'
import { listTokens } from './tables/tokens.ts'

const place = freshDirectory()

function stuck(store: Store, session: string): void {
  const event = { v: 1, kind: 'stuck', harness: 'h', session, at: 1, source: 'hook' } as const
  store.append({ type: 'event.received', event, recovered: false }, Date.UTC(2030, 0))
}

/** What another program finds in the files on disk. */
function onDisk(): string[] {
  using db = new DatabaseSync(place.path, { readOnly: true })
  return db
    .prepare('SELECT key FROM sessions ORDER BY key')
    .all()
    .map(({ key }) => String(key))
}

describe('files that disappear under an open database', () => {
  test.each([['', '-wal', '-shm'], [''], ['-wal'], ['', '-shm']])(
    'are rewritten with everything that was stored (%#)',
    (...suffixes) => {
      fillStore(place.path, 1, '/tmp')
      using store = new Store(place.path)
      const before = onDisk().length
      expect(store.isInPlace()).toBe(true)
      for (const suffix of suffixes) rmSync(place.path + suffix)
      stuck(store, 'late')
      expect(store.isInPlace()).toBe(false)
      expect(store.restoreFiles()).toContain('was removed while Trail Boss was running')
      expect(onDisk()).toHaveLength(before + 1)
      stuck(store, 'later')
      appendAudit(store.db, { at: 2, kind: 'trigger_sent', actor: 'trailboss' })
      expect(store.isInPlace()).toBe(true)
      expect(onDisk()).toContain('h:later')
      expect(listTokens(store.db)).toHaveLength(4)
      expect(listAudit(store.db).lines.length).toBeGreaterThan(5)
      expect(() => store.db.exec('DELETE FROM audit')).toThrow('The audit is append-only.')
    },
  )

  test('do not overwrite what somebody else has put there', () => {
    using store = new Store(place.path)
    stuck(store, 'a')
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.path + suffix)
    writeFileSync(place.path, 'a backup, maybe')
    stuck(store, 'b')
    const said = store.restoreFiles()
    const [aside = ''] = readdirSync(place.dir).filter((name) => name.includes('.replaced-'))
    expect(said).toContain(aside)
    expect(readFileSync(join(place.dir, aside), 'utf8')).toBe('a backup, maybe')
    expect(onDisk()).toEqual(['h:a', 'h:b'])
  })

  test('are not acknowledged if they cannot be written', () => {
    using store = new Store(place.path)
    stuck(store, 'a')
    rmSync(place.dir, { recursive: true })
    stuck(store, 'b')
    expect(() => store.restoreFiles()).toThrow('cannot be written again')
    expect(store.refusal()).toBeDefined()
  })
})

describe('files that disappear again while they are being rewritten', () => {
  /** Runs these steps when the connection opens the file that was just put there. */
  function whileOpening(store: Store, steps: { before?: () => void; after?: () => void }[]) {
    const open = store.db.open.bind(store.db)
    return vi.spyOn(store.db, 'open').mockImplementation(() => {
      const step = steps.shift()
      step?.before?.()
      open()
      step?.after?.()
    })
  }
  const remove = () => rmSync(place.path)
  const removeAll = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.path + suffix, { force: true })
  }

  test('are written until they exist', () => {
    using store = new Store(place.path)
    stuck(store, 'a')
    remove()
    whileOpening(store, [{ before: remove }, { after: remove }, { after: removeAll }])
    store.restoreFiles()
    stuck(store, 'b')
    expect(store.isInPlace()).toBe(true)
    expect(onDisk()).toEqual(['h:a', 'h:b'])
  })

  test.each([{ before: remove }, { after: remove }, { after: removeAll }])(
    'cost nothing if only a later attempt works (%#)',
    (step) => {
      using store = new Store(place.path)
      stuck(store, 'a')
      remove()
      const opening = whileOpening(store, Array(20).fill(step))
      for (let time = 0; time < 2; time++) {
        expect(() => store.restoreFiles()).toThrow('cannot be written again')
        expect(store.isInPlace()).toBe(false)
        expect(() => stuck(store, 'refused')).toThrow()
        expect(store.refusal()).toBeDefined()
      }
      opening.mockRestore()
      store.restoreFiles()
      stuck(store, 'b')
      expect([store.isInPlace(), store.refusal()]).toEqual([true, undefined])
      expect(onDisk()).toEqual(['h:a', 'h:b'])
      expect(readdirSync(place.dir).filter((name) => /copy|replaced/.test(name))).toEqual([])
    },
  )
})

describe('a journal that is truncated under an open database', () => {
  const wal = () => `${place.path}-wal`

  test.each([0, 32, 4_152, 5_000])('is noticed, and nothing is lost (%i bytes left)', (bytes) => {
    fillStore(place.path, 1, '/tmp')
    using store = new Store(place.path)
    const before = onDisk().length
    stuck(store, 'a')
    stuck(store, 'b')
    expect(store.isInPlace()).toBe(true)
    truncateSync(wal(), bytes)
    stuck(store, 'late')
    expect(store.isInPlace()).toBe(false)
    expect(store.restoreFiles()).toMatch(/journal .* was damaged .* the whole queue is kept/)
    stuck(store, 'later')
    expect(store.isInPlace()).toBe(true)
    expect(onDisk()).toHaveLength(before + 4)
    expect(listTokens(store.db)).toHaveLength(4)
    expect(store.replayed()).toEqual(store.state)
    using again = new Store(copied())
    expect([again.state, again.lastSeq]).toEqual([store.state, store.lastSeq])
    expect([again.setAside, again.losses]).toEqual([undefined, []])
  })

  test('is noticed before anything else is written', () => {
    using store = new Store(place.path)
    stuck(store, 'a')
    expect(store.isInPlace()).toBe(true)
    truncateSync(wal(), 0)
    expect(store.isInPlace()).toBe(false)
    store.restoreFiles()
    expect(onDisk()).toEqual(['h:a'])
  })

  test('costs tables, which are named', () => {
    using store = new Store(place.path)
    stuck(store, 'a')
    store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    appendAudit(store.db, { at: 2, kind: 'trigger_sent', actor: 'trailboss' })
    store.db.exec('PRAGMA shrink_memory')
    expect(store.isInPlace()).toBe(true)
    truncateSync(wal(), 0)
    expect(store.restoreFiles()).toMatch(/could not read all of .*\baudit\b/)
    expect(onDisk()).toEqual(['h:a'])
  })

  test('differs from one that a checkpoint has emptied', () => {
    // However quick the disk is: all of this may happen within one millisecond.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    using store = new Store(place.path)
    for (const checkpoint of [
      () => store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
      () => {
        using other = new DatabaseSync(place.path)
        other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      },
      () => store.db.exec('PRAGMA wal_checkpoint(RESTART)'),
    ]) {
      for (const session of ['a', 'b', 'c']) stuck(store, session)
      expect(store.isInPlace()).toBe(true)
      checkpoint()
      expect(store.isInPlace()).toBe(true)
      checkpoint()
      stuck(store, 'd')
      expect(store.isInPlace()).toBe(true)
    }
  })

  /** As another start after kill -9 would find it. */
  function copied(): string {
    const copy = join(place.dir, 'killed.db')
    for (const suffix of ['', '-wal']) copyFileSync(place.path + suffix, copy + suffix)
    return copy
  }
})

describe('a database that has lost something reports it', () => {
  const losses = () => {
    using store = new Store(place.path)
    return store.losses.join('\n')
  }
  const filled = () => {
    using store = new Store(place.path)
    for (let n = 0; n < 5; n++) stuck(store, `s${n}`)
  }

  test('and nothing if nothing is lost', () => {
    filled()
    expect([losses(), losses()]).toEqual(['', ''])
  })

  test('when it is gone', () => {
    filled()
    rmSync(place.path)
    expect(losses()).toMatch(
      /^The database was missing.* It held at least 5 entries, the last from 2030-01-01T00:00:00Z\./,
    )
    expect(losses()).toBe('')
  })

  test('when it is empty', () => {
    filled()
    truncateSync(place.path)
    expect(losses()).toMatch(/^The database was empty \(0 bytes\)\. It held at least 5 entries/)
  })

  test('when it is empty, even if nobody remembers it', () => {
    writeFileSync(place.path, '')
    expect(losses()).toMatch(/^The database was empty \(0 bytes\)\. Nobody knows what it held/)
  })

  test('when it is a different one', () => {
    filled()
    const other = join(place.dir, 'other.db')
    new Store(other)[Symbol.dispose]()
    copyFileSync(other, place.path)
    expect(losses()).toMatch(/^The database is not the one .* held at least 5 entries.* 0 entries/)
  })

  test('when it is an older one', () => {
    filled()
    copyFileSync(place.path, join(place.dir, 'backup'))
    filled()
    copyFileSync(join(place.dir, 'backup'), place.path)
    expect(losses()).toMatch(
      /^The database lacks at least 5 entries: everything after entry 5 \(2030/,
    )
  })

  /** As kill -9 would leave it. */
  function killed(): void {
    const store = new Store(place.path)
    store.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    for (let n = 0; n < 5; n++) stuck(store, `s${n}`)
    const files = ['', '-wal', '.json'].map((suffix) => ({
      file: place.path + suffix,
      bytes: readFileSync(place.path + suffix),
    }))
    store[Symbol.dispose]()
    for (const { file, bytes } of files) writeFileSync(file, bytes)
  }

  test('when its journal is gone although it was never closed', () => {
    killed()
    expect(losses()).toBe('')
    killed()
    rmSync(`${place.path}-wal`)
    expect(losses()).toMatch(
      /^The database was never closed, but its journal .* No entry is known to be missing/,
    )
  })

  test('and what its journal still holds is recovered when it is gone', () => {
    killed()
    rmSync(place.path)
    using store = new Store(place.path)
    expect(store.losses.join()).toMatch(/^The database was missing/)
    expect(existsSync(`${store.setAside}-wal`)).toBe(true)
  })

  test('its whole content if the journal holds all of it', () => {
    const store = new Store(place.path)
    for (let n = 0; n < 5; n++) stuck(store, `s${n}`)
    const journal = readFileSync(`${place.path}-wal`)
    store[Symbol.dispose]()
    truncateSync(place.path)
    writeFileSync(`${place.path}-wal`, journal)
    using again = new Store(place.path)
    expect(again.losses.join()).toMatch(
      /^The database was empty .* recovered 5 sessions from it, with all 5 entries\. No entry is known/,
    )
    expect(again.losses.join()).not.toContain('It held')
    expect(again.state.sessions.size).toBe(5)
  })

  test('and is not called another one if all of it was lost with its journal', () => {
    const store = new Store(place.path)
    for (let n = 0; n < 5; n++) stuck(store, `s${n}`)
    const main = readFileSync(place.path)
    store[Symbol.dispose]()
    const known = JSON.parse(readFileSync(`${place.path}.json`, 'utf8'))
    writeFileSync(`${place.path}.json`, JSON.stringify({ ...known, isOpen: true }))
    writeFileSync(place.path, main)
    expect(losses()).toMatch(
      /^The database lacks at least 5 entries: everything that it held, .* Its journal \(trailboss\.db-wal\) is gone/,
    )
  })

  test('and that more may be lost when its end is cut off, with the end of its log', () => {
    {
      using store = new Store(place.path)
      for (let n = 0; n < 60; n++) stuck(store, `s${n}`)
    }
    truncateSync(place.path, Math.floor(statSync(place.path).size * 0.9))
    using store = new Store(place.path)
    expect(store.state.sessions.size).toBeLessThan(60)
    expect(store.losses.join()).toMatch(/others may be lost\. It held at least 60 entries/)
  })

  test('with what was recovered of it when it is damaged', () => {
    filled()
    const bytes = readFileSync(place.path)
    bytes[bytes.indexOf('CREATE TABLE cursors') + 8] = 0
    writeFileSync(place.path, bytes)
    expect(losses()).toMatch(/recovered 5 sessions from it, with all 5 entries\. No entry is known/)
    expect(losses()).toBe('')
  })
})
