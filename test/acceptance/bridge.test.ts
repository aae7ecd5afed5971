import { describe, expect, test } from 'vitest'
import {
  type AgentThreadsView,
  BRIDGE_TOOLS,
  type HeartbeatView,
  type PostView,
  type ReadView,
} from '../../src/contract/bridge-tools.ts'
import type {
  AuditView,
  ThreadView,
  TokensView,
  TokenView,
  TriggerView,
} from '../../src/contract/supervisor.ts'
import { freePort } from '../support/free-port.ts'
import { mountBridge, mountBridgeOverHttp, tokenOf } from '../support/supervisor/mounted-bridge.ts'
import { createRanch, type Ranch } from '../support/supervisor/ranch.ts'
import { waitFor } from '../support/wait-for.ts'

const ROLES = ['executor', 'reviewer']
/** Longer than it takes to mount the bridge on a busy machine. */
const SHORT = { token: { lifetimeMs: 9_000 } }

const openThread = ({ world }: Ranch) =>
  world.json<ThreadView>('thread', 'open', 'The fence', '--with', 'executor,reviewer')
const tokensOf = async ({ world }: Ranch, role: string): Promise<TokenView[]> =>
  (await world.json<TokensView>('token', 'list', '--agent', `ranch/${role}`)).tokens

describe('the bridge over stdio', () => {
  test('carries a message from the operator to an agent, and its answer to another', async () => {
    await using ranch = await createRanch({ roles: ROLES })
    const { world } = ranch
    const executor = await ranch.start('executor')
    const reviewer = await ranch.start('reviewer')
    await using executing = await mountBridge(executor)
    await using reviewing = await mountBridge(reviewer)
    const { id } = await openThread(ranch)

    await world.json('thread', 'post', id, 'Mend the north fence.', '--to', 'ranch/executor')
    const [prompt] = await waitFor(() => ranch.submitted('executor'), {
      what: 'the executor to be prompted',
      until: (prompts) => prompts.length > 0,
    })
    expect(prompt).toContain(`thread=${id}`)
    const { messages } = await executing.call<ReadView>('read_messages', { thread: id })
    expect(messages).toMatchObject([{ text: 'Mend the north fence.' }])

    const answer = { thread: id, text: 'Mended, please look.', progress: 'commit 1f3e' }
    await executing.call<PostView>('post_message', answer)
    await waitFor(() => ranch.submitted('reviewer'), {
      what: 'the reviewer to be prompted',
      until: (prompts) => prompts.some((text) => text.includes(`thread=${id}`)),
    })
    expect((await reviewing.call<ReadView>('read_messages')).messages).toMatchObject([
      { text: 'Mended, please look.', author: { kind: 'agent', agentId: 'ranch/executor' } },
    ])

    const shown = await world.json<ThreadView>('thread', 'show', id)
    expect(shown.cursors.map(({ unread }) => unread)).toEqual([0, 0])
    const { lines } = await ranch.get<AuditView>(`/audit?thread=${id}&kind=message_posted`)
    expect(lines.map(({ actor }) => actor)).toEqual([
      'ranch/executor',
      expect.stringMatching(/^operator:/),
    ])
    const { stdout } = await world.trailboss('thread', 'show', id)
    expect(stdout).toContain('progress: commit 1f3e')
  })

  test('lets an agent prompt another of its workspace, and nobody else', async () => {
    await using ranch = await createRanch({ roles: ROLES })
    await using bridge = await mountBridge(await ranch.start('executor'))
    await ranch.start('reviewer')
    const ask = (agent: string) =>
      bridge.call<TriggerView>('trigger_agent', { agent, reason: 'review', text: 'Look at it.' })

    const { id } = await ask('reviewer')
    expect(await ranch.settled(id)).toMatchObject({ state: 'delivered', agent: 'ranch/reviewer' })
    expect(ranch.submitted('reviewer')).toEqual([expect.stringContaining('Look at it.')])
    await expect(ask('executor')).rejects.toThrow(/^BAD_REQUEST: .*itself/)
    await expect(ask('other/reviewer')).rejects.toThrow(/^NOT_FOUND/)
    await expect(ask('nobody')).rejects.toThrow(/^NOT_FOUND/)
    const { lines } = await ranch.get<AuditView>(`/audit?trigger=${id}&kind=trigger_queued`)
    expect(lines).toMatchObject([{ actor: 'ranch/executor' }])
  })

  test('says that the daemon is away, and goes on when it is back', async () => {
    await using ranch = await createRanch({ roles: ROLES })
    const executor = await ranch.start('executor')
    const { id } = await openThread(ranch)
    await using bridge = await mountBridge(executor)
    await ranch.world.killDaemon9()
    await expect(bridge.call('list_threads')).rejects.toThrow(/^DAEMON_DOWN: .*try again/)
    await ranch.world.up()
    expect(await bridge.call<AgentThreadsView>('list_threads')).toMatchObject({ threads: [{ id }] })
  })

  test('keeps its token alive, which ends without it', async () => {
    await using ranch = await createRanch({ roles: ROLES, supervisor: SHORT })
    const executor = await ranch.start('executor')
    await using bridge = await mountBridge(executor)
    await ranch.start('reviewer')
    const lifetimesOf = (all: TokenView[]) =>
      all.map(({ issuedAt, expiresAt }) => (expiresAt - issuedAt) / SHORT.token.lifetimeMs)
    const tokens = async (role: string) =>
      (await ranch.get<TokensView>(`/tokens?agent=ranch/${role}`)).tokens
    await waitFor(() => tokens('executor'), {
      what: 'the token of the executor to live for three lifetimes',
      until: (all) => lifetimesOf(all).some((lifetimes) => lifetimes > 3),
    })
    await waitFor(() => tokens('reviewer'), {
      what: 'the token of the reviewer to end',
      until: (all) => all.some(({ refusal }) => refusal === 'expired'),
    })
    const beat = await bridge.call<HeartbeatView>('heartbeat_session', { status: 'active' })
    expect(beat).toMatchObject({ status: 'active', beatEveryMs: SHORT.token.lifetimeMs / 3 })
  })

  test('is closed to a runtime that was stopped', async () => {
    await using ranch = await createRanch({ roles: ROLES })
    const executor = await ranch.start('executor')
    const token = tokenOf(executor)
    expect(token).toMatch(/^tbr_/)
    await using bridge = await mountBridge(executor)
    await bridge.call('list_threads')
    await ranch.post('/runtimes/stop', { agent: 'ranch/executor' })
    await ranch.waitForRuntime('executor', 'stopped', ({ status }) => status === 'stopped')
    await expect(bridge.call('list_threads')).rejects.toThrow(/^UNAUTHORIZED: .*revoked/)
    expect(await tokensOf(ranch, 'executor')).toMatchObject([{ refusal: 'revoked' }])
    const { lines } = await ranch.get<AuditView>('/audit?agent=ranch/executor')
    const kinds = lines.map(({ kind }) => kind)
    expect(kinds).toEqual(
      expect.arrayContaining(['token_issued', 'token_revoked', 'token_refused']),
    )
    expect(JSON.stringify(lines)).not.toContain('tbr_')
    expect(ranch.world.daemonLog()).not.toContain('tbr_')
  })

  test('is closed to one whose token the operator revoked', async () => {
    await using ranch = await createRanch({ roles: ROLES })
    await using bridge = await mountBridge(await ranch.start('executor'))
    const [token] = await tokensOf(ranch, 'executor')
    expect((await ranch.world.trailboss('token', 'list')).stdout).toMatch(/ranch\/executor +good/)
    const { stdout } = await ranch.world.trailboss('token', 'revoke', token?.id ?? '')
    expect(stdout).toContain('ranch/executor is off the bridge')
    const none = await ranch.world.trailboss('token', 'list')
    expect(none).toMatchObject({ stdout: '', stderr: expect.stringContaining('--all') })
    const all = await ranch.world.trailboss('token', 'list', '--all')
    expect(all.stdout).toMatch(/ranch\/executor +revoked/)
    await expect(bridge.call('list_threads')).rejects.toThrow(/^UNAUTHORIZED/)
  })
})

