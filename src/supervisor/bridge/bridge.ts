import type { BridgeCall, PostView } from '../../contract/bridge-tools.ts'
import type { MessageView, ThreadView, TriggerView } from '../../contract/supervisor.ts'
import type { OperatorMessageBody, ThreadBody } from '../../contract/supervisor-requests.ts'
import type { ReadCursor } from '../../core/bridge/cursor.ts'
import type { HeartbeatStatus } from '../../core/bridge/heartbeat.ts'
import type { Thread } from '../../core/bridge/thread.ts'
import type { RuntimeToken } from '../../core/bridge/token.ts'
import { messageOf } from '../../core/errors.ts'
import {
  countUnread,
  countUnreadOf,
  listThreads,
  readCursor,
  readLastMessages,
  readMessages,
  readThread,
  type Unread,
} from '../../store/tables/bridge.ts'
import type { SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import { beatOf, readFor, threadsFor } from './bridge-agents.ts'
import { escalateAllBlocked, type Post, type Posted, postInto } from './bridge-posts.ts'
import {
  closeThread,
  type Decider,
  ensureThread,
  type OwnThread,
  openThread,
  requireOrchestrator,
  requireThread,
  unblockThread,
} from './bridge-threads.ts'
import { messageView, threadSummary, threadView } from './bridge-views.ts'
import type { RuntimeTokens } from './tokens.ts'

/** A sign of life. Without a status it comes from the bridge itself and says nothing about the agent: no ack. */
type Beat = { at: number; status?: HeartbeatStatus }

/** What an agent asks another to do. */
export type AgentTrigger = Extract<BridgeCall, { name: 'trigger_agent' }>['body']

type UnreadListener = (agentId: string, threadId: string, count: number) => void
type ReadListener = (agentId: string, threadId: string, cursor: ReadCursor) => void
type BeatListener = (runtimeId: string, beat: Beat) => void

/** Where agents talk to each other, and the operator to them. */
export type Bridge = {
  openThread(told: ThreadBody): ThreadView
  unblock(threadId: string, by?: string): ThreadView
  close(threadId: string, by?: string): ThreadView
  post(told: OperatorMessageBody): PostView
  /** Posts as Trail Boss itself; an empty `to` means everybody in the thread. */
  postSystem(threadId: string, text: string, to?: readonly string[]): PostView
  /** A thread of Trail Boss's own: opened the first time, found after that. */
  ensureThread(told: OwnThread): Thread
  threads(filter?: { workspaceId?: string; state?: Thread['state']['kind'] }): ThreadView[]
  thread(threadId: string): ThreadView
  find(threadId: string): Thread | undefined
  /** Oldest first: those after `after`, or the `last` ones. */
  messages(
    threadId: string,
    page?: { after?: number; limit?: number } | { last: number },
  ): MessageView[]
  /** The last messages as a bounded text, for a session that starts over. */
  threadSummary(threadId: string, mostChars?: number): string
  unread(agentId: string): Unread[]
  cursor(threadId: string, agentId: string): ReadCursor | undefined

  /** Whose secret this is. Throws `UNAUTHORIZED`. */
  identify(secret: string): RuntimeToken
  /** Runs one of the agent's tools. */
  use(token: RuntimeToken, call: BridgeCall): unknown

  /** After a post or an unblock, for each agent that now has something to read. */
  onUnread(listener: UnreadListener): void
  onRead(listener: ReadListener): void
  onBeat(listener: BeatListener): void
  /** At the start: puts every blocked thread back into the queue. */
  recover(): void
}

export function createBridge(
  context: SupervisorContext,
  tokens: Pick<RuntimeTokens, 'authenticate' | 'renew'>,
  registry: Pick<Registry, 'ofAgent'>,
  trigger: (token: RuntimeToken, asked: AgentTrigger) => TriggerView,
): Bridge {
  const { db, clock } = context
  const unreadListeners = new Set<UnreadListener>()
  const readListeners = new Set<ReadListener>()
  const beatListeners = new Set<BeatListener>()

  /** The change is already on disk: a listener that throws must not undo it. */
  const tell = <Told extends unknown[]>(listeners: Set<(...told: Told) => void>, ...told: Told) => {
    for (const listener of listeners) {
      try {
        listener(...told)
      } catch (error) {
        context.log.error({ reason: messageOf(error) }, 'bridge listener failed')
      }
    }
  }
  const tellUnread = (agentId: string, threadId: string) => {
    const count = countUnreadOf(db, agentId, threadId)
    if (count > 0) tell(unreadListeners, agentId, threadId, count)
  }
  const unblock = (threadId: string, by: Decider): ThreadView => {
    const thread = unblockThread(context, threadId, by)
    // Nobody was prompted about what was posted while it was blocked.
    for (const agentId of thread.participants) tellUnread(agentId, threadId)
    return threadView(context, thread)
  }
  const close = (threadId: string, by: Decider): ThreadView =>
    threadView(context, closeThread(context, threadId, by))
  const posted = (post: Post): PostView => {
    const { message, thread, readers }: Posted = postInto(context, post)
    for (const agentId of readers) tellUnread(agentId, thread.id)
    return { message: messageView(context, message), thread: threadView(context, thread) }
  }

  return {
    openThread: (told) => threadView(context, openThread(context, registry, told)),
    unblock: (threadId, name) => unblock(threadId, { kind: 'operator', name }),
    close: (threadId, name) => close(threadId, { kind: 'operator', name }),
    post: ({ thread, by, ...draft }) =>
      posted({ threadId: thread, author: { kind: 'operator', name: by ?? 'local' }, draft }),
    postSystem: (threadId, text, to) =>
      posted({ threadId, author: { kind: 'system' }, draft: { text, to } }),
    ensureThread: (told) => ensureThread(context, told),
    threads: (filter) => listThreads(db, filter).map((thread) => threadView(context, thread)),
    thread: (threadId) => threadView(context, requireThread(context, threadId)),
    find: (threadId) => readThread(db, threadId),
    messages(threadId, page = {}) {
      requireThread(context, threadId)
      const messages =
        'last' in page
          ? readLastMessages(db, threadId, page.last)
          : readMessages(db, threadId, page)
      return messages.map((message) => messageView(context, message))
    },
    threadSummary: (threadId, mostChars) =>
      threadSummary(context, requireThread(context, threadId), mostChars),
    unread: (agentId) => countUnread(db, agentId),
    cursor: (threadId, agentId) => readCursor(db, threadId, agentId),

    identify: (secret) =>
      tokens.authenticate(secret, (agentId) => registry.ofAgent(agentId)?.runtimeId),
    use(token, call) {
      const { agentId, runtimeId } = token
      switch (call.name) {
        case 'read_messages': {
          const { view, moved } = readFor(context, token, call.body)
          for (const cursor of moved) tell(readListeners, agentId, cursor.threadId, cursor)
          return view
        }
        case 'post_message': {
          const { thread, ...draft } = call.body
          return posted({ threadId: thread, author: { kind: 'agent', agentId }, draft })
        }
        case 'heartbeat_session': {
          const view = beatOf(context, tokens, token, call.body)
          const { status } = call.body
          tell(beatListeners, runtimeId, { at: clock.now(), ...(status && { status }) })
          return view
        }
        case 'list_threads':
          return threadsFor(context, token, call.body)
        case 'trigger_agent':
          return trigger(token, call.body)
        case 'unblock_thread':
        case 'close_thread': {
          const { thread } = call.body
          const by = requireOrchestrator(context, token, thread)
          return call.name === 'unblock_thread' ? unblock(thread, by) : close(thread, by)
        }
        default:
          return call satisfies never
      }
    },

    onUnread: (listener) => void unreadListeners.add(listener),
    onRead: (listener) => void readListeners.add(listener),
    onBeat: (listener) => void beatListeners.add(listener),
    recover: () => escalateAllBlocked(context),
  }
}
