import {
  type Author,
  authorName,
  type BridgeMessage,
  checkedDraft,
  type MessageDraft,
} from '../../core/bridge/message.ts'
import { circleText } from '../../core/bridge/safeguard.ts'
import { afterPost, readersOf, requireParticipant, type Thread } from '../../core/bridge/thread.ts'
import { TrailBossError } from '../../core/errors.ts'
import type { OwnSubject } from '../../core/session/subject.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { newId } from '../../service/new-id.ts'
import { inTransaction } from '../../store/database/database.ts'
import {
  insertMessage,
  listThreads,
  readLastMessages,
  readThread,
  saveThread,
} from '../../store/tables/bridge.ts'
import { agentIn } from '../context/agent-names.ts'
import { audit, OURSELVES, operatorNamed, type SupervisorContext } from '../context/context.ts'

export type Post = {
  threadId: string
  author: Author
  draft: Parameters<typeof checkedDraft>[0]
}

/** The result of a post, which may block its thread. `readers` now have something to read. */
export type Posted = { message: BridgeMessage; thread: Thread; readers: string[] }

/** Posts, and updates the audit and the queue. Throws if the post is refused. */
export function postInto(context: SupervisorContext, post: Post): Posted {
  try {
    const posted = inTransaction(context.db, () => stored(context, post))
    if (posted.thread.state.kind === 'blocked') escalateBlocked(context, posted.thread)
    return posted
  } catch (error) {
    if (error instanceof TrailBossError) auditRefusal(context, post, error)
    throw error
  }
}

/** Raising it again only changes its text. */
function escalateBlocked(context: SupervisorContext, thread: Thread): void {
  if (thread.state.kind !== 'blocked') return
  const { db, workspaces, escalations } = context
  const cwd = workspaces.ids().includes(thread.workspaceId)
    ? workspaces.require(thread.workspaceId).directories[0]
    : undefined
  const words = readLastMessages(db, thread.id, LAST_WORDS).map(
    ({ author, text }) => `${authorName(author)}: ${truncate(displayLine(text), WORDS_CHARS)}`,
  )
  const text = [
    `Thread "${thread.title}" is blocked: ${circleText(thread.state.circle)}`,
    ...words,
    `Let them go on: trailboss thread unblock ${thread.id}`,
    `End it: trailboss thread close ${thread.id}`,
  ].join('\n')
  escalations.raise({ about: escalationOf(thread.id), text, label: 'stalled', cwd })
}

/** Catches up if the daemon ended between a post and its item in the queue. */
export function escalateAllBlocked(context: SupervisorContext): void {
  for (const thread of listThreads(context.db, { state: 'blocked' })) {
    escalateBlocked(context, thread)
  }
}

export function escalationOf(threadId: string): OwnSubject {
  return { kind: 'thread', id: threadId }
}

function actorOf(author: Author): string {
  switch (author.kind) {
    case 'agent':
      return author.agentId
    case 'operator':
      return operatorNamed(author.name)
    case 'system':
      return OURSELVES
    default:
      return author satisfies never
  }
}

const LAST_WORDS = 3
const WORDS_CHARS = 300

function stored(context: SupervisorContext, { threadId, author, draft }: Post): Posted {
  const { db, clock, settings } = context
  const now = clock.now()
  const thread = threadFor(readThread(db, threadId), threadId, author)
  const to = draft.to?.map((name) => agentIn(thread.workspaceId, name))
  const checked = checkedDraft({ ...draft, to })
  const after = afterPost(thread, author, checked, now, settings.safeguard)
  const message = insertMessage(db, { ...checked, id: newId('msg'), threadId, author, at: now })
  saveThread(db, after)
  audit(context, {
    ...aboutPost(threadId, author),
    kind: 'message_posted',
    result: 'ok',
    detail: message.id,
    payload: payloadOf(checked),
  })
  if (after.state.kind === 'blocked' && thread.state.kind !== 'blocked') {
    audit(context, {
      kind: 'thread_blocked',
      actor: OURSELVES,
      threadId,
      result: 'THREAD_AUTO_BLOCKED',
      detail: circleText(after.state.circle),
    })
  }
  return { message, thread: after, readers: readersOf(after, author, checked) }
}

/** An agent learns nothing about threads that it is not in; the operator learns what is missing. */
function threadFor(thread: Thread | undefined, threadId: string, author: Author): Thread {
  if (author.kind === 'agent') return requireParticipant(thread, author.agentId)
  return thread ?? noSuchThread(threadId)
}

export function noSuchThread(threadId: string): never {
  throw new TrailBossError('NOT_FOUND', `There is no thread "${shown(threadId)}".`, {
    hint: 'trailboss thread list shows all of them.',
  })
}

function auditRefusal(
  context: SupervisorContext,
  { threadId, author, draft }: Post,
  error: TrailBossError,
): void {
  audit(context, {
    ...aboutPost(shown(threadId), author),
    kind: 'message_refused',
    result: error.code,
    detail: truncate(displayLine(error.message), 300),
    payload: draft.text,
  })
}

function aboutPost(
  threadId: string,
  author: Author,
): { threadId: string; actor: string; agentId?: string } {
  return {
    threadId,
    actor: actorOf(author),
    ...(author.kind === 'agent' && { agentId: author.agentId }),
  }
}

function payloadOf({ text, findings, progress }: MessageDraft): string {
  return [text, ...findings, ...(progress === undefined ? [] : [progress])].join('\n')
}

function shown(threadId: string): string {
  return truncate(displayLine(threadId), 80)
}
