import { TrailBossError } from '../../core/errors.ts'
import { isCalled } from '../../core/identity/item-called.ts'
import { itemNames, type Nameable } from '../../core/identity/item-names.ts'
import { isQueued, queueOf } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import type { Verdict } from '../../core/session/verdict.ts'
import { displayLine } from '../../core/text.ts'
import type { Herd } from '../herd/herd.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'
import type { MonitorViews } from './views.ts'

type Known = {
  herd: Herd
  inventory: PaneInventory
  monitor: Pick<MonitorViews, 'viewIn'>
  agentOf(session: Session): string | undefined
  nameable(session: Session): Nameable
}

export type Lookup = {
  /** The tmux server whose pane is meant if several have one of that name. */
  socket?: string | undefined
  /** Those that are meant if any of them is called that: what is taken back was dismissed. */
  rather?: readonly Session[] | undefined
}

/** The session that an operator means: by the pane that it is in or was last in, or in the first of the ways below. */
export function findSession(known: Known, target: string, lookup: Lookup = {}): Session {
  const sessions = [...known.herd.sessions()]
  if (/^%\d+$/.test(target)) return sessionInPane(sessions, known, target, lookup.socket)
  const rather = lookup.rather ?? []
  const found = firstFound([
    () => sessions.filter((one) => !isOver(one) && one.key === target),
    () => sessions.filter((one) => !isOver(one) && isExactly(one, target)),
    ...waysToMean(rather, target, known),
    ...waysToMean(sessions, target, known),
  ])
  const [only] = found
  if (only && found.length === 1) return only
  if (only) {
    const names = itemNames(found.map(known.nameable))
    const each = found.map(({ key }, index) => `${names[index]} (${key})`)
    const some = `${each.slice(0, 5).join(', ')}${each.length > 5 ? ', …' : ''}`
    const message = `"${target}" may be any of ${found.length} sessions: ${some}.`
    throw new TrailBossError('AMBIGUOUS', message, { hint: 'Give more of its name, or its id.' })
  }
  const more = `Give at least ${FEWEST_LETTERS} letters of a session's id. ${SEE_ALL}`
  const hint = target.length < FEWEST_LETTERS ? more : SEE_ALL
  throw notFound(`No session or pane "${target}" is known.`, hint)
}

/** The queue first, head first; then what works, what is unknown and what ended, the newest first. */
export function sessionsInOrder(herd: Herd, options: { ended: boolean }): Session[] {
  const queue: Session[] = queueOf(herd.sessions(), herd.clock.now())
  const queued = new Set(queue)
  const others = [...herd.sessions()]
    .filter((session) => !queued.has(session))
    .filter(({ verdict }) => options.ended || verdict.state !== 'ended')
    .toSorted(
      (a, b) =>
        STATE_ORDER.indexOf(a.verdict.state) - STATE_ORDER.indexOf(b.verdict.state) ||
        b.verdict.since - a.verdict.since,
    )
  return [...queue, ...others]
}

/** Fewer letters would soon match another session. */
const FEWEST_LETTERS = 4
const SEE_ALL = 'See all of them with: trailboss sessions'
const STATE_ORDER: Verdict['state'][] = ['stuck', 'working', 'unknown', 'ended']

/** What a list shows goes before the beginning of an id, and what lives before what has ended. */
function waysToMean(
  sessions: readonly Session[],
  target: string,
  { agentOf, nameable }: Known,
): (() => Session[])[] {
  const begins = ({ id }: Session) => target.length >= FEWEST_LETTERS && id.startsWith(target)
  const called = (one: Session) => isCalled(target, nameable(one))
  const live = sessions.filter((one) => !isOver(one))
  return [
    () => live.filter((one) => !one.about && isAgent(agentOf(one), target)),
    () => live.filter((one) => isQueued(one) && called(one)),
    () => sessions.filter((one) => isExactly(one, target)),
    () => live.filter(begins),
    () => live.filter(called),
    () => sessions.filter(begins),
  ]
}

function firstFound(ways: readonly (() => Session[])[]): Session[] {
  for (const way of ways) {
    const found = way()
    if (found.length > 0) return found
  }
  return []
}

function isExactly({ id, key, about }: Session, target: string): boolean {
  return [id, key, about?.id].includes(target)
}

function isAgent(agent: string | undefined, target: string): boolean {
  return agent !== undefined && (agent === target || agent.endsWith(`/${target}`))
}

function sessionInPane(
  sessions: Session[],
  { inventory, monitor }: Known,
  id: string,
  socket: string | undefined,
): Session {
  const there = sessions
    .filter(({ pane }) => pane?.id === id)
    .toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.paneAt - a.paneAt)
  const onServer = there.filter(({ pane }) => pane?.socket === socket)
  const [found] = onServer.length > 0 ? onServer : there
  if (found) {
    const running = there.filter((session) => !isOver(session))
    const servers = new Set(running.map(({ pane }) => pane?.socket))
    if (onServer.length > 0 || servers.size < 2) return found
    const hint = 'Name the session instead: trailboss sessions'
    throw notFound(`There is a pane ${id} on ${servers.size} tmux servers.`, hint)
  }
  const isListed = inventory
    .sockets()
    .some((server) => inventory.sighting({ socket: server, id }) === 'present')
  if (!isListed) throw notFound(`No pane ${id} is on any tmux server that is known.`, SEE_ALL)
  const seen = monitor.viewIn(id)
  if (seen) {
    const what = `Pane ${id} is watched: ${displayLine(seen.program)} runs there, and does not ask anything`
    const hint = `See what the monitor sees: trailboss watch ${id}`
    throw notFound(`${what} that a screen rule knows.`, hint)
  }
  const hint = 'If an agent runs there, see why it is not known: trailboss doctor'
  throw notFound(`Pane ${id} is there, but no session is known in it.`, hint)
}

function notFound(message: string, hint: string): TrailBossError {
  return new TrailBossError('NOT_FOUND', message, { hint })
}

function isOver({ verdict }: Session): boolean {
  return verdict.state === 'ended'
}
