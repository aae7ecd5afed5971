import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { QueueItem } from '../../src/contract/responses.ts'
import type { AuditView } from '../../src/contract/supervisor.ts'
import type { AuditLine } from '../../src/core/audit.ts'
import { createRanch, patient, type Ranch, scaled } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const MOST_TRIGGER_BYTES = 4_000

test('a trigger that cannot be tried is refused with its code, audited, and typed nowhere', async () => {
  await using ranch = await createRanch({ roles: ['hand', 'idle'] })
  const { pane } = await ranch.start('hand')
  await ranch.post('/runtimes/register', { agent: 'ranch/idle' })
  const wild = await ranch.world.agent('wild')
  const refusals: [string, Record<string, unknown>, string][] = [
    ['an unknown agent', { agent: 'ranch/nobody' }, 'NOT_FOUND'],
    ['an unknown workspace', { agent: 'moon/hand' }, 'NOT_FOUND'],
    ['a name that is none', { agent: '../../etc/passwd\u001b[2J' }, 'NOT_FOUND'],
    ['an unknown thread', { thread: 'th_none' }, 'NOT_FOUND'],
    ['text over the limit', { text: 'x'.repeat(MOST_TRIGGER_BYTES + 1) }, 'TOO_LARGE'],
    ['control characters only', { text: '\u0007\u001b\u0000\u202e' }, 'BAD_REQUEST'],
    ['no text', { text: ' \n ' }, 'BAD_REQUEST'],
    ['a session that is not managed', { agent: wild.session }, 'FALLBACK_REQUIRED'],
    ['a pane that is not managed', { agent: wild.pane.id }, 'FALLBACK_REQUIRED'],
    ['a pane of ours by its id', { agent: pane?.id }, 'FALLBACK_REQUIRED'],
  ]
  for (const [what, request, code] of refusals) {
    const body = { agent: 'ranch/hand', reason: 'test', text: 'Hello.', ...request }
    expect(await refusalOf(ranch, '/triggers', body), what).toBe(code)
    const [line] = await audited(ranch, 'trigger_refused')
    expect(line, what).toMatchObject({ result: code, actor: 'operator:local' })
    expect(line?.agentId, what).not.toMatch(/\p{Cc}/u)
  }
  expect(await audited(ranch, 'trigger_refused')).toHaveLength(refusals.length)
  expect(await ranch.get('/triggers')).toEqual({ triggers: [] })
  expect(ranch.log('hand').map(({ kind }) => kind)).toEqual(['started'])
  expect(wild.keys()).toBe('')
})

test('a trigger for a runtime that does not run fails, and is the operator’s to settle', async () => {
  await using ranch = await createRanch({ roles: ['idle'], supervisor: scaled(20) })
  await ranch.post('/runtimes/register', { agent: 'ranch/idle' })
  const { id } = await ranch.trigger('idle', 'Hello.')
  expect(await ranch.settled(id)).toMatchObject({ state: 'failed', code: 'TARGET_NOT_FOUND' })
  const isListed = (items: QueueItem[]) => items.some((one) => one.session === `trigger-${id}`)
  await ranch.world.waitForQueue('the trigger', isListed)
  await ranch.post('/triggers/cancel', { id, by: 'ada' })
  await ranch.world.waitForQueue('the trigger to be gone', (items) => !isListed(items))
  const [line] = await audited(ranch, 'trigger_cancelled')
  expect(line).toMatchObject({ actor: 'operator:ada', triggerId: id })
})

test('a runtime that cannot be started is refused with its code, audited, and nothing is opened', async () => {
  await using ranch = await createRanch({
    roles: [],
    otherRoles: {
      outside: { harness: 'claude-code', cwd: tmpdir() },
      'no-directory': { harness: 'claude-code', cwd: '/nowhere/at/all' },
      uninstalled: { harness: 'codex', command: ['codex-that-nobody-has'] },
      unknown: { harness: 'abacus' },
    },
  })
  const refusals = [
    ['outside', 'FORBIDDEN_DIRECTORY'],
    ['no-directory', 'BAD_CONFIG'],
    ['uninstalled', 'HARNESS_MISSING'],
    ['unknown', 'BAD_CONFIG'],
    ['nobody', 'NOT_FOUND'],
  ] as const
  const panes = await ranch.world.tmux.run('list-panes', '-a')
  for (const [role, code] of refusals) {
    const body = { agent: `ranch/${role}`, by: 'ada' }
    expect(await refusalOf(ranch, '/runtimes/start', body), role).toBe(code)
    const [line] = await audited(ranch, 'runtime_refused')
    expect(line, role).toMatchObject({
      actor: 'operator:ada',
      agentId: `ranch/${role}`,
      detail: 'start',
      result: code,
    })
  }
  expect(await ranch.world.tmux.run('list-panes', '-a')).toBe(panes)
})

test('two triggers at once for one runtime go in one after the other, in their order', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: patient(scaled(10)) })
  await ranch.start('hand')
  const first = ranch.trigger('hand', 'The first.')
  const second = ranch.trigger('hand', 'The second.')
  const sent = await Promise.all([first, second])
  for (const { id } of sent) {
    expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', pastes: 1 })
  }
  const order = sent.toSorted((a, b) => a.createdAt - b.createdAt).map(({ id }) => id)
  const taken = ranch.submitted('hand')
  expect(taken).toHaveLength(2)
  if (sent[0]?.createdAt !== sent[1]?.createdAt) {
    expect(taken.map((text) => / id=(\S+)/.exec(text)?.[1])).toEqual(order)
  }
})

