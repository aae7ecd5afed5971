import type { Ask, Reason, Source } from './event.ts'
import { type Evidence, type Observation, openBlocks } from './evidence.ts'

/** What all evidence together says of a session. */
export type Verdict =
  | { state: 'stuck'; reason: Reason; since: number; ask: Ask; by: Source; why: string }
  | { state: 'working' | 'ended' | 'unknown'; since: number; by: Source | undefined; why: string }

/** The sources that tell of turns and permissions, most telling ask first. */
const TURN_SOURCES = ['hook', 'api', 'transcript'] as const

/**
 * Weighs the sources in this order: is the process there, what the harness itself publishes, what
 * hooks and transcript tell, what the screen shows.
 */
export function verdictOf(evidence: Evidence): Verdict {
  return (
    endedVerdict(evidence) ??
    processVerdict(evidence) ??
    statusVerdict(evidence) ??
    screenVerdict(evidence) ??
    toldVerdict(evidence)
  )
}

function endedVerdict(evidence: Evidence): Verdict | undefined {
  const { ended, process } = evidence
  const lastSign = lastSignOfLife(evidence)
  if (process?.state === 'gone' && process.at >= lastSign) {
    return { state: 'ended', since: process.at, by: 'process', why: process.detail }
  }
  if (ended && ended.at >= lastSign) {
    return { state: 'ended', since: ended.at, by: ended.source, why: ended.detail }
  }
  return undefined
}

function processVerdict({ process }: Evidence): Verdict | undefined {
  if (process?.state === 'suspended') {
    return {
      state: 'stuck',
      reason: 'stopped',
      since: process.at,
      ask: { text: 'Suspended (Ctrl-Z). Bring it back with: fg' },
      by: 'process',
      why: process.detail,
    }
  }
  if (process?.state === 'unobservable') {
    return { state: 'unknown', since: process.at, by: 'process', why: process.detail }
  }
  return undefined
}

function statusVerdict(evidence: Evidence): Verdict | undefined {
  const { status } = evidence
  if (!status || status.claim === 'unclear') return undefined
  if (status.at < (evidence.started?.at ?? 0)) return undefined
  return observed(status, 'status', evidence)
}

/** The screen may raise a wait that nothing else saw, and clear one only by what it saw later. */
function screenVerdict(evidence: Evidence): Verdict | undefined {
  const { screen } = evidence
  if (!screen || screen.claim === 'unclear') return undefined
  const told = toldVerdict(evidence)
  if (told.state !== 'unknown' && screen.at <= lastTold(evidence)) return undefined
  if (told.state === 'stuck' && screen.claim === 'stuck') return undefined
  return observed(screen, 'screen', evidence)
}

/** Hooks are quick and carry the ask, the transcript survives what hooks lose: the latest one wins. */
function toldVerdict(evidence: Evidence): Verdict {
  const block = openBlocks(evidence)[0]
  if (block) {
    return {
      state: 'stuck',
      reason: 'permission',
      since: block.openedAt,
      ask: block.ask ?? { text: 'Waits for your permission.' },
      by: block.source,
      why: block.subagent ? `${block.detail} (subagent ${block.subagent})` : block.detail,
    }
  }
  const workedAt = Math.max(evidence.worked?.at ?? 0, evidence.started?.at ?? 0)
  const stops = TURN_SOURCES.flatMap((source) => {
    const stop = evidence.stops[source]
    return stop && stop.at >= workedAt ? [{ source, ...stop }] : []
  })
  const [best] = stops
  if (best) {
    return {
      state: 'stuck',
      reason: 'stopped',
      since: Math.min(...stops.map((stop) => stop.at)),
      ask: best.ask ?? { text: 'Finished its turn.' },
      by: best.source,
      why: best.detail,
    }
  }
  const { worked, started } = evidence
  if (worked && worked.at >= (started?.at ?? 0)) {
    return { state: 'working', since: worked.at, by: worked.source, why: worked.detail }
  }
  if (started) {
    return { state: 'unknown', since: started.at, by: started.source, why: 'no turn seen yet' }
  }
  return { state: 'unknown', since: 0, by: undefined, why: 'nothing has claimed a state' }
}

function observed(seen: Observation, by: Source, evidence: Evidence): Verdict {
  if (seen.claim !== 'stuck') {
    return { state: 'working', since: seen.at, by, why: seen.detail }
  }
  const told = toldVerdict(evidence)
  const toldAsk = told.state === 'stuck' && told.reason === seen.reason ? told.ask : undefined
  const ask = toldAsk ?? seen.ask ?? { text: 'Waits for you.' }
  return { state: 'stuck', reason: seen.reason, since: seen.at, ask, by, why: seen.detail }
}

function lastTold(evidence: Evidence): number {
  return Math.max(
    0,
    evidence.worked?.at ?? 0,
    evidence.started?.at ?? 0,
    ...Object.values(evidence.stops).map((stop) => stop.at),
    ...Object.values(evidence.blocks).flatMap((block) => [block.openedAt, block.liftedAt]),
  )
}

function lastSignOfLife(evidence: Evidence): number {
  return Math.max(
    lastTold(evidence),
    ...Object.values(evidence.lifted),
    evidence.status?.at ?? 0,
    evidence.screen?.at ?? 0,
  )
}
