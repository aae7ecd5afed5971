import type { AgentEvent } from '../../core/session/event.ts'
import type { Session } from '../../core/session/session.ts'
import type { StatusReading, StatusSource } from '../../harness/adapter/adapter.ts'
import type { SmallFile } from '../../harness/adapter/small-file.ts'
import { adapterFor } from '../../harness/registry.ts'
import { processState, startOf } from '../../process/process-state.ts'
import { type NameSession, underOurName } from '../ingest/twin-session.ts'

export type Reading = Extract<StatusReading, { ok: true }>

export function readingOf(
  content: Extract<SmallFile, { stamp: string }>,
  { source, path }: { source: StatusSource; path: string },
  owner: number | undefined,
  nameOf: NameSession,
): StatusReading {
  if (content.kind === 'unfit') return { ok: false, why: content.why }
  const reading = source.read(content.text, path)
  if (!reading.ok) return reading
  return named(owner === undefined ? reading : readingBy(owner, reading), nameOf)
}

/** Uses our own pid for its process if that began when the file says: ticks are the same in all namespaces. */
function readingBy(pid: number, reading: Reading): Reading {
  if (reading.pidStart === undefined || startOf(pid) !== reading.pidStart) return reading
  return { ...reading, pid, events: reading.events.map((event) => ({ ...event, pid })) }
}

function named(reading: Reading, nameOf: NameSession): Reading {
  const events = reading.events.map((event) => underOurName(event, nameOf(event)))
  return { ...reading, session: events[0]?.session ?? reading.session, events }
}

/** The file of a killed process: its pid is dead, or belongs to another process by now. */
export function isLeftBehind({ pid, pidStart, events }: Reading): boolean {
  // A harness is the first process only in its own namespace.
  if (pid === 1) return true
  const knownAt = events[0]?.at ?? 0
  return processState(pid, { start: pidStart, knownAt }) === 'gone'
}

/**
 * What is new in a reading. A session that follows another one in its process begins now; if it is busy at that
 * point, the previous session is ending, and the new one does not work. The latest content counts, whatever its
 * time.
 */
export function newsIn(
  reading: Reading,
  before: Reading | undefined,
  lastEventAt: number,
): AgentEvent[] {
  const claim = reading.events.at(-1)
  const last = before?.events.at(-1)
  if (!claim) return endOf(before)
  // A withdrawn reading is reported again.
  if (!last) return reading.events.map((e) => (e === claim ? after(e, lastEventAt) : e))
  if (before?.session !== reading.session || before.pid !== reading.pid) {
    const at = Date.now()
    return reading.events
      .filter((e) => e !== claim || claim.kind !== 'unstuck')
      .map((e) => ({ ...e, at }))
  }
  const isSame = claim.kind === last.kind && claim.detail === last.detail
  return [isSame ? claim : after(claim, lastEventAt)]
}

/** Its process waits for another session, and has none now. */
function endOf(before: Reading | undefined): AgentEvent[] {
  const [started] = before?.events ?? []
  return started
    ? [{ ...started, kind: 'ended', at: Date.now(), detail: 'its worker is spare' }]
    : []
}

function after(claim: AgentEvent, lastEventAt: number): AgentEvent {
  return lastEventAt === 0 ? claim : { ...claim, at: Math.max(claim.at, lastEventAt + 1) }
}

/** The event after which the published status no longer counts. */
export function withdrawalOf(
  session: Pick<AgentEvent, 'harness' | 'session'>,
  detail: string,
): AgentEvent {
  const { harness, session: id } = session
  return { v: 1, kind: 'seen', harness, session: id, source: 'status', at: Date.now(), detail }
}

/** An earlier daemon read it, and no file publishes it now. */
export function isUnpublished({ harness, pid, verdict, evidence }: Session): boolean {
  if (verdict.state === 'ended' || pid === undefined || !adapterFor(harness)?.status) return false
  return evidence.status !== undefined && evidence.status.claim !== 'unclear'
}
