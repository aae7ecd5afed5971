import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DispatchView } from '../../src/contract/dispatch.ts'
import type { AuditView, ThreadView, TriggerView } from '../../src/contract/supervisor.ts'
import { SECRET_SAMPLES, secretsIn } from '../support/secret-samples.ts'
import { storedSecrets } from '../support/stored-secrets.ts'
import { createRanch, DISPATCHED, type Ranch } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const QUICK = {
  keepsPayloads: true,
  dispatch: { settleMs: 300, recheckMs: 500 },
  delivery: { quietMs: 300, recheckMs: 300 },
}
/** Each in one line, as a prompt is typed. */
const LINES = SECRET_SAMPLES.filter(({ text, isLine }) => !isLine && !text.includes('\n'))
const ALL = LINES.map(({ text }) => text).join(' ; ')
const PER_PROMPT = 40

const batches = Array.from({ length: Math.ceil(LINES.length / PER_PROMPT) }, (_, at) =>
  LINES.slice(at * PER_PROMPT, (at + 1) * PER_PROMPT),
)

test('a prompt reaches its agent word for word, and once delivered no file of ours has its secrets', {
  timeout: 240_000,
}, async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: QUICK })
  await ranch.start('hand')
  for (const batch of batches) {
    const text = batch.map((sample) => sample.text).join(' ; ')
    const { id, sha256 } = await ranch.trigger('hand', `Say nothing: ${text}`)
    expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', sha256 })
    const typed = ranch.submitted('hand').at(-1) ?? ''
    expect(secretsIn(typed, batch)).toEqual(batch.map(({ kind }) => kind))
  }
  await nothingIsStored(ranch)
})

test('a task, its result and its screen are kept without secrets once it has ended', {
  timeout: 240_000,
}, async () => {
  await using ranch = await createRanch({ roles: ['judge'], supervisor: QUICK })
  for (const [index, batch] of batches.entries()) {
    const name = `task-${index}`
    const task = batch.map((sample) => sample.text).join(' ; ')
    // What a fake agent says has to fit on one line of its screen.
    const said = batch.find(({ text }) => text.length < 60)?.text
    await ranch.world.json<DispatchView>(
      ...['dispatch', name, '--harness', 'claude-code', '--cwd', ranch.directory],
      ...['--prompt', `Look at this: ${task}\nSay: ${said}`],
    )
    const done = await ranch.dispatchIn(name, 'done')
    expect(done.result).toContain('[redacted]')
    expect(secretsIn(ranch.submitted(DISPATCHED).join('\n'), batch)).toHaveLength(batch.length)
    await ranch.world.trailboss('dispatch', 'stop', name)
  }
  await nothingIsStored(ranch)
})

test('the bridge, a refused request and the audit keep no secret', async () => {
  await using ranch = await createRanch({ roles: ['hand', 'judge'], supervisor: QUICK })
  const { id } = await ranch.post<ThreadView>('/threads', {
    ...{ workspace: 'ranch', title: ALL.slice(0, 1_000), participants: ['ranch/hand'] },
  })
  await ranch.post('/messages', { thread: id, text: ALL })
  for (const { text } of LINES.slice(0, 20)) {
    const refused = { agent: text.slice(0, 80), reason: text, text }
    const { status } = await ranch.world.http('/triggers', { method: 'POST', body: refused })
    expect(status).toBeGreaterThanOrEqual(400)
  }
  const { lines } = await ranch.get<AuditView>('/audit?limit=200')
  expect(secretsIn(JSON.stringify(lines))).toEqual([])
  await nothingIsStored(ranch)
})

test('what failed can be tried again with its secrets, and is then kept without them', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: QUICK })
  const [first] = batches
  const text = first?.map((sample) => sample.text).join(' ; ') ?? ''
  await ranch.start('hand')
  await ranch.world.trailboss('runtime', 'stop', 'ranch/hand')
  const { id } = await ranch.trigger('hand', text)
  expect(await ranch.settled(id)).toMatchObject({ state: 'failed' })
  expect(secretsIn(await database(ranch)).length).toBeGreaterThan(0)
  await ranch.start('hand')
  const again = await ranch.post<TriggerView>('/triggers/retry', { id })
  expect(await ranch.settled(again.id)).toMatchObject({ state: 'delivered' })
  expect(secretsIn(ranch.submitted('hand').at(-1) ?? '', first)).toHaveLength(first?.length ?? 0)
  await nothingIsStored(ranch)
})

/** Soon, and at the latest when the daemon has ended. */
async function nothingIsStored(ranch: Ranch): Promise<void> {
  const { world } = ranch
  await waitFor(() => storedSecrets(world.state), {
    what: 'no file to have a secret',
    until: (found) => found.length === 0,
  })
  await world.trailboss('down')
  expect(storedSecrets(world.state)).toEqual([])
}

async function database({ world }: Ranch): Promise<string> {
  const files = ['trailboss.db', 'trailboss.db-wal'].map((name) => join(world.state, name))
  return files.map((file) => readFileSync(file, 'latin1')).join('\n')
}
