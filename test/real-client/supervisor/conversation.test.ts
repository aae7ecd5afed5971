import { expect } from 'vitest'
import type { MessagesView, ThreadView, TriggersView } from '../../../src/contract/supervisor.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type Reply, say, tool, uses } from '../support/model/reply.ts'
import { type RealRanch, ROLES, type Role } from '../support/real-ranch.ts'
import { ranchTest } from '../support/tests/ranch-test.ts'

const TASK = 'Is the north fence whole? Ask Codex, who was there.'
const QUESTION = 'You were at the north fence: is it whole?'
const ANSWER = 'Two posts are down; I have put them up again.'

const test = ranchTest()

test('two agents talk over the bridge: each is prompted, reads, and answers', async ({ ranch }) => {
  await Promise.all(ROLES.map((role) => ranch.start(role, 'ready')))
  const thread = await openThread(ranch)
  const post = (role: Role, text: string, to: Role): Reply =>
    call(role, 'post_message', { thread, text, to: [`ranch/${to}`] })
  const read = (role: Role): Reply => call(role, 'read_messages', { thread })
  ranch.models.claude.plan(
    `thread=${thread}`,
    ...[read('claude'), post('claude', QUESTION, 'codex'), say('I have asked.')],
    ...[read('claude'), say('It is whole again.')],
  )
  ranch.models.codex.plan(
    `thread=${thread}`,
    ...[read('codex'), post('codex', ANSWER, 'claude'), say('I have answered.')],
  )

  await ranch.post('/messages', { thread, text: TASK, to: ['ranch/claude'] })
  const { cursors, lastSeq } = await waitFor(() => ranch.get<ThreadView>(`/threads?id=${thread}`), {
    what: 'all that was said to be read',
    until: (seen) => seen.lastSeq === 3 && seen.cursors.every(({ unread }) => unread === 0),
    timeoutMs: 90_000,
  })

  const { messages } = await ranch.get<MessagesView>(`/messages?thread=${thread}`)
  expect(messages).toMatchObject([
    { author: { kind: 'operator' }, text: TASK, to: ['ranch/claude'] },
    { author: { kind: 'agent', agentId: 'ranch/claude' }, text: QUESTION, to: ['ranch/codex'] },
    { author: { kind: 'agent', agentId: 'ranch/codex' }, text: ANSWER, to: ['ranch/claude'] },
  ])
  expect({ cursors, lastSeq }).toMatchObject({
    lastSeq: 3,
    cursors: [
      { agent: 'ranch/claude', unread: 0 },
      { agent: 'ranch/codex', unread: 0 },
    ],
  })
  await ranch.models.claude.waitForRequest(`thread=${thread}`, 5)
  expect(toldBy(ranch, 'claude')).toEqual([TASK, ANSWER])
  expect(toldBy(ranch, 'codex')).toEqual([QUESTION])

  const triggers = await waitFor(
    async () => (await ranch.get<TriggersView>(`/triggers?thread=${thread}`)).triggers,
    {
      what: 'every trigger to have ended',
      until: (all) => all.every(({ settledAt }) => settledAt !== null),
    },
  )
  const ack = { kind: expect.stringMatching(/^(?:hook|transcript)$/) }
  const delivered = { state: 'delivered', via: 'paste', reason: 'new_unread_messages', ack }
  expect(triggers.toSorted((a, b) => a.createdAt - b.createdAt)).toMatchObject([
    { agent: 'ranch/claude', ...delivered },
    { agent: 'ranch/codex', ...delivered },
    { agent: 'ranch/claude', ...delivered },
  ])
  for (const { id, agent } of triggers) {
    const role = agent === 'ranch/claude' ? 'claude' : 'codex'
    expect(ranch.timesSaid(role, `id=${id} `)).toBe(1)
  }
})

async function openThread(ranch: RealRanch): Promise<string> {
  const { id } = await ranch.post<ThreadView>('/threads', {
    workspace: 'ranch',
    title: 'The north fence',
    participants: ['claude', 'codex'],
  })
  return id
}

/** Each calls the tools of an MCP server by another name. */
function call(role: Role, name: string, input: Record<string, unknown>): Reply {
  return uses(tool(role === 'claude' ? `mcp__trailboss__${name}` : `mcp__trailboss/${name}`, input))
}

/** Which of the messages its tools gave it, in that order, as its model got them. */
function toldBy(ranch: RealRanch, role: Role): string[] {
  const results = ranch.models[role].log.flatMap((request) => request.results)
  return results.flatMap((result) =>
    [TASK, QUESTION, ANSWER].filter((text) => result.includes(text) && isRead(result)),
  )
}

/** What a post gives back has its own message in it. */
function isRead(result: string): boolean {
  return result.includes('messages')
}
