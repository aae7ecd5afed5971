import type { QueueItem } from '../../contract/responses.ts'
import type { Wait } from '../../core/notice/notice-plan.ts'
import { type NoticeItem, noticeAsk, noticeName, shortName } from '../../core/notice/notice-text.ts'
import type { SessionKey } from '../../core/session/event.ts'
import type { Item, QueuedSession } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import { labelOf } from '../../core/session/wait-label.ts'
import type { Herd } from '../herd/herd.ts'
import type { Views } from '../views/views.ts'

export type AgentOf = (session: Session) => string | undefined

/** An item of the queue, and what the plan needs to know of it. */
export type Waiting = { session: QueuedSession; wait: Wait }

export function waitingIn(herd: Herd, views: Pick<Views, 'project'>, agentOf: AgentOf): Waiting[] {
  return herd.queue().map((session) => {
    const since = waitedSince(session.item)
    const { readyAt } = session.item
    const of = { session: session.id, harness: session.harness, project: views.project(session) }
    const named = { ...of, agent: agentOf(session), label: labelOf(session.verdict) }
    return { session, wait: { ...named, id: waitId(session), since, readyAt } }
  })
}

/** A wait that the operator had put away, and that came back with a new ask, is another one. */
export function waitId({ key, item }: QueuedSession): string {
  return `${key}#${waitNumber(item)}`
}

/** Whether the wait with this id still goes on, in the queue or out of sight for now. */
export function isGoingOn(id: string, herd: Herd): boolean {
  const at = id.lastIndexOf('#')
  const item = herd.session(id.slice(0, at) as SessionKey)?.item
  return item !== undefined && waitNumber(item) === Number(id.slice(at + 1))
}

export function waitedSince({ woken, since }: Item): number {
  return woken?.at ?? since
}

function waitNumber({ woken, episode }: Item): number {
  return woken?.by ?? episode
}

/** The ask is the stored one: a question in our memory may be longer, and have secrets in it. */
export function noticeItemOf(
  session: QueuedSession,
  item: QueueItem,
  showAsk: boolean,
): NoticeItem {
  const { agent = null, branch = null, window = null } = item
  const text = session.verdict.ask?.text
  return {
    name: noticeName(item),
    session: shortName(session.id),
    episode: waitNumber(session.item),
    harness: shortName(item.program ?? session.harness),
    ...{ agent, project: item.project, branch, label: item.label, since: item.since },
    window,
    pane: item.pane?.id ?? null,
    ask: showAsk && text ? noticeAsk(text) : null,
  }
}
