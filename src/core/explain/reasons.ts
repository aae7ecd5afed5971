import type { Ask, Reason, Source } from '../session/event.ts'
import { type Evidence, type Observation, openBlocks } from '../session/evidence.ts'
import type { Verdict } from '../session/verdict.ts'
import { labelOf, type WaitLabel } from '../session/wait-label.ts'
import { displaySummary, truncate } from '../text.ts'

/** One piece of evidence, ready to show. */
export type EvidenceLine = {
  source: Source
  claim: string
  at: number
  detail: string
  /** Whether this one decided the verdict. */
  decided: boolean
}

/** All evidence that may count, newest first. At most one piece decided. */
export function evidenceLines(evidence: Evidence, verdict: Verdict): EvidenceLine[] {
  const standing = [...claims(withoutOldScreen(evidence, verdict))]
  const deciding = standing.find((claim) => decides(claim, verdict))
  return standing
    .map((claim): EvidenceLine => {
      const { source, at, detail } = claim
      const decided = claim === deciding
      const shown = decided ? decidingClaim(claim, verdict) : claim.claim
      return { source, claim: shown, at, detail, decided }
    })
    .toSorted((a, b) => b.at - a.at || Number(b.decided) - Number(a.decided))
}

type Claim = Omit<EvidenceLine, 'decided'> & {
  /** The states that a verdict from this claim may have. */
  states: Verdict['state'][]
  reason?: Reason
}

function decides(claim: Claim, verdict: Verdict): boolean {
  if (claim.source !== verdict.by || !claim.states.includes(verdict.state)) return false
  if (verdict.state !== 'stuck') return claim.at === verdict.since
  // Of several stops the most informative one decides, and the earliest gives the time.
  if (claim.reason === 'stopped') return verdict.reason === 'stopped'
  return verdict.reason === 'permission' && claim.at === verdict.since
}

/** Nothing stopped at an empty composer: the harness publishes it as a stop, but it does not count as one. */
function decidingClaim({ source, claim, reason }: Claim, { state }: Verdict): string {
  const isIdle = state === 'unknown' && source !== 'process' && reason === 'stopped'
  return isIdle ? 'idle' : claim
}

/** A screen was captured for what was published then, and says nothing about anything published since. */
function withoutOldScreen(evidence: Evidence, { by }: Verdict): Evidence {
  const { status, screen } = evidence
  if (by === 'screen' || !status || status.claim === 'unclear') return evidence
  return screen && screen.at < status.at ? { ...evidence, screen: undefined } : evidence
}

/** In the order in which they are weighed. */
function* claims(evidence: Evidence): Generator<Claim> {
  const { process, ended, status, screen, pending, worked, started } = evidence
  if (process) {
    const states = [STATE_OF_PROCESS[process.state] ?? []].flat()
    const { at, detail, state: claim } = process
    yield { source: 'process', claim, at, detail, states, reason: 'stopped' }
  }
  if (ended) yield { ...ended, claim: 'ended', states: ['ended'] }
  if (status) yield observed('status', status)
  if (screen) yield observed('screen', screen)
  for (const block of openBlocks(evidence)) {
    const detail = block.subagent ? `${block.detail} (subagent ${block.subagent})` : block.detail
    yield {
      ...{ source: block.source, claim: stuckAs('permission', block), at: block.openedAt, detail },
      ...{ states: ['stuck'], reason: 'permission' },
    }
  }
  for (const source of ['hook', 'api', 'transcript'] as const) {
    const stop = evidence.stops[source]
    if (!stop) continue
    const { at, detail } = stop
    yield {
      ...{ source, claim: stuckAs('stopped', stop), at, detail },
      ...{ states: ['stuck'], reason: 'stopped' },
    }
  }
  if (worked) yield { ...worked, claim: 'working', states: ['working'] }
  if (started) yield { ...started, claim: 'started', states: ['unknown'] }
  if (pending && pending.asks.length > 0) {
    const tools = pending.asks.map(({ tool, text }) => {
      const about = truncate(displaySummary(text), 60)
      return tool ? `${tool}: ${about}` : about
    })
    yield {
      ...{ source: 'transcript', claim: 'tool without result', at: pending.at },
      ...{ detail: tools.join('; '), states: [] },
    }
  }
}

const STATE_OF_PROCESS: Record<string, Verdict['state'] | undefined> = {
  suspended: 'stuck',
  gone: 'ended',
  unobservable: 'unknown',
}

function observed(source: 'status' | 'screen', seen: Observation): Claim {
  const { at, claim, reason, detail } = seen
  if (claim !== 'stuck') return { source, claim, at, detail, states: ['working'] }
  // The harness publishes a session at its first empty prompt as stopped.
  const states: Verdict['state'][] = ['stuck', 'unknown']
  return { source, claim: stuckAs(reason, seen), at, detail, states, reason }
}

function stuckAs(
  reason: Reason,
  { ask, label }: { ask: Ask | undefined; label?: WaitLabel },
): string {
  return `stuck (${labelOf({ reason, ask, label })})`
}
