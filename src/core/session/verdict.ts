import { askShown } from './ask-shown.ts'
import type { Ask, Reason, Source } from './event.ts'
import {
  type Block,
  type Evidence,
  HOOK_DELAY_MS,
  type Observation,
  openBlocks,
  type Stop,
} from './evidence.ts'
import { labelOf, type WaitLabel } from './wait-label.ts'

/** What all evidence together says about a session. */
export type Verdict =
  | ({ state: 'stuck'; reason: Reason; since: number; by: Source; why: string } & Wanted)
  | { state: 'working' | 'ended' | 'unknown'; since: number; by: Source | undefined; why: string }

/** What it waits for. Verdicts stored by an earlier version lack the label. */
type Wanted = { ask: Ask; label?: WaitLabel }

/** The sources that report turns and permissions, the best ask first. */
const TURN_SOURCES = ['hook', 'api', 'transcript'] as const

/** How long a prompt may take to come up after its permission was asked for. */
const PROMPT_DELAY_MS = 2_000

/** How long after its first published state a hook may report the start. */
const START_DELAY_MS = 2_000

/**
 * A harness runs its hooks before it draws what they report, so within this time its screen may still show
 * earlier work.
 */
export const SCREEN_DELAY_MS = 700

const NAMELESS_PERMISSION: Ask = { text: 'Waits for your permission.' }
export const NO_ANSWER: Ask = { text: 'Interrupted before it answered.' }
export const INTERRUPTED: Ask = { text: 'Interrupted by you.' }
const AT_ITS_PROMPT: Ask = { text: 'Waits at its prompt.' }

/**
 * The first source that knows decides: the end of the session, its process, the status that the harness
 * publishes, its screen if that is newer than every report, then the reports themselves.
 */
