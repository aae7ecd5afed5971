import { basename } from 'node:path'
import type {
  EvidenceView,
  ExplainView,
  QueueItem,
  QueueView,
  SessionView,
} from '../contract/responses.ts'
import type { PaneRef } from '../core/event.ts'
import { type Evidence, openBlocks } from '../core/evidence.ts'
import { isReady, type QueuedSession } from '../core/queue.ts'
import type { Session } from '../core/session.ts'
import { displayLine } from '../core/text.ts'
import type { Herd } from './herd.ts'
import type { PaneInventory, PaneSighting } from './pane-inventory.ts'

const NO_PANE = new Set<PaneSighting>(['missing', 'gone', 'unreached'])

/** What the daemon knows, in the shapes that go over the wire. */
export type Views = {
  queue(): QueueView
  /** The oldest ready item that a client can be taken to. */
  jumpTarget(): QueueItem | undefined
  item(session: QueuedSession): QueueItem
  session(session: Session): SessionView
  explain(session: Session): ExplainView
}

export function createViews(herd: Herd, inventory: PaneInventory): Views {
  const paneOf = (session: Session): PaneRef | null => {
    if (!session.pane) return null
    const sighting = inventory.sighting(session.pane)
    return NO_PANE.has(sighting) ? null : session.pane
  }

  const item = (session: QueuedSession): QueueItem => {
    const now = herd.clock.now()
    const ready = isReady(session, now)
    return {
      session: session.id,
      harness: session.harness,
      reason: session.verdict.reason,
      since: Math.round(herd.clock.toWall(session.item.since)),
      ready,
      readyAt: ready ? null : Math.round(herd.clock.toWall(session.item.readyAt)),
      pane: paneOf(session),
      cwd: session.cwd ?? null,
      project: session.cwd ? displayLine(basename(session.cwd)) || null : null,
      ask: session.verdict.ask,
    }
  }

  const queue = (): QueueView => ({ version: herd.version, items: herd.queue().map(item) })

  return {
    queue,
    item,
    jumpTarget: () => queue().items.find((candidate) => candidate.ready && candidate.pane !== null),
    session: (session) => ({
      session: session.id,
      harness: session.harness,
      state: session.verdict.state,
      reason: session.verdict.state === 'stuck' ? session.verdict.reason : null,
      since:
        session.verdict.since > 0 ? Math.round(herd.clock.toWall(session.verdict.since)) : null,
      pane: session.verdict.state === 'ended' ? null : paneOf(session),
      cwd: session.cwd ?? null,
      pid: session.pid ?? null,
      headless: session.headless,
    }),
    explain: (session) => ({
      session: session.id,
      harness: session.harness,
      state: session.verdict.state,
      reason: session.verdict.state === 'stuck' ? session.verdict.reason : null,
      why: session.verdict.why,
      pane: paneOf(session),
      because: evidenceViews(session)
        .map((view) => ({ ...view, at: Math.round(herd.clock.toWall(view.at)) }))
        .toSorted((a, b) => b.at - a.at),
    }),
  }
}

function evidenceViews(session: Session): EvidenceView[] {
  const { evidence, verdict } = session
  const view = (view: Omit<EvidenceView, 'decided'>): EvidenceView => ({
    ...view,
    decided: verdict.by === view.source && verdict.why === view.detail,
  })
  return [...claims(evidence)].map(view)
}

function* claims(evidence: Evidence): Generator<Omit<EvidenceView, 'decided'>> {
  const { process, status, screen, worked, started, ended } = evidence
  if (process)
    yield { source: 'process', claim: process.state, at: process.at, detail: process.detail }
  if (status) yield { source: 'status', claim: status.claim, at: status.at, detail: status.detail }
  for (const block of openBlocks(evidence)) {
    const detail = block.subagent ? `${block.detail} (subagent ${block.subagent})` : block.detail
    yield { source: block.source, claim: 'stuck (permission)', at: block.openedAt, detail }
  }
  for (const source of ['hook', 'transcript', 'api'] as const) {
    const stop = evidence.stops[source]
    if (stop) yield { source, claim: 'stuck (stopped)', at: stop.at, detail: stop.detail }
  }
  if (worked)
    yield { source: worked.source, claim: 'working', at: worked.at, detail: worked.detail }
  if (started)
    yield { source: started.source, claim: 'started', at: started.at, detail: started.detail }
  if (ended) yield { source: ended.source, claim: 'ended', at: ended.at, detail: ended.detail }
  if (screen) yield { source: 'screen', claim: screen.claim, at: screen.at, detail: screen.detail }
}
