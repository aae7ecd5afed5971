import * as v from 'valibot'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { SupervisorSchema } from '../../config/supervisor-settings.ts'
import { inTransaction } from '../../store/database/database.ts'
import { appendAudit, listAudit } from '../../store/tables/audit.ts'
import { createAuditRetention } from './audit-retention.ts'

const DAY_MS = 86_400_000
const NOW = 1_000 * DAY_MS

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

const append = (daysAgo: number, lines = 1) => {
  const { db } = world.store
  const line = { at: NOW - daysAgo * DAY_MS, kind: 'trigger_sent', actor: 'trailboss' } as const
  inTransaction(db, () => {
    for (let n = 0; n < lines; n++) appendAudit(db, line)
  })
}
const left = () => listAudit(world.store.db, {}, { limit: 5_000 }).lines.length

function retentionAt(clock: { at: number }, told: object = {}) {
  const { db } = world.store
  const now = () => clock.at
  return createAuditRetention({
    db,
    clock: { now, toWall: (at) => at, fromWall: (at) => at },
    settings: v.parse(SupervisorSchema, told),
    log: world.log,
  })
}

test('the audit is kept forever, or for as long as configured', () => {
  append(366)
  append(364)
  append(0)
  retentionAt({ at: NOW }).keep()
  expect(left()).toBe(3)
  retentionAt({ at: NOW }, { auditDays: 365 }).keep()
  expect(left()).toBe(2)
})

test('a long history is forgotten bit by bit, and checked once an hour after that', () => {
  const clock = { at: NOW }
  const retention = retentionAt(clock, { auditDays: 365 })
  append(400, 1_500)
  append(364.99)
  append(0)
  retention.keep()
  expect(left()).toBe(502)
  retention.keep()
  expect(left()).toBe(2)
  clock.at += 1_800_000
  retention.keep()
  expect(left()).toBe(2)
  clock.at += 1_800_000
  retention.keep()
  expect(left()).toBe(1)
})
