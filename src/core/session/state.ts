import { isSamePane, type PaneRef } from '../pane.ts'
import {
  type ClosedEpisode,
  isOwnPrompt,
  type LiftedEpisode,
  outcomeOf,
  revisedOutcome,
} from './episode.ts'
import { type AgentEvent, type SessionKey, sessionKey } from './event.ts'
import { type ProcessSighting, withEnd, withEvent, withProcess } from './evidence.ts'
import type { Item } from './queue.ts'
import { claimsPane, newSession, type Session, withLocation } from './session.ts'
import { hasFinishedOurPrompt } from './turn-end.ts'
import { type Verdict, verdictOf } from './verdict.ts'

/**
 * The whole state is a fold over the log: `apply` computes what an entry changes without changing anything,
 * `commit` makes the changes. So replaying the log restores the state.
 */
export type State = { sessions: Map<SessionKey, Session> }

/** Something that happened, as recorded in the log. */
export type Entry =
  | { type: 'event.received'; event: AgentEvent; recovered: boolean }
  | { type: 'process.observed'; session: SessionKey; process: ProcessSighting }
  /** `until`: the wall clock's time that the cooldown is meant for. */
  | { type: 'item.skipped'; session: SessionKey; cooldownMs: number; until?: number }
  | { type: 'item.restored'; session: SessionKey }
  | { type: 'item.dismissed'; session: SessionKey }
  | { type: 'item.recalled'; session: SessionKey }
  | { type: 'session.forgotten'; session: SessionKey }

/** `admittedAt` is the admission clock: it never goes back, whatever the wall clock does. */
export type LogEntry = { seq: number; admittedAt: number; entry: Entry }

export type Changes = {
  updated: Session[]
  removed: SessionKey[]
  transitions: Transition[]
  /** Episodes that were closed earlier, and about which we know more now. */
  revised?: LiftedEpisode[]
  /** Whether what the queue shows may be different now. */
  affectsQueue: boolean
}

/** A session entered or left a state. A closed episode records how long it waited. */
export type Transition = {
  session: Session
  from: Verdict['state']
  to: Verdict['state']
  at: number
  closed: ClosedEpisode | undefined
}

/** A hook may take 300 ms to reach us, and a transcript line about as long to reach the disk. */
const OVERTAKING_MS = 1_000

const NOTHING: Changes = { updated: [], removed: [], transitions: [], affectsQueue: false }

export function emptyState(): State {
  return { sessions: new Map() }
}

export function stateOf(sessions: Iterable<Session>): State {
  const state = emptyState()
  for (const session of sessions) state.sessions.set(session.key, session)
  return state
}

export function replay(state: State, log: Iterable<LogEntry>): State {
  for (const logged of log) commit(state, apply(state, logged))
  return state
}

export function apply(state: State, logged: LogEntry): Changes {
  const { entry } = logged
  switch (entry.type) {
    case 'event.received':
      return eventChanges(state, logged, entry.event, entry.recovered)
    case 'process.observed': {
      const session = state.sessions.get(entry.session)
      if (!session) return NOTHING
      const evidence = withProcess(session.evidence, entry.process)
      return judged([{ before: session, after: { ...session, evidence } }], logged, false)
    }
    case 'item.skipped':
      return itemChange(state, entry.session, (item) => ({
        ...item,
        order: logged.admittedAt,
        readyAt: logged.admittedAt + entry.cooldownMs,
        orderBeforeSkip: item.orderBeforeSkip ?? item.order,
        until: entry.until,
      }))
    case 'item.restored':
      return itemChange(state, entry.session, (item) => ({
        ...item,
        order: item.orderBeforeSkip ?? item.order,
        readyAt: 0,
        orderBeforeSkip: undefined,
        until: undefined,
      }))
    case 'item.dismissed':
      return itemChange(state, entry.session, (item) => ({
        ...item,
        dismissedAt: item.dismissedAt ?? logged.admittedAt,
      }))
    case 'item.recalled':
      return itemChange(state, entry.session, (item) => ({ ...item, dismissedAt: undefined }))
    case 'session.forgotten':
      return state.sessions.has(entry.session)
        ? { ...NOTHING, removed: [entry.session], affectsQueue: true }
        : NOTHING
    default:
      return entry satisfies never
  }
}

export function commit(state: State, changes: Changes): void {
  for (const session of changes.updated) state.sessions.set(session.key, session)
  for (const key of changes.removed) state.sessions.delete(key)
}

function eventChanges(
  state: State,
  logged: LogEntry,
  event: AgentEvent,
  recovered: boolean,
): Changes {
  const key = sessionKey(event.harness, event.session)
  const before = state.sessions.get(key) ?? newSession(key, event)
  const after = withLocation({ ...before, evidence: withEvent(before.evidence, event) }, event)
  const rivals = claimsPane(event) ? rivalsFor(state, key, event.pane) : []
  const [latest] = rivals
  if (latest && latest.paneAt > event.at) {
    return judged([{ before, after: retired(after, latest), event }], logged, recovered)
  }
  const moved = rivals
    .filter((rival) => rival.verdict.state !== 'ended')
    .map((rival) => ({ before: rival, after: retired(rival, after) }))
  return judged([{ before, after, event }, ...moved], logged, recovered)
}

/** Other sessions that claimed the pane, the latest first: one pane shows one session, and the latest wins. */
function rivalsFor(state: State, key: SessionKey, pane?: PaneRef): Session[] {
  if (!pane) return []
  const rivals: Session[] = []
  // Runs for every event over all sessions, so it allocates nothing.
  for (const session of state.sessions.values()) {
    if (!isSamePane(session.pane, pane)) continue
    if (session.key !== key && !session.isGuest) rivals.push(session)
  }
  return rivals.toSorted((a, b) => (claimedLater(a, b) ? -1 : 1))
}

