import { expect, test } from 'vitest'
import { lossesOf } from './losses.ts'

const known = { id: 'a', seq: 3, admittedAt: Date.UTC(2026, 0, 1), isOpen: false }
const gone = {
  database: 'missing',
  hasJournal: false,
  id: undefined,
  lastSeq: 0,
  lastAdmittedAt: 0,
  recovered: undefined,
} as const
const there = { ...gone, database: 'there', id: 'a' } as const

test('a missing database is reported with what it held', () => {
  expect(lossesOf(gone, known)[0]).toContain(
    'at least 3 entries, the last from 2026-01-01T00:00:00Z',
  )
})

test('one that held nothing has no last entry', () => {
  const [loss] = lossesOf(gone, { ...known, seq: 0, admittedAt: 0 })
  expect(loss).toContain('As far as is known, it held nothing.')
  expect(loss).not.toContain('1970')
})

test('if there was none before, nothing is missing', () => {
  expect(lossesOf(gone, undefined)).toEqual([])
})

test('a database that lost everything with its journal is not called another one', () => {
  const [loss] = lossesOf({ ...there, id: undefined }, { ...known, isOpen: true })
  expect(loss).toMatch(
    /^The database lacks at least 3 entries: everything that it held, up to 2026-01-01T00:00:00Z\. Its journal \(trailboss\.db-wal\) is gone\./,
  )
})

test.each(['missing', 'empty', 'there'] as const)(
  'what was recovered is not reported as lost (%s)',
  (database) => {
    const recovered = { sessions: 2, isWhole: true, hasLog: true }
    const found = { ...gone, database, lastSeq: 3, lastAdmittedAt: 5, recovered }
    const [loss] = lossesOf(found, known)
    expect(loss).toContain(
      'recovered 2 sessions from it, with all 3 entries. No entry is known to be missing.',
    )
    expect(loss).not.toMatch(/It held|not the one|created a new one|lacks|lost/)
  },
)

test('for a partial recovery, the rest is counted', () => {
  const recovered = { sessions: 1, isWhole: true, hasLog: true }
  const found = { ...there, id: undefined, lastSeq: 1, lastAdmittedAt: 0, recovered }
  expect(lossesOf(found, known)[0]).toContain(
    'recovered 1 session from it. It lacks at least 2 entries: everything after entry 1, up to 2026',
  )
  const nothing = { ...found, lastSeq: 0, recovered: { ...recovered, sessions: 0, isWhole: false } }
  expect(lossesOf(nothing, known)[0]).toContain(
    'recovered 0 sessions from it; others may be lost. It held at least 3 entries',
  )
})

test('no loss names an entry 0 or the year 1970', () => {
  const never = { ...known, admittedAt: 0, isOpen: true }
  for (const recovered of [undefined, { sessions: 0, isWhole: true, hasLog: true }]) {
    for (const database of ['missing', 'empty', 'there'] as const) {
      for (const id of ['a', 'b', undefined]) {
        for (const lastSeq of [0, 3]) {
          const said = lossesOf({ ...gone, database, id, lastSeq, recovered }, never).join()
          expect(said).not.toMatch(/1970|entry 0\b/)
        }
      }
    }
  }
})