test('the bridge over HTTP takes the token of a runtime, and no other', async () => {
  const port = await freePort()
  await using ranch = await createRanch({ roles: ROLES, world: { port } })
  const executor = await ranch.start('executor')
  const { id } = await openThread(ranch)
  await using bridge = await mountBridgeOverHttp(port, tokenOf(executor))
  expect((await bridge.client.listTools()).tools).toHaveLength(BRIDGE_TOOLS.length)
  expect(await bridge.call<AgentThreadsView>('list_threads')).toMatchObject({ threads: [{ id }] })
  await expect(mountBridgeOverHttp(port, `tbr_${'x'.repeat(43)}`)).rejects.toThrow('not a token')
})

test('a thread that goes in circles is in the queue until the operator decides', async () => {
  await using ranch = await createRanch({ roles: ROLES })
  const { world } = ranch
  await using bridge = await mountBridge(await ranch.start('reviewer'))
  const { id } = await openThread(ranch)
  const findings = ['The fence leaks.']
  for (const text of ['one', 'two', 'three']) {
    await bridge.call('post_message', { thread: id, text, findings })
  }
  await expect(bridge.call('post_message', { thread: id, text: 'four' })).rejects.toThrow(
    /^THREAD_BLOCKED: .*Stop here and wait/,
  )
  const items = await world.waitForQueue('the thread to be in the queue', (all) =>
    all.some(({ session }) => session === `thread-${id}`),
  )
  const item = items.find(({ session }) => session === `thread-${id}`)
  expect(item).toMatchObject({ harness: 'trailboss', reason: 'stopped', project: 'ranch' })
  expect(item?.ask.text).toContain('The same finding 3 times: The fence leaks.')

  expect((await world.trailboss('thread', 'unblock', id)).stdout).toContain('is open')
  await world.waitForQueue('the thread to be out of the queue', (all) =>
    all.every(({ session }) => session !== `thread-${id}`),
  )
  await bridge.call('post_message', { thread: id, text: 'four', findings })
  expect((await world.trailboss('thread', 'close', id)).code).toBe(0)
  expect((await world.trailboss('thread', 'post', id, 'x')).code).toBe(1)
  expect((await world.trailboss('thread', 'show', 'th_none')).code).toBe(4)
})
