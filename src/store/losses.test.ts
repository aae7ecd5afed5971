import { expect, test } from 'vitest'
import { lossesOf } from './losses.ts'

const known = { id: 'a', seq: 3, admittedAt: Date.UTC(2026, 0, 1), isOpen: false }
const gone = {
  database: 'missing',
  hasJournal: false,
  id: 'b',
  lastSeq: 0,
  lastAdmittedAt: 0,
} as const

test('a database that is missing is reported with what it held', () => {
  expect(lossesOf(gone, known)[0]).toContain(
    'at least 3 entries, the last from 2026-01-01T00:00:00Z',
  )
})

test('one that held nothing has no last entry', () => {
  const [loss] = lossesOf(gone, { ...known, seq: 0, admittedAt: 0 })
  expect(loss).toContain('As far as is known, it held nothing.')
  expect(loss).not.toContain('1970')
})

test('where there was none before, nothing is missing', () => {
  expect(lossesOf(gone, undefined)).toEqual([])
})
