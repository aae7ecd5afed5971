import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appParts } from '../../../test/support/daemon/app-parts.ts'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { createEscalations } from '../../supervisor/context/escalations.ts'
import { createApp, type Transport } from '../http/app.ts'
import { decisionIds } from './decision-items.ts'
import { decisionRoutes } from './decision-routes.ts'
import { Decisions } from './decisions.ts'

let world: TestHerd
let decisions: Decisions

beforeEach(() => {
  world = createTestHerd()
  const { herd, store } = world
  decisions = new Decisions({
    db: store.db,
    escalations: createEscalations(herd),
    listed: () => decisionIds(herd.current()),
    touch: () => herd.touch(),
    failed: () => {},
  })
})
afterEach(() => {
  decisions[Symbol.dispose]()
  world[Symbol.dispose]()
})

const tokens = { full: 'a'.repeat(64), ingest: 'b'.repeat(64) }
const TCP: Transport = { kind: 'tcp', port: 4_000, tokens }
const bearer = (token: string) => ({
  host: '127.0.0.1:4000',
  authorization: `Bearer ${token}`,
})

async function post(
  path: string,
  body: unknown,
  { transport = { kind: 'unix' }, headers = {} }: { transport?: Transport; headers?: object } = {},
): Promise<Response> {
  const app = createApp({ ...appParts(world), more: [decisionRoutes(decisions)] }, transport)
  return app.request(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

const asker = { name: 'robot' }
const request = { v: 1, id: 'decision-1', asker, tool: 'Bash', input: { command: 'ls' } }
const question = { v: 1, id: 'decision-2', asker, question: 'Which?' }

describe('over TCP', () => {
  test('whoever may report may ask, and only the operator may answer', async () => {
    const over = { transport: TCP, headers: bearer(tokens.ingest) }
    const asked = post('/v1/decisions', request, over)
    await expect.poll(() => world.queue()).toEqual(['decision-decision-1'])
    const answer = '/v1/decisions/decision-1/answer'
    for (const headers of [bearer(tokens.ingest), bearer(`tbr_${'c'.repeat(43)}`), {}]) {
      const refused = await post(answer, { choice: 'allow' }, { transport: TCP, headers })
      expect(refused.status).toBeGreaterThanOrEqual(400)
    }
    expect(world.queue()).toHaveLength(1)
    const taken = await post(
      answer,
      { choice: 'deny' },
      {
        transport: TCP,
        headers: bearer(tokens.full),
      },
    )
    expect(taken.status).toBe(200)
    expect(await (await asked).json()).toMatchObject({ outcome: 'answered', choice: 'deny' })
  })
})

test.each([
  ['{', 400],
  [{}, 400],
  [[], 400],
  [{ ...request, v: 2 }, 400],
  [{ ...request, id: 'x' }, 400],
  [{ ...request, id: '../../etc/passwd' }, 400],
  [{ ...request, asker: { name: '' } }, 400],
  [{ ...request, asker: { name: 'a', cwd: 'relative' } }, 400],
  [{ ...request, options: ['allow'] }, 400],
  [{ ...request, surprise: 1 }, 400],
  [{ v: 1, id: 'decision-3', asker }, 400],
  [{ ...question, input: {} }, 400],
  [{ ...question, options: ['a', 'a'] }, 400],
  [{ ...question, options: Array.from({ length: 10 }, String) }, 400],
  [{ ...question, question: 'x'.repeat(16_001) }, 400],
  [{ ...question, deadline: 'tomorrow' }, 400],
  [{ ...request, input: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) }, 400],
  [{ ...request, input: 'x'.repeat(16 * 1024 * 1024) }, 413],
])('%.80j is refused with %i, and nothing is stored', async (body, status) => {
  const response = await post('/v1/decisions', body)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code: expect.any(String) })
  expect(world.store.db.prepare('SELECT count(*) AS n FROM decisions').get()).toEqual({ n: 0 })
})

test('a deadline in the past is over at once', async () => {
  const response = await post('/v1/decisions', { ...question, deadline: 1 })
  expect(await response.json()).toMatchObject({ outcome: 'withdrawn', why: 'deadline' })
  expect(world.queue()).toEqual([])
})

test('a changed input that nests too deep is refused, and answers nothing', async () => {
  void post('/v1/decisions', request)
  await expect.poll(() => world.queue()).toHaveLength(1)
  const input = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)
  const response = await post('/v1/decisions/decision-1/answer', { choice: 'allow', input })
  expect(response.status).toBe(400)
  expect(world.queue()).toHaveLength(1)
})

test('an answer to nothing is refused', async () => {
  const response = await post('/v1/decisions/nobody/answer', { choice: 'allow' })
  expect(response.status).toBe(404)
})
