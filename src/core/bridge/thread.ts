import { TrailBossError } from '../errors.ts'
import { redacted } from '../redact/redaction.ts'
import { displayLine, truncate } from '../text.ts'
import { type Author, authorName, isFor, type MessageDraft, turnOf } from './message.ts'
import {
  type Circle,
  circleText,
  noSafeguardYet,
  type Safeguard,
  type SafeguardRules,
  safeguardStep,
} from './safeguard.ts'

/** A conversation of agents about one thing. Only participants may post or read. */
export type Thread = {
  id: string
  workspaceId: string
  title: string
  participants: string[]
  state: ThreadState
  safeguard: Safeguard
  /**
   * The orchestrator has unblocked it, and no agent has made progress since: only the operator can lift the next
   * block.
   */
  isOrchestratorsTurnUsed?: boolean
  createdAt: number
  updatedAt: number
}

/** A blocked thread accepts no posts of agents until somebody decides. A closed one stays closed. */
export type ThreadState =
  | { kind: 'open' }
  | { kind: 'blocked'; at: number; circle: Circle }
  | { kind: 'closed'; at: number; by: string }

export function newThread(
  thread: { id: string; workspaceId: string; title: string; participants: readonly string[] },
  now: number,
): Thread {
  return {
    id: thread.id,
    workspaceId: thread.workspaceId,
    title: truncate(redacted(displayLine(thread.title)), LONGEST_TITLE) || thread.id,
    participants: [...new Set(thread.participants)],
    state: { kind: 'open' },
    safeguard: noSafeguardYet,
    createdAt: now,
    updatedAt: now,
  }
}

/**
 * The thread after this post. Its `state` shows whether this post blocked it; the post counts all the same. Throws
 * if the author may not post.
 */
export function afterPost(
  thread: Thread,
  author: Author,
  draft: MessageDraft,
  now: number,
  rules?: SafeguardRules,
): Thread {
  requirePostable(thread, author)
  requireRecipients(thread, draft.to)
  const { safeguard, circle } = safeguardStep(thread.safeguard, turnOf({ author, ...draft }), rules)
  const state: ThreadState = circle ? { kind: 'blocked', at: now, circle } : thread.state
  const { isOrchestratorsTurnUsed, ...rest } = thread
  const isStillUsed = isOrchestratorsTurnUsed && safeguard.turnsWithoutProgress > 0
  const used = isStillUsed ? { isOrchestratorsTurnUsed } : {}
  return { ...rest, ...used, state, safeguard, updatedAt: now }
}

/** The operator's decision to continue: all counts start again. An open thread stays as it is. */
export function unblocked(thread: Thread, now: number): Thread {
  requireNotClosed(thread)
  if (thread.state.kind === 'open') return thread
  const { isOrchestratorsTurnUsed: _, ...rest } = thread
  return { ...rest, state: { kind: 'open' }, safeguard: noSafeguardYet, updatedAt: now }
}

/**
 * The orchestrator's decision to continue, allowed once per block: until somebody reports new progress, the next
 * block is the operator's to lift. That is why reported progress is remembered.
 */
export function unblockedByOrchestrator(thread: Thread, now: number): Thread {
  requireNotClosed(thread)
  if (thread.state.kind === 'open') return thread
  if (thread.isOrchestratorsTurnUsed) {
    throw new TrailBossError(
      'THREAD_BLOCKED',
      `Thread ${thread.id} was unblocked by the orchestrator before, and nobody has made progress since.`,
      { hint: 'Leave it to the operator, in whose queue it is; or close it.' },
    )
  }
  const { progress } = thread.safeguard
  const safeguard = { ...noSafeguardYet, progress }
  return {
    ...thread,
    ...{ isOrchestratorsTurnUsed: true, state: { kind: 'open' }, safeguard, updatedAt: now },
  }
}

/** Closing it again changes nothing, so that it keeps who closed it first. */
export function closed(thread: Thread, by: string, now: number): Thread {
  if (thread.state.kind === 'closed') return thread
  return { ...thread, state: { kind: 'closed', at: now, by }, updatedAt: now }
}

export function joined(thread: Thread, agentId: string, now: number): Thread {
  requireNotClosed(thread)
  if (thread.participants.includes(agentId)) return thread
  return { ...thread, participants: [...thread.participants, agentId], updatedAt: now }
}

/** A thread does not exist for those who are not in it. */
export function requireParticipant(thread: Thread | undefined, agentId: string): Thread {
  if (thread?.participants.includes(agentId)) return thread
  throw new TrailBossError('NOT_FOUND', 'There is no such thread for this agent.', {
    hint: 'list_threads names the threads that it takes part in.',
  })
}

/**
 * The agents that have something to read after a post: not its author, and nobody in a thread that accepts no more
 * posts.
 */
export function readersOf(thread: Thread, author: Author, draft: MessageDraft): string[] {
  if (thread.state.kind !== 'open') return []
  return thread.participants.filter((agentId) => isFor({ author, to: draft.to }, agentId))
}

const LONGEST_TITLE = 200

function requirePostable(thread: Thread, author: Author): void {
  if (author.kind === 'agent') requireParticipant(thread, author.agentId)
  requireNotClosed(thread)
  if (author.kind !== 'agent' || thread.state.kind !== 'blocked') return
  throw new TrailBossError(
    'THREAD_BLOCKED',
    `Thread ${thread.id} is blocked: ${circleText(thread.state.circle)} Nothing that ${authorName(author)} says is taken until the orchestrator or the operator decides.`,
    { hint: 'Stop here and wait. The orchestrator or the operator unblocks or closes it.' },
  )
}

function requireNotClosed(thread: Thread): void {
  if (thread.state.kind !== 'closed') return
  throw new TrailBossError('THREAD_CLOSED', `Thread ${thread.id} is closed.`, {
    hint: 'Open another thread if there is more to say.',
  })
}

function requireRecipients(thread: Thread, to: readonly string[]): void {
  const strangers = to.filter((agentId) => !thread.participants.includes(agentId))
  if (strangers.length === 0) return
  throw new TrailBossError(
    'BAD_REQUEST',
    `Not in thread ${thread.id}: ${truncate(displayLine(strangers.join(', ')), LONGEST_TITLE)}.`,
    { hint: `It has ${thread.participants.join(', ')}.` },
  )
}
