import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DecisionBody } from '../contract/decision.ts'
import { canUseTool, createCanUseTool, type Unanswered } from './can-use-tool.ts'

const INPUT = { command: 'rm -rf build' }
const DOWN = 'Nobody could be asked: The daemon is not running. Start it with: trailboss up'

let home: string
let cleanups: (() => void)[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tb-sdk-'))
  vi.stubEnv('TRAILBOSS_HOME', home)
  cleanups = []
})

afterEach(() => {
  vi.unstubAllEnvs()
  for (const cleanup of cleanups) cleanup()
  rmSync(home, { recursive: true, force: true })
})

test('without a daemon it denies, and says why', async () => {
  expect(await canUseTool('Bash', INPUT, unhurried())).toEqual({ behavior: 'deny', message: DOWN })
})

test('without a daemon the program decides, if it says how', async () => {
  const seen: unknown[] = []
  const own = createCanUseTool({
    otherwise: (tool, input, options: { signal: AbortSignal; extra: number }, unanswered) => {
      seen.push([tool, input, options.extra, unanswered])
      return { behavior: 'allow', updatedInput: { command: 'true' } }
    },
  })
  const answer = await own('Bash', INPUT, { ...unhurried(), extra: 7 })
  expect(answer).toEqual({ behavior: 'allow', updatedInput: { command: 'true' } })
  expect(seen).toEqual([['Bash', INPUT, 7, { why: 'not-asked', message: DOWN }]])
})

test('a home that cannot be is no reason to throw', async () => {
  vi.stubEnv('TRAILBOSS_HOME', 'not/absolute')
  const answer = await canUseTool('Bash', INPUT, unhurried())
  expect(answer).toMatchObject({ behavior: 'deny' })
  expect(answer).toHaveProperty('message', expect.stringContaining('no absolute path'))
})

test('asks for the tool with its input, by name, always as the same asker', async () => {
  const daemon = await serve((response, body) => answer(response, body, { choice: 'allow' }))
  const own = createCanUseTool({ name: '  wrangler ' })
  await own('Bash', INPUT, unhurried())
  await own('Write', {}, unhurried())
  const [first, second] = daemon.asked
  expect(first).toMatchObject({
    ...{ v: 1, tool: 'Bash', input: INPUT, asker: { name: 'wrangler', cwd: process.cwd() } },
  })
  expect(first).not.toHaveProperty('deadline')
  expect(second?.asker).toEqual(first?.asker)
  expect(second?.id).not.toBe(first?.id)
})

test.each([
  ['allowed', { choice: 'allow' }, { behavior: 'allow', updatedInput: INPUT }],
  [
    'allowed with another input',
    { choice: 'allow', input: { command: 'ls' } },
    { behavior: 'allow', updatedInput: { command: 'ls' } },
  ],
  ['denied', { choice: 'deny' }, { behavior: 'deny', message: 'The operator denied it.' }],
  [
    'denied with a message',
    { choice: 'deny', message: 'Not today.' },
    { behavior: 'deny', message: 'Not today.' },
  ],
])('what the operator %s is so', async (_, given, expected) => {
  await serve((response, body) => answer(response, body, given))
  expect(await canUseTool('Bash', INPUT, unhurried())).toEqual(expected)
})

test.each([[null], ['ls'], [['ls']], [7]])(
  'another input that is %j runs nothing',
  async (input) => {
    await serve((response, body) => answer(response, body, { choice: 'allow', input }))
    expect(await canUseTool('Bash', INPUT, unhurried())).toMatchObject({ behavior: 'deny' })
  },
)

test('the signal withdraws the question, and the program is not asked instead', async () => {
  const controller = new AbortController()
  const gone = Promise.withResolvers<void>()
  await serve((response) => {
    response.on('close', gone.resolve)
    controller.abort()
  })
  const otherwise = vi.fn(() => ({ behavior: 'allow' as const }))
  const answer = await createCanUseTool({ otherwise })('Bash', INPUT, controller)
  expect(answer).toEqual({
    behavior: 'deny',
    message: 'It was cancelled before the operator answered.',
  })
  await gone.promise
  expect(otherwise).not.toHaveBeenCalled()
})

test('what is aborted before is not asked at all', async () => {
  const daemon = await serve((response, body) => answer(response, body, { choice: 'allow' }))
  const answered = await canUseTool('Bash', INPUT, { signal: AbortSignal.abort() })
  expect(answered).toMatchObject({ behavior: 'deny' })
  expect(daemon.asked).toEqual([])
})

test('the daemon knows until when, and the program decides if nobody answers by then', async () => {
  const daemon = await serve((response, { id }) => {
    response.end(JSON.stringify({ id, outcome: 'withdrawn', why: 'deadline' }))
  })
  const otherwise = vi.fn((_t: string, _i: object, _o: object, { why }: Unanswered) => {
    return { behavior: 'deny' as const, message: why }
  })
  const before = Date.now()
  const own = createCanUseTool({ timeoutMs: 60_000.5, otherwise })
  const answer = await own('Bash', INPUT, unhurried())
  expect(answer).toEqual({ behavior: 'deny', message: 'not-answered' })
  const { deadline = 0 } = daemon.asked[0] ?? {}
  expect(Number.isInteger(deadline)).toBe(true)
  expect(deadline - before).toBeGreaterThanOrEqual(60_000)
})

test('a daemon that hangs keeps nobody waiting much longer than that', async () => {
  await serve(() => undefined)
  expect(await createCanUseTool({ timeoutMs: 1 })('Bash', INPUT, unhurried())).toEqual({
    behavior: 'deny',
    message: 'Nobody answered in time.',
  })
})

test.each([Number.POSITIVE_INFINITY, 1e300])('waiting for %d ms has no deadline', async (ms) => {
  const daemon = await serve((response, body) => answer(response, body, { choice: 'allow' }))
  await createCanUseTool({ timeoutMs: ms })('Bash', INPUT, unhurried())
  expect(daemon.asked).toHaveLength(1)
  expect(daemon.asked[0]).not.toHaveProperty('deadline')
})

test.each([Number.NaN, -1])('%d is no time to wait', (timeoutMs) => {
  expect(() => createCanUseTool({ timeoutMs })).toThrow(TypeError)
})

function unhurried(): { signal: AbortSignal } {
  return { signal: new AbortController().signal }
}

function answer(response: ServerResponse, { id }: DecisionBody, given: object): void {
  response.end(JSON.stringify({ id, outcome: 'answered', by: 'operator', ...given }))
}

/** A daemon that is healthy, and does this with every question. */
async function serve(
  decide: (response: ServerResponse, body: DecisionBody) => void,
): Promise<{ asked: DecisionBody[] }> {
  const asked: DecisionBody[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (request.url !== '/v1/decisions') return response.end('{}')
    const body = JSON.parse(text) as DecisionBody
    asked.push(body)
    return decide(response, body)
  })
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(join(home, 'trailboss.sock'), resolve))
  return { asked }
}
