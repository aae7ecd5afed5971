import type {
  ExplainView,
  MonitoredPane,
  QueueItem,
  QueueView,
  SessionView,
} from '../../contract/responses.ts'
import { explanationOf } from '../../core/explain/explanation.ts'
import type { Nameable } from '../../core/identity/item-names.ts'
import type { PaneRef } from '../../core/pane.ts'
import { isQueued, isReady, isWaiting, type QueuedSession } from '../../core/session/queue.ts'
import type { Session } from '../../core/session/session.ts'
import type { Verdict } from '../../core/session/verdict.ts'
import { labelOf } from '../../core/session/wait-label.ts'
import { displayLine } from '../../core/text.ts'
import type { Herd } from '../herd/herd.ts'
import { createIdentities } from '../identity/session-identity.ts'
import type { PaneInventory, PaneSighting } from '../panes/pane-inventory.ts'
import { programName } from '../sessions/program-session.ts'
import { openCommandOf } from './open-command.ts'
import { findSession, type Lookup } from './session-lookup.ts'
import { surroundingsOf } from './surroundings.ts'

const ASKS_THROUGH_US =
  'It asks through Trail Boss. The next key and `trailboss decide` show all of it, and take your answer.'

function askedThroughUs({ state, why }: Verdict): string {
  if (state === 'stuck') return ASKS_THROUGH_US
  return `It asked through Trail Boss, and that is settled (${why}). \`trailboss decide\` shows how.`
}

const NO_PANE = new Set<PaneSighting>(['missing', 'gone', 'unreached'])

/** What the monitor sees in a session's pane, and in one without a known session. */
export type MonitorViews = {
  viewOf(session: Session): MonitoredPane | undefined
  viewIn(paneId: string): MonitoredPane | undefined
}

/** Where the keys go for an item. */
export type ItemPlace = Pick<QueueItem, 'ready' | 'pane' | 'open'>

const NOBODY_LOOKS: MonitorViews = { viewOf: () => undefined, viewIn: () => undefined }

/** What the daemon knows, in the shapes that go over the wire. */
export type Views = {
  /** `dismissed`: with what the operator dismissed, at the end. */
  queue(options?: { dismissed: boolean }): QueueView
  /** The queue's places alone, for what is computed at every change. */
  places(): ItemPlace[]
  /** The oldest ready item with a pane to go to. */
  jumpTarget(): QueueItem | undefined
  /** Where the next key goes, else the oldest ready item. */
  head(): QueueItem | undefined
  item(session: QueuedSession): QueueItem
  session(session: Session): SessionView
  /** Resolves when the views of these have their place in git as it is now; soon in any case. */
  freshen(sessions: Iterable<Session>): Promise<void>
  /** The name of its project, as in its view. */
  project(session: Session): string | null
  /** The session that an operator means; see `findSession`. */
  find(target: string, lookup?: Lookup): Session
  explain(session: Session): ExplainView
}

