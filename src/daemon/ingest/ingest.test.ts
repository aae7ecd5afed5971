import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestHerd, type TestHerd } from '../../../test/support/daemon/test-herd.ts'
import { ASK_INPUT_CHARS } from '../../contract/limits.ts'
import { type AgentEvent, sessionKey } from '../../core/session/event.ts'

let world: TestHerd
beforeEach(() => {
  world = createTestHerd()
})
afterEach(() => {
  vi.restoreAllMocks()
  world[Symbol.dispose]()
})

const HOUR_MS = 3_600_000
const claim = (kind: AgentEvent['kind'], at: number): AgentEvent => ({
  v: 1,
  kind,
  harness: 'h',
  session: 's',
  source: 'transcript',
  at,
})

function askPermission(): void {
  const event = { ...claim('stuck', Date.now()), reason: 'permission', source: 'api', block: 'b' }
  expect(world.ingest.event(event)).toBe(1)
}

test('a line from before the clock was set back lifts nothing that came after it', () => {
  const writtenAt = Date.now() - 10_000
  askPermission()
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() - HOUR_MS)
  world.ingest.own(claim('unstuck', writtenAt), 'found')
  expect(world.queue()).toEqual(['s'])
})

test('a line written after the clock was set back counts as new', () => {
  askPermission()
  const setBack = Date.now() - HOUR_MS
  vi.spyOn(Date, 'now').mockReturnValue(setBack)
  world.ingest.own(claim('unstuck', setBack), 'tailed')
  expect(world.queue()).toEqual([])
})

test('one tmux server under two spellings is one server', () => {
  const pane = (socket: string) => ({ ...claim('stuck', Date.now()), pane: { socket, id: '%1' } })
  world.ingest.event({ ...pane('/tmp/tb-none/./t'), reason: 'stopped', source: 'api' })
  world.ingest.event({ ...pane('/tmp//tb-none/t'), reason: 'stopped', source: 'api' })
  expect(world.inventory.sockets()).toEqual(['/tmp/tb-none/t'])
})

test('a secret is stored nowhere, and its ask is stored once, answered and replayed', () => {
  const secret = `ghp_${'a1B2c3'.repeat(6)}`
  const command = `deploy --token ${secret}`
  const ask = { text: command, tool: 'Bash', input: { command } }
  const asked: AgentEvent = {
    ...claim('stuck', Date.now()),
    reason: 'permission',
    ask,
    block: `Bash:${command}`,
  }
  world.ingest.own(asked, 'tailed')
  const { lastSeq } = world.store
  world.ingest.own(asked, 'tailed')
  expect(world.store.lastSeq).toBe(lastSeq)
  expect(world.herd.queue()[0]?.verdict).toMatchObject({
    ask: { text: 'deploy --token [redacted]', input: { command: 'deploy --token [redacted]' } },
  })
  expect(readFileSync(join(world.dir, 'trailboss.db-wal'), 'latin1')).not.toContain(secret)
  world.ingest.own({ ...claim('unstuck', Date.now() + 1), block: `Bash:${command}` }, 'tailed')
  expect(world.queue()).toEqual([])
  expect([...world.store.replayed().sessions]).toEqual([...world.store.state.sessions])
})

test('a tool input that is too large is left out of every ask, even for tools without a result', () => {
  const input = { content: 'x'.repeat(ASK_INPUT_CHARS) }
  const ask = { text: 'write a file', tool: 'Write', input }
  const small = { text: 'run the tests', tool: 'Bash', input: { command: 'npm test' } }
  const stuck = { ...claim('stuck', Date.now()), reason: 'permission', block: 'b' }
  world.ingest.event({ ...stuck, ask, pending: [ask, small] })
  const { evidence } = world.herd.session(sessionKey('h', 's')) ?? {}
  const { input: _, ...bounded } = ask
  expect(Object.values(evidence?.blocks ?? {})).toMatchObject([{ ask: bounded }])
  expect(JSON.stringify(evidence?.blocks)).not.toContain(input.content)
  expect(evidence?.pending?.asks).toEqual([bounded, small])
})