test('a trigger that was settled cannot be cancelled, and one that was not cannot be retried', async () => {
  await using ranch = await createRanch({ roles: ['hand'], supervisor: scaled(10) })
  await ranch.start('hand')
  ranch.setFaults('hand', { shows: 'dialog' })
  const { id } = await ranch.trigger('hand', 'Hello.')
  expect(await refusalOf(ranch, '/triggers/retry', { id })).toBe('TOO_LATE')
  expect(await ranch.post('/triggers/cancel', { id })).toMatchObject({ state: 'cancelled' })
  ranch.setFaults('hand', {})
  const again = await ranch.trigger('hand', 'Hello again.')
  await ranch.settled(again.id)
  expect(await refusalOf(ranch, '/triggers/cancel', { id: again.id })).toBe('TOO_LATE')
  expect(await refusalOf(ranch, '/triggers/retry', { id: again.id })).toBe('TOO_LATE')
  expect(await refusalOf(ranch, '/triggers/retry', { id: 'trg_none' })).toBe('NOT_FOUND')
  expect(ranch.submitted('hand')).toEqual([expect.stringContaining('Hello again.')])
})

test('the item of a failed trigger takes the operator to the runtime, whose own session stays what it is', async () => {
  const settings = scaled(10)
  await using ranch = await createRanch({
    roles: ['hand'],
    supervisor: {
      ...settings,
      delivery: { ...(settings['delivery'] as object), quietMs: 1, busyLimitMs: 5_000 },
    },
  })
  const { world } = ranch
  await world.bindKeys()
  const { pane, session } = await ranch.start('hand')
  if (!pane) throw new Error('it has no pane')
  const own = async () => (await world.sessions()).find((one) => one.session === session)
  const before = await waitFor(own, { what: 'its session', until: (one) => Boolean(one?.pane) })
  ranch.setFaults('hand', { shows: 'picker' })
  const { id } = await ranch.trigger('hand', 'Hello.')
  expect(await ranch.settled(id)).toMatchObject({ state: 'failed', code: 'DEFER_TIMEOUT' })
  await world.waitForQueue('the trigger', (all) =>
    all.some((item) => item.session === `trigger-${id}`),
  )
  await world.operator.press('C-b', 'Tab')
  await world.operator.waitToBeOn({ socket: pane.socket, id: pane.id })
  expect(await own()).toMatchObject({ pane: before?.pane, state: before?.state })
  expect(await ranch.runtime('hand')).toMatchObject({ status: 'ready', session, pane })

  ranch.setFaults('hand', {})
  const again = await ranch.post<{ id: string }>('/triggers/retry', { id })
  expect(await ranch.settled(again.id)).toMatchObject({ state: 'delivered' })
  await world.waitForQueue('nothing of the supervisor', (items) =>
    items.every(({ harness }) => harness !== 'trailboss'),
  )
  expect(ranch.submitted('hand')).toEqual([expect.stringContaining('Hello.')])
})

test('what tmux refuses to write for as long as a trigger waits fails with SEND_KEYS_ERROR, and nothing was typed', async () => {
  const settings = scaled(10)
  const delivery = { ...(settings['delivery'] as object), busyLimitMs: 2_500 }
  await using ranch = await createRanch({
    roles: ['hand'],
    supervisor: { ...settings, delivery },
  })
  const { pane } = await ranch.start('hand')
  await ranch.world.tmux.run('select-pane', '-d', '-t', pane?.id ?? '')
  const { id } = await ranch.trigger('hand', 'Hello.')
  const waiting = await waitFor(() => ranch.triggerOf(id), {
    what: 'tmux to refuse',
    until: ({ code }) => code !== null,
  })
  expect(waiting).toMatchObject({ code: 'SEND_KEYS_ERROR', pastes: 0 })
  expect(waiting.sentence).toContain('input-off')
  expect(await ranch.settled(id)).toMatchObject({ state: 'failed', code: 'SEND_KEYS_ERROR' })
  expect(await audited(ranch, 'trigger_sent')).toEqual([])
  expect(ranch.log('hand').map(({ kind }) => kind)).toEqual(['started'])
})

test('what a failed trigger left in the composer does not keep the next one from its agent', async () => {
  const settings = scaled(10)
  const delivery = { ...(settings['delivery'] as object), busyLimitMs: 1_500, deferLimitMs: 500 }
  await using ranch = await createRanch({
    roles: ['hand'],
    supervisor: { ...settings, delivery },
  })
  await ranch.start('hand')
  ranch.setFaults('hand', { eatEnter: 9 })
  const first = await ranch.settled((await ranch.trigger('hand', 'The first.')).id)
  expect(first).toMatchObject({ state: 'failed', code: 'ACK_TIMEOUT', pastes: 1 })
  ranch.setFaults('hand', {})
  const second = await ranch.settled((await ranch.trigger('hand', 'The second.')).id)
  expect(second).toMatchObject({ state: 'delivered', pastes: 0 })
  expect(ranch.submitted('hand')).toEqual([expect.stringContaining('The second.')])
})

async function refusalOf({ world }: Ranch, path: string, body: unknown): Promise<string> {
  const { status, text } = await world.http(path, { method: 'POST', body })
  const problem = JSON.parse(text) as { status: number; code: string; hint?: string }
  expect(problem.status, text).toBe(status)
  return problem.code
}

/** Newest first. */
async function audited(ranch: Ranch, kind: AuditLine['kind']): Promise<AuditLine[]> {
  return (await ranch.get<AuditView>(`/audit?kind=${kind}`)).lines
}