export function verdictOf(evidence: Evidence): Verdict {
  return (
    endedVerdict(evidence) ??
    processVerdict(evidence) ??
    statusVerdict(evidence) ??
    screenVerdict(evidence) ??
    reportedVerdict(evidence)
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
      label: 'interrupted',
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
  if (isFromBeforeStart(evidence) || isOvertaken(evidence)) return undefined
  if (status.claim === 'stuck' && status.reason === 'stopped' && !hasBegun(evidence)) {
    const why = `${status.detail}: nothing was asked of it yet`
    return { state: 'unknown', since: status.at, by: 'status', why }
  }
  return observed(status, 'status', evidence)
}

/**
 * Hooks report a prompt, and what follows from it, up to 500 ms before the harness publishes that it works on
 * it. Until then its earlier published stop does not count; the status reader checks whether it stays.
 */
export function isOvertaken({ status, promptedAt = 0 }: Evidence): boolean {
  if (status?.claim !== 'stuck' || status.reason !== 'stopped') return false
  return promptedAt > status.at
}

/** What it published before its restart says nothing about its state now. */
export function isFromBeforeStart({ status, started }: Evidence): boolean {
  return status !== undefined && status.at < (started?.at ?? 0) - START_DELAY_MS
}

/** It has turns, all of them from before its restart. */
export function isResumed(evidence: Evidence): boolean {
  return begunAt(evidence) > 0 && !hasBegun(evidence)
}

/** A session at its empty prompt has not stopped: it waits for its first prompt. */
function hasBegun(evidence: Evidence): boolean {
  const begun = begunAt(evidence)
  return begun > 0 && begun >= (evidence.started?.at ?? 0)
}

function begunAt({ worked, busyAt, stops, blocks }: Evidence): number {
  return Math.max(
    worked?.at ?? 0,
    busyAt ?? 0,
    ...Object.values(stops).map((stop) => stop.at),
    ...Object.values(blocks).map((block) => block.openedAt),
  )
}

/** The screen may raise a wait that nothing else saw, and clear one only if it saw that later. */
function screenVerdict(evidence: Evidence): Verdict | undefined {
  const { screen } = evidence
  if (!screen || screen.claim === 'unclear') return undefined
  const reported = reportedVerdict(evidence)
  const reportedAt = lastReported(evidence)
  if (reported.state !== 'unknown' && screen.at <= reportedAt) return undefined
  if (reported.state === 'stuck') {
    // If the screen shows no dialog, an earlier permission is answered.
    const isAnswered = reported.reason === 'permission' && screen.reason === 'stopped'
    const counts = screen.claim === 'working' ? isDrawn(screen, reportedAt) : isAnswered
    if (!counts) return undefined
  }
  return observed(screen, 'screen', evidence)
}

function isDrawn(screen: Observation, since: number): boolean {
  return screen.at >= since + SCREEN_DELAY_MS
}

/** Hooks are quick and carry the ask, the transcript survives what hooks lose: the latest one wins. */
function reportedVerdict(evidence: Evidence): Verdict {
  const open = openBlocks(evidence).filter((block) => !isSeenAnswered(block, evidence.screen))
  const [oldest] = open
  if (oldest) {
    const block = blockShown(open, evidence.screen) ?? oldest
    return {
      state: 'stuck',
      reason: 'permission',
      since: oldest.openedAt,
      ask: block.ask ?? NAMELESS_PERMISSION,
      label: block.label ?? 'permission',
      by: block.source,
      why: block.subagent ? `${block.detail} (subagent ${block.subagent})` : block.detail,
    }
  }
  const stops = standingStops(evidence)
  const [best] = stops
  if (best) {
    return {
      state: 'stuck',
      reason: 'stopped',
      since: Math.min(...stops.map((stop) => stop.at)),
      ...stopWanted(best, stopShown(evidence, best.at), evidence),
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

/** The screen showed work after it was asked for. Later reports are about other tools and do not ask again. */
function isSeenAnswered(block: Block, screen: Observation | undefined): boolean {
  return screen?.claim === 'working' && isDrawn(screen, block.openedAt)
}

/** Several may be asked for at once, and their dialogs come one after the other: the screen shows the current one. */
function blockShown(open: readonly Block[], screen: Observation | undefined): Block | undefined {
  if (open.length < 2 || screen?.claim !== 'stuck' || screen.reason !== 'permission')
    return undefined
  const asked = open.flatMap(({ ask }) => ask ?? [])
  const shown = screen.ask && askShown(asked, screen.ask)
  return shown && open.find(({ ask }) => ask === shown)
}

/**
 * The ends of turns that nothing has contradicted since, the best source first, those without an ask last. `isSeenIdle`: the
 * harness itself says so. Then a hook that is stamped a moment later than the end was one of that turn, held up on its way.
 */
function standingStops(evidence: Evidence, isSeenIdle = false): (Stop & { source: Source })[] {
  const { worked, busyAt = 0, started } = evidence
  const heldUpMs = isSeenIdle && worked?.source === 'hook' ? HOOK_DELAY_MS : 0
  const workedAt = Math.max((worked?.at ?? 0) - heldUpMs, busyAt, started?.at ?? 0)
  return TURN_SOURCES.flatMap((source) => {
    const stop = evidence.stops[source]
    return stop && stop.at >= workedAt ? [{ source, ...stop }] : []
  }).toSorted((a, b) => Number(!a.ask) - Number(!b.ask))
}

/** One source sees the state; usually others know what the session asks for. */
function observed(seen: Observation, by: Source, evidence: Evidence): Verdict {
  if (seen.claim !== 'stuck') {
    return { state: 'working', since: seen.at, by, why: seen.detail }
  }
  const wanted =
    seen.reason === 'permission'
      ? promptWanted(seen, evidence)
      : stopWanted(standingStops(evidence, by === 'status')[0], seen, evidence)
  return { state: 'stuck', reason: seen.reason, since: seen.at, ...wanted, by, why: seen.detail }
}

function promptWanted(seen: Observation, evidence: Evidence): Wanted {
  const { screen, pending } = evidence
  const shown = screen && screen.claim === 'stuck' && screen.at >= seen.at ? screen : undefined
  const onScreen = shown?.ask
  const blocks = blocksBehind(seen, evidence).filter(({ ask }) => ask !== undefined)
  const asked = blocks.flatMap(({ ask }) => ask ?? [])
  const ask = asked.length > 1 && onScreen ? askShown(asked, onScreen) : asked[0]
  if (ask) {
    const block = blocks.find((one) => one.ask === ask)
    return { ask, label: block?.label ?? 'permission' }
  }
  const label = (onScreen && shown.label) ?? seen.label ?? 'permission'
  return { ask: onScreen ?? seen.ask ?? pending?.asks[0] ?? NAMELESS_PERMISSION, label }
}

/**
 * Approving fires nothing, so all reports still show the permission of a running tool as open. A prompt is
 * therefore about what was asked when it came up and since the harness last published work. Subagents may ask
 * at the same time; then there are several.
 */
function blocksBehind(seen: Observation, evidence: Evidence): Block[] {
  const all = openBlocks(evidence)
  const unanswered = all.filter((block) => block.openedAt > (evidence.busyAt ?? 0))
  const open = unanswered.length > 0 ? unanswered : all
  const askedForIt = open.filter((block) => block.openedAt >= seen.at - PROMPT_DELAY_MS)
  return askedForIt.length > 0 ? askedForIt : open.slice(-1)
}

/** Their dialogs come one after the other under one published wait: only the screen shows the current one. */
export function asksSeveralThings(evidence: Evidence): boolean {
  const { status } = evidence
  if (status?.claim !== 'stuck' || status.reason !== 'permission') return false
  // A block without a name reports the same prompt once more, a few seconds later.
  return blocksBehind(status, evidence).filter(({ isNamed }) => isNamed).length > 1
}

/** A report may not say how the turn ended: then use the source that saw the whole session. */
function stopWanted(
  stop: Stop | undefined,
  seen: Observation | undefined,
  evidence: Evidence,
): Wanted {
  const best = stop?.ask || !(seen?.ask ?? seen?.label) ? stop : seen
  const note = stop?.note ?? seen?.note
  if (!best?.ask && isUnanswered(evidence)) {
    return { ask: noted(NO_ANSWER, note), label: 'interrupted' }
  }
  const label = labelOf({ reason: 'stopped', ask: best?.ask, label: best?.label })
  const otherwise = label === 'interrupted' ? INTERRUPTED : AT_ITS_PROMPT
  return { ask: noted(best?.ask ?? otherwise, note), label }
}

/** The screen of a stopped session, if it was captured after the stop. */
function stopShown({ screen }: Evidence, since: number): Observation | undefined {
  const isStopped = screen?.claim === 'stuck' && screen.reason === 'stopped'
  return isStopped && screen.at >= since ? screen : undefined
}

/** The last report is the human's own prompt. */
function isUnanswered({ worked, lifted }: Evidence): boolean {
  return worked !== undefined && worked.at === lifted['']
}

function noted(ask: Ask, note: string | undefined): Ask {
  return note === undefined ? ask : { ...ask, text: `${ask.text}\n\n(${note})` }
}

function lastReported(evidence: Evidence): number {
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
    lastReported(evidence),
    ...Object.values(evidence.lifted),
    evidence.status?.at ?? 0,
    evidence.screen?.at ?? 0,
  )
}