function claimedLater(a: Session, b: Session): boolean {
  return a.paneAt > b.paneAt || (a.paneAt === b.paneAt && a.key > b.key)
}

function retired(session: Session, successor: Session): Session {
  const detail = `its pane now shows session ${successor.id}`
  const end = { at: successor.paneAt, source: 'process' as const, detail }
  const moved = { ...session, pane: undefined, paneAt: successor.paneAt }
  return { ...moved, evidence: withEnd(session.evidence, end) }
}

function judged(
  pairs: { before: Session; after: Session; event?: AgentEvent }[],
  logged: LogEntry,
  recovered: boolean,
): Changes {
  const changes: Changes = { updated: [], removed: [], transitions: [], affectsQueue: false }
  for (const { before, after, event } of pairs) {
    const verdict = verdictOf(after.evidence)
    const item = hasFinishedOurPrompt(after.evidence, verdict)
      ? undefined
      : itemAfter(before, verdict, logged, recovered)
    const closed = item ? undefined : closedEpisode(before, verdict, event)
    const lifted = liftedAfter(before, closed, item, logged, event)
    if (lifted && !closed && lifted !== before.lifted) changes.revised = [lifted]
    const { lifted: _, ...rest } = after
    const session: Session = { ...rest, verdict, item, ...(lifted && { lifted }) }
    changes.updated.push(session)
    changes.affectsQueue ||= showsDifferently(before, session)
    if (before.verdict.state !== verdict.state) {
      changes.transitions.push({
        session,
        from: before.verdict.state,
        to: verdict.state,
        at: logged.admittedAt,
        closed,
      })
    }
  }
  return changes
}

function showsDifferently(before: Session, after: Session): boolean {
  if (before.item !== after.item || before.verdict.state !== after.verdict.state) return true
  if (after.item === undefined) return false
  const moved = before.pane !== after.pane && !isSamePane(before.pane, after.pane)
  const isLabelled = labelShown(before.verdict) === labelShown(after.verdict)
  return (
    moved ||
    !isLabelled ||
    before.cwd !== after.cwd ||
    asksSomethingNew(before.verdict, after.verdict)
  )
}

function labelShown(verdict: Verdict): string | undefined {
  return verdict.state === 'stuck' ? verdict.label : undefined
}

/** An item keeps its place in the queue while we cannot look: the episode continues when we can again. */
function itemAfter(
  before: Session,
  verdict: Verdict,
  logged: LogEntry,
  recovered: boolean,
): Item | undefined {
  if (verdict.state === 'unknown' && verdict.by === 'process') return before.item
  if (verdict.state !== 'stuck') return undefined
  if (!before.item) {
    return {
      episode: logged.seq,
      order: orderOf(verdict.since, logged.admittedAt, recovered),
      since: verdict.since,
      readyAt: 0,
      orderBeforeSkip: undefined,
    }
  }
  return asksSomethingNew(before.verdict, verdict) ? rearmed(before.item, logged) : before.item
}

function rearmed(item: Item, { seq, admittedAt }: LogEntry): Item {
  const isAway = item.dismissedAt !== undefined || item.readyAt > admittedAt
  const woken = isAway ? { by: seq, at: admittedAt } : item.woken
  return { ...item, readyAt: 0, until: undefined, dismissedAt: undefined, woken }
}

/**
 * Orders by when it got stuck, if we can trust that: always for items recovered from files, and for live ones
 * within the short time in which one may overtake another on its way here.
 */
function orderOf(since: number, admittedAt: number, recovered: boolean): number {
  const earliest = recovered ? 0 : admittedAt - OVERTAKING_MS
  return Math.min(admittedAt, Math.max(earliest, since))
}

/** A new ask brings back a skipped or dismissed item; the same one again does not. */
function asksSomethingNew(before: Verdict, after: Verdict): boolean {
  if (before.state !== 'stuck' || after.state !== 'stuck') return false
  return before.reason !== after.reason || before.ask.text !== after.ask.text
}

/** If nobody sits in front of it, nobody kept it waiting. */
function closedEpisode(
  before: Session,
  after: Verdict,
  event: AgentEvent | undefined,
): ClosedEpisode | undefined {
  const { item, verdict, headless } = before
  if (!item || headless || verdict.state === 'ended') return undefined
  const reason = verdict.state === 'stuck' ? verdict.reason : 'stopped'
  const isDismissed = item.dismissedAt !== undefined
  return { item, reason, outcome: isDismissed ? 'dismissed' : outcomeOf(before, after, event) }
}

function liftedAfter(
  { lifted }: Session,
  closed: ClosedEpisode | undefined,
  item: Item | undefined,
  { admittedAt }: LogEntry,
  event: AgentEvent | undefined,
): LiftedEpisode | undefined {
  if (closed && closed.outcome !== 'ended') {
    const { outcome } = closed
    const at = event?.at ?? admittedAt
    return { episode: closed.item.episode, at, outcome, isOurs: isOwnPrompt(event) }
  }
  if (!lifted || closed || item) return undefined
  const outcome = event && revisedOutcome(lifted, event)
  return outcome ? { ...lifted, outcome, isOurs: isOwnPrompt(event) } : lifted
}

function itemChange(state: State, key: SessionKey, change: (item: Item) => Item): Changes {
  const session = state.sessions.get(key)
  if (!session?.item || session.verdict.state !== 'stuck') return NOTHING
  const updated = [{ ...session, item: change(session.item) }]
  return { ...NOTHING, updated, affectsQueue: true }
}
