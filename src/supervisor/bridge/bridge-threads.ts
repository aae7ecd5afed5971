import type { ThreadBody } from '../../contract/supervisor-requests.ts'
import {
  closed,
  joined,
  newThread,
  type Thread,
  unblocked,
  unblockedByOrchestrator,
} from '../../core/bridge/thread.ts'
import type { RuntimeToken } from '../../core/bridge/token.ts'
import { TrailBossError } from '../../core/errors.ts'
import { displayLine, truncate } from '../../core/text.ts'
import { newId } from '../../service/new-id.ts'
import { inTransaction } from '../../store/database/database.ts'
import { readThread, saveThread } from '../../store/tables/bridge.ts'
import { agentIn } from '../context/agent-names.ts'
import { audit, OURSELVES, operatorNamed, type SupervisorContext } from '../context/context.ts'
import type { Registry } from '../runtimes/registry.ts'
import { escalationOf, noSuchThread } from './bridge-posts.ts'

type Agents = Pick<Registry, 'ofAgent'>

/** The operator's decisions about threads. The audit records each together with what it changes. */
export function openThread(context: SupervisorContext, agents: Agents, told: ThreadBody): Thread {
  const { workspace: workspaceId, title } = told
  context.workspaces.require(workspaceId)
  const participants = told.participants.map((name) =>
    requireAgent(context, agents, workspaceId, name),
  )
  const thread = { id: newId('th'), workspaceId, title, participants }
  return opened(context, thread, operatorNamed(told.by))
}

/** A thread of Trail Boss's own, found by its name. */
export type OwnThread = {
  workspaceId: string
  /** The same each time; the thread's id is derived from it. */
  name: string
  title: string
  participants: readonly string[]
}

/** Opens it the first time, and again after it was closed. Missing participants join it. */
export function ensureThread(context: SupervisorContext, told: OwnThread, again = 1): Thread {
  const { db, clock } = context
  const { workspaceId, name, title, participants } = told
  const id = `th_${workspaceId}_${name}${again === 1 ? '' : `_${again}`}`
  const known = readThread(db, id)
  if (!known) return opened(context, { id, workspaceId, title, participants }, OURSELVES)
  if (known.state.kind === 'closed') return ensureThread(context, told, again + 1)
  const thread = participants.reduce((all, one) => joined(all, one, clock.now()), known)
  if (thread !== known) inTransaction(db, () => saveThread(db, thread))
  return thread
}

/** Who decides about a thread. */
export type Decider =
  | { kind: 'operator'; name: string | undefined }
  | { kind: 'orchestrator'; agentId: string }

export function unblockThread(context: SupervisorContext, threadId: string, by: Decider): Thread {
  return decided(context, threadId, {
    kind: 'thread_unblocked',
    by,
    change: by.kind === 'operator' ? unblocked : unblockedByOrchestrator,
    how: 'unblocked',
  })
}

export function closeThread(context: SupervisorContext, threadId: string, by: Decider): Thread {
  return decided(context, threadId, {
    kind: 'thread_closed',
    by,
    change: (thread, now) => closed(thread, actorOf(by), now),
    how: 'closed',
  })
}

/** The orchestrator of a workspace, by its token, if the operator lets it decide about threads. */
export function requireOrchestrator(
  context: SupervisorContext,
  { agentId, workspaceId }: RuntimeToken,
  threadId: string,
): Decider {
  const { workspaces, db } = context
  if (readThread(db, threadId)?.workspaceId !== workspaceId) {
    throw new TrailBossError('NOT_FOUND', 'There is no such thread in your workspace.')
  }
  if (workspaces.orchestratorOf(workspaceId) !== agentId) {
    throw new TrailBossError('UNAUTHORIZED', 'Only the orchestrator may decide about threads.', {
      hint: 'Stop here and wait.',
    })
  }
  if (!workspaces.require(workspaceId).orchestratorDecides) {
    throw new TrailBossError(
      'UNAUTHORIZED',
      'In this workspace, only the operator decides about threads.',
      { hint: "It is in the operator's queue. Stop here and wait." },
    )
  }
  return { kind: 'orchestrator', agentId }
}

function actorOf(by: Decider): string {
  return by.kind === 'operator' ? operatorNamed(by.name) : by.agentId
}

export function requireThread({ db }: Pick<SupervisorContext, 'db'>, threadId: string): Thread {
  return readThread(db, threadId) ?? noSuchThread(threadId)
}

type Decision = {
  kind: 'thread_unblocked' | 'thread_closed'
  by: Decider
  change(thread: Thread, now: number): Thread
  how: string
}

/** What changes nothing is not recorded. */
function decided(
  context: SupervisorContext,
  threadId: string,
  { kind, by, change, how }: Decision,
): Thread {
  const { db, clock, escalations } = context
  const after = inTransaction(db, () => {
    const thread = requireThread(context, threadId)
    const changed = change(thread, clock.now())
    if (changed === thread) return thread
    saveThread(db, changed)
    audit(context, { kind, actor: actorOf(by), threadId, result: 'ok' })
    return changed
  })
  const whose = by.kind === 'operator' ? 'operator' : 'itself'
  escalations.end(escalationOf(threadId), `The thread was ${how}.`, whose)
  return after
}

function opened(
  context: SupervisorContext,
  told: Parameters<typeof newThread>[0],
  actor: string,
): Thread {
  const { db, clock } = context
  return inTransaction(db, () => {
    const thread = newThread(told, clock.now())
    saveThread(db, thread)
    const detail = `${thread.title}: ${thread.participants.join(', ')}`
    audit(context, { kind: 'thread_opened', actor, threadId: thread.id, result: 'ok', detail })
    return thread
  })
}

/** An agent that the configuration names, or that was dispatched: any other would never read anything. */
function requireAgent(
  { workspaces }: SupervisorContext,
  agents: Agents,
  workspaceId: string,
  name: string,
): string {
  const agentId = agentIn(workspaceId, name)
  const isHere = agentId.startsWith(`${workspaceId}/`)
  if (isHere && (workspaces.agents().includes(agentId) || agents.ofAgent(agentId))) return agentId
  const here = workspaces.agents().filter((one) => one.startsWith(`${workspaceId}/`))
  throw new TrailBossError(
    'NOT_FOUND',
    `There is no agent "${truncate(displayLine(name), 80)}" in workspace ${workspaceId}.`,
    { hint: here.length > 0 ? `There are: ${here.join(', ')}.` : 'It has no roles yet.' },
  )
}
