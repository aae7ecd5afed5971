import { existsSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDirectory } from '../../../test/support/store/database-path.ts'
import { triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import { newDispatch } from '../../core/supervisor/dispatch/dispatch.ts'
import { inTransaction, openDatabase } from '../database/database.ts'
import { findDispatch, saveDispatch } from './dispatches.ts'
import { insertTrigger, moveTrigger, readTrigger } from './triggers.ts'

const KEY = `ghp_${'a1B2c3'.repeat(6)}`
const place = freshDirectory()
let db: DatabaseSync
beforeEach(() => {
  db = openDatabase(place.path)
})
afterEach(() => db.close())

/** Of the database and its journal. */
const filesHold = (text: string) =>
  ['', '-wal']
    .map((suffix) => place.path + suffix)
    .some((file) => existsSync(file) && readFileSync(file, 'latin1').includes(text))

/** One that fits into its page, and one that needs pages of its own. */
test.each([1, 500])(
  'a delivered trigger leaves its secrets in no file (%i times)',
  async (times) => {
    const text = `${'Deploy it. '.repeat(times)}${KEY}`
    const queued = triggerIn('queued', { text })
    insertTrigger(db, queued)
    expect(filesHold(KEY)).toBe(true)
    const delivered = triggerIn('delivered', queued)
    expect(inTransaction(db, () => moveTrigger(db, queued, delivered))).toBe(true)
    await undefined
    expect(filesHold(KEY)).toBe(false)
    const kept = readTrigger(db, queued.id)
    expect(kept).toMatchObject({ given: { bytes: text.length } })
    expect(kept?.text.endsWith('[redacted]')).toBe(true)
  },
)

test('a failed one keeps them, since it can be tried again', async () => {
  const queued = triggerIn('queued', { text: KEY })
  insertTrigger(db, queued)
  moveTrigger(db, queued, triggerIn('failed', queued))
  await undefined
  expect(readTrigger(db, queued.id)?.text).toBe(KEY)
})

test('a dispatch keeps the secrets of its task until it has ended', async () => {
  const given = { id: 'd1', name: 'fix', workspaceId: 'w', runtimeId: 'rt_1', harness: 'h' }
  const told = { cwd: '/tmp', reviewer: undefined, by: 'operator:ana' }
  const dispatch = newDispatch({ ...given, ...told, prompt: `Use ${KEY}` }, 1)
  saveDispatch(db, dispatch)
  saveDispatch(db, { ...dispatch, state: 'reviewing' })
  expect(findDispatch(db, 'fix')?.prompt).toBe(`Use ${KEY}`)
  saveDispatch(db, { ...dispatch, state: 'done', endedAt: 5 })
  await undefined
  expect(findDispatch(db, 'fix')?.prompt).toBe('Use [redacted]')
  expect(filesHold(KEY)).toBe(false)
})
