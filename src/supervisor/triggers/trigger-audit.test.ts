import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { triggerIn } from '../../../test/support/supervisor/trigger-in.ts'
import type { Trigger } from '../../core/supervisor/trigger/trigger.ts'
import { migrations } from '../../store/database/migrations.ts'
import { appendAudit } from '../../store/tables/audit.ts'
import { auditOf, unreportedWrites } from './trigger-audit.ts'

const queued = triggerIn('queued')
const claimed = triggerIn('claimed', queued)
const written = triggerIn('written', queued)
const entered = triggerIn('submitted', queued)

function database(...lines: ReturnType<typeof auditOf>): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  for (const sql of migrations) db.exec(sql)
  for (const { payload: _, ...line } of lines)
    appendAudit(db, { at: 1, triggerId: 'trg_1', ...line })
  return db
}

test('a write that was begun and never reported is audited as unknown', () => {
  const begun = auditOf(queued, claimed)
  expect(unreportedWrites(database(...begun), claimed)).toMatchObject([
    { kind: 'pane_written', payload: 'Go on.', result: expect.stringContaining('unknown') },
  ])
  const done = [...begun, { kind: 'pane_written', actor: 'trailboss', result: 'ok' } as const]
  expect(unreportedWrites(database(...done), written)).toEqual([])
  expect(unreportedWrites(database(...done, ...auditOf(written, entered)), entered)).toMatchObject([
    { kind: 'key_pressed', detail: 'Enter' },
  ])
})

test('a step that only waits is not audited', () => {
  expect(auditOf(queued, triggerIn('queued', queued, { notBefore: 5 }))).toEqual([])
})

test('so is a write to a channel', () => {
  const handed: Trigger = { ...claimed, write: { ...claimed.write, by: 'channel' } }
  const begun = auditOf(queued, handed)
  expect(unreportedWrites(database(...begun), handed)).toMatchObject([{ kind: 'channel_written' }])
  const done = [...begun, { kind: 'channel_written', actor: 'trailboss', result: 'ok' } as const]
  expect(unreportedWrites(database(...done), handed)).toEqual([])
})

test('the fallback is audited once, with the reason', () => {
  const fallen = triggerIn('fallback', entered)
  expect(auditOf(entered, fallen)).toMatchObject([
    { kind: 'trigger_fell_back', result: 'ACK_TIMEOUT' },
  ])
  const resumed = triggerIn('fallback', entered, { fallback: { code: 'SPAWN_FAILED' } })
  expect(auditOf(fallen, resumed)).toEqual([])
})
