import type {
  AgentThreadsView,
  BridgeCall,
  HeartbeatView,
  ReadView,
} from '../../contract/bridge-tools.ts'
import { advanced, newCursor, type ReadCursor } from '../../core/bridge/cursor.ts'
import type { BridgeMessage } from '../../core/bridge/message.ts'
import { requireParticipant } from '../../core/bridge/thread.ts'
import type { RuntimeToken } from '../../core/bridge/token.ts'
import { inTransaction } from '../../store/database/database.ts'
import {
  countUnread,
  countUnreadOf,
  lastSeqOf,
  listThreads,
  readCursor,
  readMessages,
  readThread,
  readUnread,
  saveCursor,
  saveHeartbeat,
} from '../../store/tables/bridge.ts'
import type { SupervisorContext } from '../context/context.ts'
import { messageView, threadView } from './bridge-views.ts'
import type { RuntimeTokens } from './tokens.ts'

/** What an agent sends. Only the token says which agent it is. */
type BodyOf<Name> = Extract<BridgeCall, { name: Name }>['body']

/** `moved` are the cursors that this read advanced. */
export function readFor(
  context: SupervisorContext,
  { agentId }: RuntimeToken,
  { thread: threadId, limit, after }: BodyOf<'read_messages'>,
): { view: ReadView; moved: ReadCursor[] } {
  const { db } = context
  if (threadId !== undefined) requireParticipant(readThread(db, threadId), agentId)
  return inTransaction(db, () => {
    const isAgain = threadId !== undefined && after !== undefined
    const messages = withinBounds(
      isAgain
        ? readMessages(db, threadId, { after, limit })
        : readUnread(db, agentId, { limit, ...(threadId !== undefined && { threadId }) }),
    )
    const moved = isAgain ? [] : cursorsAfter(context, agentId, messages)
    for (const cursor of moved) saveCursor(db, cursor)
    const view = {
      messages: messages.map((message) => messageView(context, message)),
      unread: countUnreadOf(db, agentId, threadId),
    }
    return { view, moved }
  })
}

export function threadsFor(
  context: SupervisorContext,
  { agentId }: RuntimeToken,
  { closed }: BodyOf<'list_threads'>,
): AgentThreadsView {
  const { db } = context
  const threads = listThreads(db, { agentId })
    .filter(({ participants }) => participants.includes(agentId))
    .filter(({ state }) => closed || state.kind !== 'closed')
    .slice(0, MOST_THREADS)
    .map((thread) => ({
      ...threadView(context, thread),
      unread: countUnreadOf(db, agentId, thread.id),
    }))
  return { threads }
}

/** A beat without a status renews the token, but does not come from the agent: it proves nothing. */
export function beatOf(
  context: SupervisorContext,
  tokens: Pick<RuntimeTokens, 'renew'>,
  token: RuntimeToken,
  { status }: BodyOf<'heartbeat_session'>,
): HeartbeatView {
  const { db, clock, settings } = context
  return inTransaction(db, () => {
    const { runtimeId, agentId } = token
    if (status) saveHeartbeat(db, { runtimeId, status, at: clock.now() })
    return {
      status: status ?? null,
      expiresAt: Math.round(clock.toWall(tokens.renew(token).expiresAt)),
      beatEveryMs: Math.max(1, Math.floor(settings.token.lifetimeMs / 3)),
      unread: countUnread(db, agentId).map(({ threadId, count }) => ({ thread: threadId, count })),
    }
  })
}

const MOST_THREADS = 200
/** A harness truncates long tool results, and what it cut would count as read. */
const MOST_READ_CHARS = 24_000

function withinBounds(messages: BridgeMessage[]): BridgeMessage[] {
  let used = 0
  const end = messages.findIndex(({ text, findings }, index) => {
    used += text.length + findings.join('').length
    return index > 0 && used > MOST_READ_CHARS
  })
  return end === -1 ? messages : messages.slice(0, end)
}

/** Advances each thread to its last message: messages come in order, so none before it is left out. */
function cursorsAfter(
  { db, clock }: SupervisorContext,
  agentId: string,
  messages: readonly BridgeMessage[],
): ReadCursor[] {
  const last = new Map(messages.map(({ threadId, seq }) => [threadId, seq]))
  const now = clock.now()
  return [...last].map(([threadId, seq]) => {
    const cursor = readCursor(db, threadId, agentId) ?? newCursor(threadId, agentId, now)
    return advanced(cursor, seq, lastSeqOf(db, threadId), now)
  })
}
