import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BridgeScene,
  createBridgeScene,
} from '../../../test/support/supervisor/bridge-scene.ts'
import type {
  AgentThreadsView,
  HeartbeatView,
  PostView,
  ReadView,
} from '../../contract/bridge-tools.ts'
import { cursorAck } from '../../core/bridge/cursor.ts'
import { readHeartbeat } from '../../store/tables/bridge.ts'

const EXECUTOR = 'ranch/executor'
const REVIEWER = 'ranch/reviewer'
let scene: BridgeScene
let thread: string
let executor: string
let reviewer: string

beforeEach(() => {
  scene = createBridgeScene()
  executor = scene.launch(EXECUTOR).secret
  reviewer = scene.launch(REVIEWER).secret
  const participants = ['executor', REVIEWER]
  thread = scene.bridge.openThread({ workspace: 'ranch', title: 'The parser', participants }).id
})
afterEach(() => scene[Symbol.dispose]())

const as = (secret: string) => scene.bridge.identify(secret)
const post = (secret: string, text: string, more: object = {}) =>
  scene.bridge.use(as(secret), {
    name: 'post_message',
    body: { thread, text, ...more },
  }) as PostView
const read = (secret: string, body: { thread?: string; limit?: number; after?: number } = {}) =>
  scene.bridge.use(as(secret), { name: 'read_messages', body: { limit: 50, ...body } }) as ReadView
const beat = (secret: string, body: { status?: 'active' | 'idle' }) =>
  scene.bridge.use(as(secret), { name: 'heartbeat_session', body }) as HeartbeatView
const list = (secret: string, closed = false) =>
  (scene.bridge.use(as(secret), { name: 'list_threads', body: { closed } }) as AgentThreadsView)
    .threads
const texts = ({ messages }: ReadView) => messages.map(({ text }) => text)
const coded = (code: string) => expect.objectContaining({ code })

describe('a thread', () => {
  test('is opened for agents of its workspace, also by their role', () => {
    expect(scene.bridge.thread(thread)).toMatchObject({
      workspace: 'ranch',
      title: 'The parser',
      participants: [EXECUTOR, REVIEWER],
      state: { kind: 'open' },
      lastSeq: 0,
    })
    expect(scene.audit('thread_opened')).toMatchObject([
      { actor: 'operator:local', threadId: thread, result: 'ok' },
    ])
  })

  test.each([
    ['an unknown workspace', 'nowhere', ['executor']],
    ['an unknown agent', 'ranch', ['nobody']],
    ['an agent of another workspace', 'ranch', ['farm/farmer']],
  ])('is not opened for %s', (_, workspace, participants) => {
    const open = () => scene.bridge.openThread({ workspace, title: 'x', participants })
    expect(open).toThrow(coded('NOT_FOUND'))
    expect(scene.bridge.threads()).toHaveLength(1)
  })

  test('of Trail Boss itself is opened once, and missing participants join it', () => {
    const told = { workspaceId: 'ranch', name: 'operator', title: 'In step' }
    const { id } = scene.bridge.ensureThread({ ...told, participants: [EXECUTOR] })
    scene.bridge.postSystem(id, 'The operator typed into your pane.')
    const again = scene.bridge.ensureThread({ ...told, participants: [EXECUTOR, REVIEWER] })
    expect(again).toMatchObject({ id, participants: [EXECUTOR, REVIEWER] })
    expect(read(reviewer).messages).toMatchObject([{ author: { kind: 'system' } }])
    expect(scene.audit('thread_opened')).toHaveLength(2)
  })

  test('of Trail Boss itself is opened again after it was closed', () => {
    const told = { workspaceId: 'ranch', name: 'operator', title: 'x', participants: [EXECUTOR] }
    const ids = [1, 2].map(() => {
      const { id } = scene.bridge.ensureThread(told)
      scene.bridge.close(id)
      return id
    })
    expect(ids).toEqual(['th_ranch_operator', 'th_ranch_operator_2'])
  })

  test('is listed only for its participants', () => {
    const planner = scene.launch('ranch/planner').secret
    post(executor, 'one')
    expect(list(reviewer)).toMatchObject([{ id: thread, unread: 1, title: 'The parser' }])
    expect(list(planner)).toEqual([])
    expect(() => read(planner, { thread })).toThrow(coded('NOT_FOUND'))
    expect(() => post(planner, 'me too')).toThrow(coded('NOT_FOUND'))
    scene.bridge.close(thread)
    expect([list(reviewer), list(reviewer, true)]).toMatchObject([[], [{ id: thread }]])
  })
})

