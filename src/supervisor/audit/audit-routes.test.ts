import { Hono } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import type { Problem } from '../../contract/responses.ts'
import type { StatsView } from '../../contract/stats.ts'
import type { AuditView } from '../../contract/supervisor.ts'
import { problemResponse } from '../../service/problem.ts'
import { appendAudit, type NewAuditLine } from '../../store/tables/audit.ts'
import { auditRoutes } from './audit-routes.ts'

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => world[Symbol.dispose]())

async function get<View>(path: string, isSupervised = true): Promise<View> {
  const app = new Hono()
  app.onError(problemResponse)
  app.route('/', auditRoutes({ db: world.store.db, herd: world.herd, isSupervised }))
  return (await (await app.request(path)).json()) as View
}
const seqs = async (query: string) =>
  (await get<AuditView>(`/audit${query}`)).lines.map(({ seq }) => seq)

const append = (told: Partial<NewAuditLine>) =>
  appendAudit(world.store.db, { at: 100, kind: 'trigger_sent', actor: 'trailboss', ...told })

test.each([
  ['', [5, 4, 3, 2, 1]],
  ['?kind=trigger_failed', [2]],
  ['?kind=trigger_failed,token_issued', [3, 2]],
  ['?agent=ranch/lead', [3, 1]],
  ['?agent=ranch/lead&kind=trigger_sent', [1]],
  ['?runtime=rt_1', [3]],
  ['?thread=th_1', [4]],
  ['?trigger=trg_1', [2]],
  ['?actor=operator:ana', [5]],
  ['?result=ACK_TIMEOUT', [2]],
  ['?since=200&until=300', [4]],
  ['?before=3', [2, 1]],
  ['?limit=2', [5, 4]],
])('GET /audit%s finds the lines %j, newest first', async (query, found) => {
  append({ agentId: 'ranch/lead' })
  append({ kind: 'trigger_failed', triggerId: 'trg_1', result: 'ACK_TIMEOUT' })
  append({ kind: 'token_issued', agentId: 'ranch/lead', runtimeId: 'rt_1' })
  append({ at: 200, threadId: 'th_1' })
  append({ at: 300, actor: 'operator:ana' })
  expect(await seqs(query)).toEqual(found)
})

test('says where the next page begins, or null at the end', async () => {
  for (let line = 0; line < 3; line++) append({})
  expect(await get<AuditView>('/audit?limit=2')).toMatchObject({ next: 2 })
  expect(await get<AuditView>('/audit?limit=2&before=2')).toMatchObject({ next: null })
})

test.each([
  ['kind=trigger_vanished', /^kind.*one or several of: runtime_registered/],
  ['agnet=ranch/lead', /^agnet/],
  ['since=yesterday', /^since: a whole number/],
  ['limit=0', /^limit/],
  ['limit=5000', /^limit/],
  ['before=-1', /^before/],
])('refuses ?%s instead of finding something else', async (query, detail) => {
  expect(await get<Problem>(`/audit?${query}`)).toMatchObject({
    code: 'BAD_REQUEST',
    detail: expect.stringMatching(detail),
  })
})

test('there is no audit without workspaces, but there are figures', async () => {
  expect(await get<Problem>('/audit', false)).toMatchObject({
    code: 'NOT_SUPERVISED',
    hint: expect.stringContaining('trailboss workspace init'),
  })
  expect(await get<StatsView>('/stats', false)).toMatchObject({ supervisor: null })
  expect(await get<StatsView>('/stats')).toMatchObject({ supervisor: { restarts: 0 } })
})
