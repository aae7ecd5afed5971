import type { MessageView, ThreadView } from '../../contract/supervisor.ts'
import { authorName, type BridgeMessage } from '../../core/bridge/message.ts'
import { circleText } from '../../core/bridge/safeguard.ts'
import type { Thread, ThreadState } from '../../core/bridge/thread.ts'
import { displayLine, truncate } from '../../core/text.ts'
import {
  countMessages,
  countUnreadOf,
  lastSeqOf,
  readCursor,
  readLastMessages,
} from '../../store/tables/bridge.ts'
import type { SupervisorContext } from '../context/context.ts'

type ViewContext = Pick<SupervisorContext, 'db' | 'clock'>

export function threadView({ db, clock }: ViewContext, thread: Thread): ThreadView {
  const wall = (at: number) => Math.round(clock.toWall(at))
  const state: ThreadState =
    thread.state.kind === 'open' ? thread.state : { ...thread.state, at: wall(thread.state.at) }
  return {
    id: thread.id,
    workspace: thread.workspaceId,
    title: thread.title,
    participants: thread.participants,
    state,
    sentence: state.kind === 'blocked' ? circleText(state.circle) : null,
    turnsWithoutProgress: thread.safeguard.turnsWithoutProgress,
    createdAt: wall(thread.createdAt),
    updatedAt: wall(thread.updatedAt),
    cursors: thread.participants.map((agent) => ({
      agent,
      seq: readCursor(db, thread.id, agent)?.seq ?? 0,
      unread: countUnreadOf(db, agent, thread.id),
    })),
    lastSeq: lastSeqOf(db, thread.id),
  }
}

export function messageView({ clock }: ViewContext, message: BridgeMessage): MessageView {
  const { id, seq, author, to, text, findings } = message
  return {
    id,
    seq,
    thread: message.threadId,
    author,
    to,
    text,
    findings,
    progress: message.progress ?? null,
    at: Math.round(clock.toWall(message.at)),
  }
}

/** What a new session reads of a thread: its latest messages, within a bound. */
export function threadSummary(
  { db, clock }: ViewContext,
  thread: Thread,
  mostChars = SUMMARY_CHARS,
): string {
  const messages = readLastMessages(db, thread.id, SUMMARY_MESSAGES)
  const lines = messages.map((message) => {
    const at = new Date(clock.toWall(message.at)).toISOString().slice(0, 16).replace('T', ' ')
    const progress = message.progress ? ` Progress: ${message.progress}` : ''
    const findings = message.findings.map((finding) => ` Finding: ${finding}`).join('')
    const said = `${displayLine(message.text)}${progress}${findings}`
    return `${at} ${authorName(message.author)}: ${truncate(said, SUMMARY_LINE_CHARS)}`
  })
  const kept: string[] = []
  let used = 0
  for (const line of lines.toReversed()) {
    used += line.length + 1
    if (kept.length > 0 && used > mostChars) break
    kept.unshift(truncate(line, mostChars))
  }
  const total = countMessages(db, thread.id)
  const who = thread.participants.join(', ')
  const head = `Thread ${thread.id} "${thread.title}" (${thread.state.kind}), with ${who}.`
  if (kept.length === 0) return `${head} Nothing was said in it yet.`
  const which =
    kept.length < total ? `The last ${kept.length} of ${total} messages` : 'What was said'
  return `${head} ${which}:\n${kept.join('\n')}`
}

const SUMMARY_MESSAGES = 30
const SUMMARY_LINE_CHARS = 600
const SUMMARY_CHARS = 6_000