export function createViews(
  herd: Herd,
  inventory: PaneInventory,
  monitor: MonitorViews = NOBODY_LOOKS,
  agentOf: (session: Session) => string | undefined = () => undefined,
  home?: string,
  decisionOf: (session: Session) => Partial<QueueItem> | undefined = () => undefined,
): Views {
  const paneOf = (session: Session): PaneRef | null => {
    if (!session.pane) return null
    // A session that only points to a pane is about what the pane shows, even after the program ended.
    if (session.isGuest && inventory.holds(session.pane)) return session.pane
    return NO_PANE.has(inventory.sighting(session.pane)) ? null : session.pane
  }

  const identities = createIdentities(inventory, home, () => herd.touch())
  const identityOf = identities.of
  const named = (session: Session): { agent?: string } => {
    const agent = agentOf(session)
    return agent === undefined ? {} : { agent }
  }

  const place = (session: QueuedSession): ItemPlace => {
    const open = decisionOf(session)?.open ?? openCommandOf(session, home)
    const ready = isQueued(session) && isReady(session, herd.clock.now())
    return { ready, pane: paneOf(session), ...(open && { open }) }
  }
  const programOfDecision = (session: Session): { program?: string } => {
    const program = decisionOf(session)?.program
    return program === undefined ? {} : { program }
  }

  const wall = (at: number): number => Math.round(herd.clock.toWall(at))

  const dismissal = ({ item }: QueuedSession): { dismissedAt?: number } =>
    item.dismissedAt === undefined ? {} : { dismissedAt: wall(item.dismissedAt) }

  const item = (session: QueuedSession): QueueItem => {
    const { ready, pane, ...opening } = place(session)
    return {
      session: session.id,
      harness: session.harness,
      about: session.about ?? { kind: 'session', id: session.id },
      ...programOf(session),
      ...named(session),
      reason: session.verdict.reason,
      label: labelOf(session.verdict),
      since: wall(session.item.since),
      ready,
      readyAt: isReady(session, herd.clock.now()) ? null : wall(session.item.readyAt),
      ...dismissal(session),
      pane,
      ...opening,
      cwd: session.cwd ?? null,
      ...identityOf(session, pane !== null),
      ask: session.verdict.ask,
      ...decisionOf(session),
    }
  }

  const queue = ({ dismissed } = { dismissed: false }): QueueView => ({
    version: herd.version,
    items: [...herd.queue(), ...(dismissed ? herd.dismissed() : [])].map(item),
    working: herd.working(),
  })

  const oldest = (fits: (place: ItemPlace) => boolean): QueueItem | undefined => {
    const found = herd.queue().find((session) => fits(place(session)))
    return found && item(found)
  }

  const sessionView = (session: Session): SessionView => {
    const isOver = session.verdict.state === 'ended'
    const pane = isOver ? null : paneOf(session)
    return {
      session: session.id,
      harness: session.harness,
      ...programOf(session),
      ...programOfDecision(session),
      ...named(session),
      listed: isQueued(session),
      state: session.verdict.state,
      reason: session.verdict.state === 'stuck' ? session.verdict.reason : null,
      label: session.verdict.state === 'stuck' ? labelOf(session.verdict) : null,
      ...(isWaiting(session) && dismissal(session)),
      since: session.verdict.since > 0 ? wall(session.verdict.since) : null,
      pane,
      ...(session.job !== undefined && { job: session.job }),
      cwd: session.cwd ?? null,
      ...(!isOver && identityOf(session, pane !== null)),
      pid: session.pid ?? null,
      headless: session.headless,
    }
  }

  const explain = (session: Session): ExplainView => {
    const surroundings = surroundingsOf(session, inventory, herd.clock)
    const { why, because, resumed, missing } = explanationOf(session, surroundings)
    const { program } = decisionOf(session) ?? {}
    const listed = isQueued(session) ? item(session) : undefined
    const { title: sessionTitle, ...known } = sessionView(session)
    return {
      ...known,
      ...(sessionTitle !== undefined && { sessionTitle }),
      title: program ?? surroundings.title,
      ask: session.verdict.state === 'stuck' ? session.verdict.ask : null,
      listed: listed !== undefined,
      listedSince: listed?.since ?? null,
      readyAt: listed?.readyAt ?? null,
      resumed,
      why: program === undefined ? why : askedThroughUs(session.verdict),
      because: because.map((claim) => ({ ...claim, at: wall(claim.at) })),
      missing: program === undefined ? missing : [],
      monitor: (session.verdict.state !== 'ended' && monitor.viewOf(session)) || null,
    }
  }

  const nameable = (session: Session): Nameable => {
    const pane = paneOf(session)
    return { session: session.id, ...named(session), pane, ...identityOf(session, pane !== null) }
  }
  const known = { herd, inventory, monitor, agentOf, nameable }

  return {
    queue,
    places: () => herd.queue().map(place),
    item,
    jumpTarget: () => oldest(({ ready, pane }) => ready && pane !== null),
    head: () =>
      oldest(({ ready, pane, open }) => ready && (pane !== null || open !== undefined)) ??
      oldest(({ ready }) => ready),
    session: sessionView,
    freshen: identities.freshen,
    project: (session) => identityOf(session, false).project,
    find: (target, lookup) => findSession(known, target, lookup),
    explain,
  }
}

function programOf(session: Session): { program?: string } {
  const name = programName(session)
  return name === undefined ? {} : { program: displayLine(name) }
}