describe('a message', () => {
  test('is read once by the others, and moves their cursor', () => {
    const moved: unknown[] = []
    scene.bridge.onRead((agentId, threadId, cursor) => moved.push([agentId, threadId, cursor.seq]))
    const { message } = post(executor, 'Please review', { progress: 'commit 1f3e' })
    const at = scene.context.clock.now() - 1
    expect(read(executor).messages).toEqual([])
    expect(read(reviewer)).toMatchObject({ messages: [message], unread: 0 })
    expect(read(reviewer)).toEqual({ messages: [], unread: 0 })
    expect(moved).toEqual([[REVIEWER, thread, message.seq]])
    const cursor = scene.bridge.cursor(thread, REVIEWER)
    const prompted = { agentId: REVIEWER, threadId: thread, at }
    expect(cursor && cursorAck(cursor, prompted)).toMatchObject({ kind: 'cursor' })
  })

  test('is announced to each of its readers, with how much is unread', () => {
    const told: unknown[] = []
    scene.bridge.onUnread((...news) => told.push(news))
    post(executor, 'one')
    post(executor, 'two', { to: [REVIEWER] })
    scene.bridge.post({ thread, text: 'go on', by: 'ana' })
    expect(told).toEqual([
      [REVIEWER, thread, 1],
      [REVIEWER, thread, 2],
      [EXECUTOR, thread, 1],
      [REVIEWER, thread, 3],
    ])
  })

  test('is posted even if a listener throws', () => {
    scene.bridge.onUnread(() => {
      throw new Error('no runtime')
    })
    post(executor, 'one')
    expect(texts(read(reviewer))).toEqual(['one'])
  })

  test('is left for the next read beyond the limit, counted per thread', () => {
    const other = scene.bridge.openThread({
      workspace: 'ranch',
      title: 'Other',
      participants: [EXECUTOR, REVIEWER],
    }).id
    post(executor, 'a1')
    post(executor, 'b1', { thread: other })
    post(executor, 'a2')
    expect(read(reviewer, { limit: 2 })).toMatchObject({ unread: 1 })
    expect(scene.bridge.cursor(thread, REVIEWER)?.seq).toBe(1)
    expect(texts(read(reviewer))).toEqual(['a2'])
  })

  test('is left for the next read if it would make the answer too long', () => {
    for (const letter of ['a', 'b', 'c']) post(executor, letter.repeat(15_000))
    const lengths = [1, 2, 3, 4].map(() => read(reviewer).messages.length)
    expect(lengths).toEqual([1, 1, 1, 0])
  })

  test('can be shown again, which does not count as reading', () => {
    post(executor, 'one')
    const { message } = post(reviewer, 'two')
    post(executor, 'three')
    expect(texts(read(reviewer, { thread, after: 0 }))).toEqual(['one', 'two', 'three'])
    expect(texts(read(reviewer, { thread, after: message.seq }))).toEqual(['three'])
    expect(texts(read(reviewer))).toEqual(['one', 'three'])
  })

  test('is audited by its hash, and its refusal by its code', () => {
    post(executor, 'a secret plan')
    expect(() => post(executor, '\u001b[2J')).toThrow(coded('BAD_REQUEST'))
    expect(() => post(executor, 'x'.repeat(40_000))).toThrow(coded('TOO_LARGE'))
    expect(() => post(executor, 'x', { to: ['ranch/planner'] })).toThrow(coded('BAD_REQUEST'))
    expect(() => scene.bridge.post({ thread: 'th_none', text: 'x' })).toThrow(coded('NOT_FOUND'))
    const lines = scene.audit('message_posted', 'message_refused')
    expect(lines.map(({ kind, actor, result }) => [kind, actor, result])).toEqual([
      ['message_posted', EXECUTOR, 'ok'],
      ['message_refused', EXECUTOR, 'BAD_REQUEST'],
      ['message_refused', EXECUTOR, 'TOO_LARGE'],
      ['message_refused', EXECUTOR, 'BAD_REQUEST'],
      ['message_refused', 'operator:local', 'NOT_FOUND'],
    ])
    expect(lines[0]?.payload).toMatchObject({ bytes: 13 })
    expect(JSON.stringify(lines)).not.toContain('secret plan')
    expect(scene.bridge.messages(thread)).toHaveLength(1)
  })
})

describe('a thread that goes in circles', () => {
  const blockIt = () => {
    for (let n = 0; n < 3; n++) post(reviewer, `again ${n}`, { findings: ['It leaks.'] })
  }
  const listed = () => scene.herd.herd.queue().map(({ id, verdict }) => [id, verdict.ask.text])

  test('is blocked by the third report of a finding, and is in the queue', () => {
    const told: unknown[] = []
    scene.bridge.onUnread((...news) => told.push(news))
    blockIt()
    expect(scene.bridge.thread(thread)).toMatchObject({
      state: { kind: 'blocked' },
      sentence: 'The same finding 3 times: It leaks.',
    })
    expect(told).toHaveLength(2)
    expect(() => post(executor, 'but')).toThrow(coded('THREAD_BLOCKED'))
    const [[id, text] = []] = listed()
    expect(id).toBe(`thread-${thread}`)
    expect(scene.herd.herd.queue()[0]?.about).toEqual({ kind: 'thread', id: thread })
    expect(text).toContain('"The parser" is blocked: The same finding 3 times')
    expect(text).toContain(`${REVIEWER}: again 2`)
    expect(text).toContain(`trailboss thread unblock ${thread}`)
    expect(scene.audit('thread_blocked')).toMatchObject([
      { actor: 'trailboss', threadId: thread, result: 'THREAD_AUTO_BLOCKED' },
    ])
  })

  test('is blocked by exactly the twentieth turn without progress', () => {
    for (let n = 1; n < 20; n++) post(n % 2 ? executor : reviewer, `turn ${n}`)
    expect(scene.bridge.thread(thread).state.kind).toBe('open')
    expect(post(reviewer, 'turn 20').thread.state.kind).toBe('blocked')
  })

  test('continues when the operator unblocks it, and its readers are notified', () => {
    blockIt()
    scene.bridge.post({ thread, text: 'Leave it, it is on purpose.', by: 'ana' })
    const told: unknown[] = []
    scene.bridge.onUnread((...news) => told.push(news))
    expect(scene.bridge.unblock(thread, 'ana').state).toEqual({ kind: 'open' })
    expect(listed()).toEqual([])
    expect(told).toEqual([
      [EXECUTOR, thread, 4],
      [REVIEWER, thread, 1],
    ])
    post(executor, 'as you say')
    scene.bridge.unblock(thread, 'ana')
    expect(scene.audit('thread_unblocked')).toMatchObject([{ actor: 'operator:ana' }])
  })

  test('prompts nobody who has read everything when it continues', () => {
    blockIt()
    read(executor)
    const told: unknown[] = []
    scene.bridge.onUnread((...news) => told.push(news))
    scene.bridge.unblock(thread)
    expect(told).toEqual([])
  })

  test('ends when the operator closes it', () => {
    blockIt()
    scene.bridge.close(thread, 'ana')
    scene.bridge.close(thread, 'bob')
    expect(listed()).toEqual([])
    expect(() => post(executor, 'but')).toThrow(coded('THREAD_CLOSED'))
    expect(() => scene.bridge.unblock(thread)).toThrow(coded('THREAD_CLOSED'))
    expect(scene.audit('thread_closed')).toMatchObject([{ actor: 'operator:ana' }])
  })

  test('is in the queue even if the daemon ended before it could put it there', () => {
    const { escalations } = scene.context
    Object.assign(scene.context, { escalations: { ...escalations, raise: () => undefined } })
    blockIt()
    expect(listed()).toEqual([])
    Object.assign(scene.context, { escalations })
    scene.restart()
    scene.bridge.recover()
    expect(listed().map(([id]) => id)).toEqual([`thread-${thread}`])
  })
})

describe('a heartbeat', () => {
  test('renews the token, is stored, and returns what is unread', () => {
    const beats: unknown[] = []
    scene.bridge.onBeat((runtimeId, { status }) => beats.push([runtimeId, status]))
    post(executor, 'one')
    scene.pass(10 * 60_000)
    const { expiresAt, ...view } = beat(reviewer, { status: 'active' })
    expect(view).toEqual({
      status: 'active',
      beatEveryMs: 5 * 60_000,
      unread: [{ thread, count: 1 }],
    })
    scene.pass(10 * 60_000)
    expect(as(reviewer).agentId).toBe(REVIEWER)
    expect(() => as(executor)).toThrow(coded('UNAUTHORIZED'))
    expect(beats).toEqual([['rt_2', 'active']])
    expect(readHeartbeat(scene.context.db, 'rt_2')).toMatchObject({ status: 'active' })
    expect(expiresAt).toBeGreaterThan(Date.now())
  })

  test('without a status renews the token and says nothing about the agent', () => {
    const beats: unknown[] = []
    scene.bridge.onBeat((runtimeId, told) => beats.push([runtimeId, Object.keys(told)]))
    expect(beat(reviewer, {}).status).toBeNull()
    expect(beats).toEqual([['rt_2', ['at']]])
    expect(readHeartbeat(scene.context.db, 'rt_2')).toBeUndefined()
  })

  test('is not audited', () => {
    const before = scene.audit().length
    beat(reviewer, { status: 'idle' })
    expect(scene.audit()).toHaveLength(before)
  })
})

describe('the summary of a thread', () => {
  test('has its latest messages, and is bounded', () => {
    expect(scene.bridge.threadSummary(thread)).toContain('Nothing was said in it yet.')
    post(executor, 'Please\nreview', { progress: 'commit 1f3e' })
    post(reviewer, 'No', { findings: ['It leaks.'] })
    const short = scene.bridge.threadSummary(thread)
    expect(short).toContain('"The parser" (open)')
    expect(short).toContain(`${EXECUTOR}: Please review Progress: commit 1f3e`)
    expect(short).toContain(`${REVIEWER}: No Finding: It leaks.`)
    for (let n = 0; n < 40; n++) scene.bridge.post({ thread, text: `${n} ${'word '.repeat(200)}` })
    const long = scene.bridge.threadSummary(thread)
    expect(long.length).toBeLessThan(6_500)
    expect(long).toMatch(/The last \d+ of 42 messages:/)
    expect(long).toContain(': 39 word')
  })
})
