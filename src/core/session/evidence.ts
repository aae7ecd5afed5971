import { type AgentEvent, type Ask, hasOwnMark, type Reason, type Source } from './event.ts'
import { laterStop, newer } from './register.ts'
import type { WaitLabel } from './wait-label.ts'

/**
 * Everything we know about one session, by source. Each field is a register that only a newer claim moves, so
 * merging is commutative and idempotent: events may come late, twice or in any order and the evidence ends up
 * the same. `at` decides, never the order of arrival.
 */
export type Evidence = {
  /** The latest `stopped` of the main thread, per source that reports turns. */
  stops: Partial<Record<Source, Stop>>
  /** The latest sign that the main thread worked. */
  worked: Sighting | undefined
  /** Permissions, open and answered, by subagent and name. */
  blocks: Record<string, Block>
  /** Everything of the main thread (`''`) or of a subagent that opened before this is answered. */
  lifted: Record<string, number>
  /** The latest answer to anything, which also ends a permission that was reported without a name. */
  answeredAt: number
  /** The tools that have no result in the transcript: a prompt may be about one of them. */
  pending: PendingTools | undefined
  started: Sighting | undefined
  ended: Sighting | undefined
  status: Observation | undefined
  /** The latest work that the harness itself published. Evidence stored by an earlier version lacks it. */
  busyAt?: number
  /** The latest prompt of the main thread. Evidence stored by an earlier version lacks it. */
  promptedAt?: number
  /** The same, when it was typed: the transcript has a prompt only when its turn begins. */
  typedAt?: number
  /** The prompt typed before that one. */
  typedBefore?: number
  /** The latest prompt of the supervisor, and the latest of somebody else. Earlier versions stored neither. */
  ownPromptAt?: number
  otherPromptAt?: number
  screen: Observation | undefined
  /** When the screen last showed a turn or its end. Evidence stored by an earlier version lacks it. */
  turnShownAt?: number
  process: ProcessSighting | undefined
  /** When each source last reported, whatever it said. */
  heard: Partial<Record<Source, number>>
}

export type Sighting = { at: number; source: Source; detail: string }
export type Stop = { at: number; ask: Ask | undefined; detail: string } & Remarks
export type PendingTools = { at: number; asks: Ask[] }
export type Block = {
  openedAt: number
  liftedAt: number
  isNamed: boolean
  ask: Ask | undefined
  label?: WaitLabel
  subagent: string
  source: Source
  detail: string
}

/** A state that one source sees as a whole; `unclear` if it looked and could not decide. */
export type Observation = {
  at: number
  claim: 'stuck' | 'working' | 'unclear'
  reason: Reason
  ask: Ask | undefined
  detail: string
} & Remarks

type Remarks = { label?: WaitLabel; note?: string }

export type ProcessSighting = {
  at: number
  /** `unobservable` is not `gone`: we could not look. */
  state: 'alive' | 'suspended' | 'gone' | 'unobservable'
  detail: string
}

const MAX_BLOCKS = 64
export const HOOK_DELAY_MS = 1_000

export const noEvidence: Evidence = {
  stops: {},
  worked: undefined,
  blocks: {},
  lifted: {},
  answeredAt: 0,
  pending: undefined,
  started: undefined,
  ended: undefined,
  status: undefined,
  screen: undefined,
  process: undefined,
  heard: {},
}

export function withEvent(before: Evidence, event: AgentEvent): Evidence {
  if (event.source === 'process') return withProcess(before, processSightingOf(event))
  const heard = withMarks(withHeard(before, event), event)
  const evidence = event.source === 'transcript' ? withPending(heard, event) : heard
  if (event.source === 'status' && event.kind !== 'ended' && event.kind !== 'started') {
    const seen = { ...evidence, status: newer(evidence.status, observationOf(event)) }
    if (event.kind !== 'unstuck') return seen
    return { ...seen, busyAt: Math.max(evidence.busyAt ?? 0, event.at) }
  }
  if (event.source === 'screen' && event.kind !== 'ended' && event.kind !== 'started') {
    const seen = { ...evidence, screen: newer(evidence.screen, observationOf(event)) }
    if (event.kind === 'seen' || event.reason === 'permission') return seen
    return { ...seen, turnShownAt: Math.max(evidence.turnShownAt ?? 0, event.at) }
  }
  switch (event.kind) {
    case 'started':
      return { ...evidence, started: newer(evidence.started, sightingOf(event)) }
    case 'ended':
      return { ...evidence, ended: newer(evidence.ended, sightingOf(event)) }
    case 'seen':
      return event.subagent ? evidence : withWork(evidence, event)
    case 'unstuck':
      return withAnswer(event.subagent ? evidence : withWork(evidence, event), event)
    case 'stuck':
      return event.reason === 'permission' ? withBlock(evidence, event) : withStop(evidence, event)
    default:
      return event.kind satisfies never
  }
}

export function withProcess(evidence: Evidence, sighting: ProcessSighting): Evidence {
  return { ...evidence, process: newer(evidence.process, sighting) }
}

export function withEnd(evidence: Evidence, end: Sighting): Evidence {
  return { ...evidence, ended: newer(evidence.ended, end) }
}

/** Whether newer evidence of the same kind already covers everything in the event. */
export function isOldNews(evidence: Evidence, event: AgentEvent): boolean {
  const merged = withEvent(evidence, event)
  return merged === evidence || JSON.stringify(merged) === JSON.stringify(evidence)
}

/** Open: asked after the session started, and answered neither by name nor with its thread. */
export function openBlocks(evidence: Evidence): Block[] {
  const startedAt = evidence.started?.at ?? 0
  return Object.values(evidence.blocks)
    .filter((block) => {
      return block.openedAt > liftedAt(evidence, block) && block.openedAt >= startedAt
    })
    .toSorted((a, b) => a.openedAt - b.openedAt)
}

function withWork(evidence: Evidence, event: AgentEvent): Evidence {
  const worked = { ...sightingOf(event), at: workedAt(event) }
  return { ...evidence, worked: newer(evidence.worked, worked) }
}

/**
 * A harness does not wait for the hook of a tool's end. That hook may be stamped later than the one for the end
 * of the whole turn, which it must not contradict.
 */
function workedAt({ source, kind, block, at }: AgentEvent): number {
  const isToolsEnd = source === 'hook' && kind === 'unstuck' && block !== undefined
  return isToolsEnd ? at - HOOK_DELAY_MS : at
}

/** Evidence stored by an earlier version may lack it. */
function withHeard(evidence: Evidence, { source, at }: AgentEvent): Evidence {
  const before = evidence.heard?.[source] ?? 0
  return at <= before ? evidence : { ...evidence, heard: { ...evidence.heard, [source]: at } }
}

function withPending(evidence: Evidence, event: AgentEvent): Evidence {
  const pending = { at: event.at, asks: event.pending ?? [] }
  return { ...evidence, pending: newer(evidence.pending, pending) }
}

function withStop(evidence: Evidence, event: AgentEvent): Evidence {
  if (event.subagent) return withLift(evidence, event.subagent, event.at)
  const stop: Stop = { at: event.at, ask: event.ask, ...remarksOf(event), detail: detailOf(event) }
  const stops = {
    ...evidence.stops,
    [event.source]: laterStop(evidence.stops[event.source], stop, HOOK_DELAY_MS),
  }
  return withLift({ ...evidence, stops }, '', event.at)
}

function withBlock(evidence: Evidence, event: AgentEvent): Evidence {
  const id = blockId(event)
  const known = evidence.blocks[id]
  const block: Block = {
    openedAt: event.at,
    liftedAt: known?.liftedAt ?? 0,
    isNamed: event.block !== undefined,
    ask: event.ask,
    ...(event.label && { label: event.label }),
    subagent: event.subagent ?? '',
    source: event.source,
    detail: detailOf(event),
  }
  const opened = newer(known && { ...known, at: known.openedAt }, { ...block, at: block.openedAt })
  if (opened.openedAt === known?.openedAt && opened.ask === known.ask) return evidence
  const { at: _, ...latest } = opened
  return withBlocks(evidence, { ...evidence.blocks, [id]: latest })
}

function withAnswer(before: Evidence, event: AgentEvent): Evidence {
  const evidence = { ...before, answeredAt: Math.max(before.answeredAt, event.at) }
  if (event.block === undefined) {
    const lifted = withLift(evidence, event.subagent ?? '', event.at)
    if (event.subagent || !event.prompt) return lifted
    return withPrompt(lifted, event)
  }
  const id = blockId(event)
  const known = evidence.blocks[id]
  if (known && known.liftedAt >= event.at) return withBlocks(evidence, evidence.blocks)
  const block: Block = known
    ? { ...known, liftedAt: event.at }
    : {
        openedAt: 0,
        liftedAt: event.at,
        isNamed: true,
        ask: undefined,
        subagent: event.subagent ?? '',
        source: event.source,
        detail: '',
      }
  return withBlocks(evidence, { ...evidence.blocks, [id]: block })
}

/** Our mark may be reported a moment after the prompt that it stands in. */
function withMarks(evidence: Evidence, { marks, at, subagent }: AgentEvent): Evidence {
  if (!hasOwnMark(marks) || subagent || at <= (evidence.ownPromptAt ?? 0)) return evidence
  return { ...evidence, ownPromptAt: at }
}

function withPrompt(known: Evidence, { source, at, marks }: AgentEvent): Evidence {
  const evidence = hasOwnMark(marks)
    ? known
    : { ...known, otherPromptAt: Math.max(known.otherPromptAt ?? 0, at) }
  const prompted = { ...evidence, promptedAt: Math.max(evidence.promptedAt ?? 0, at) }
  const { typedAt = 0, typedBefore = 0 } = evidence
  if (source === 'transcript' || at === typedAt) return prompted
  const before = Math.max(typedBefore, Math.min(typedAt, at))
  return { ...prompted, typedAt: Math.max(typedAt, at), typedBefore: before }
}

function withLift(evidence: Evidence, subagent: string, at: number): Evidence {
  const latest = Math.max(threadLiftedAt(evidence, subagent), at)
  const answeredAt = Math.max(evidence.answeredAt, at)
  const lifted = newestThreads({ ...evidence.lifted, [subagent]: latest })
  return withBlocks({ ...evidence, answeredAt, lifted }, evidence.blocks)
}

/** Answered ones keep only their times, and the oldest answers are dropped. */
function withBlocks(evidence: Evidence, blocks: Record<string, Block>): Evidence {
  const entries = Object.entries(blocks).map(([id, block]): [string, Block] => {
    const isOpen = block.openedAt > liftedAt(evidence, block)
    return [id, isOpen ? block : { ...block, ask: undefined, detail: '' }]
  })
  const tooMany = entries.length - MAX_BLOCKS
  if (tooMany <= 0) return { ...evidence, blocks: Object.fromEntries(entries) }
  const age = ([, block]: [string, Block]) => Math.max(block.openedAt, block.liftedAt)
  const isAnswered = ([, block]: [string, Block]) => block.openedAt <= liftedAt(evidence, block)
  const answered = entries.filter(isAnswered).toSorted((a, b) => age(a) - age(b))
  const oldest = answered.slice(0, tooMany)
  const forgotten = new Set(oldest.map(([id]) => id))
  const kept = entries.filter(([id]) => !forgotten.has(id))
  return { ...evidence, blocks: Object.fromEntries(kept) }
}

function liftedAt(evidence: Evidence, block: Block): number {
  const withItsThread = threadLiftedAt(evidence, block.subagent)
  return Math.max(block.liftedAt, withItsThread, block.isNamed ? 0 : evidence.answeredAt)
}

/** The name comes from outside, so `constructor` is a valid subagent. */
function threadLiftedAt({ lifted }: Evidence, subagent: string): number {
  return Object.hasOwn(lifted, subagent) ? (lifted[subagent] ?? 0) : 0
}

function newestThreads(lifted: Record<string, number>): Record<string, number> {
  const threads = Object.entries(lifted)
  if (threads.length <= MAX_BLOCKS) return lifted
  const main = threads.filter(([subagent]) => subagent === '')
  const others = threads.filter(([subagent]) => subagent !== '').toSorted(([, a], [, b]) => b - a)
  return Object.fromEntries([...main, ...others.slice(0, MAX_BLOCKS - main.length)])
}

/** The name under which `blocks` keeps the event's permission. */
export function blockId(event: Pick<AgentEvent, 'subagent' | 'block'>): string {
  return `${event.subagent ?? ''}/${event.block ?? ''}`
}

function sightingOf(event: AgentEvent): Sighting {
  return { at: event.at, source: event.source, detail: detailOf(event) }
}

function observationOf(event: AgentEvent): Observation {
  return {
    at: event.at,
    claim: event.kind === 'stuck' ? 'stuck' : event.kind === 'unstuck' ? 'working' : 'unclear',
    reason: event.reason ?? 'stopped',
    ask: event.ask,
    ...remarksOf(event),
    detail: detailOf(event),
  }
}

function remarksOf({ label, note }: AgentEvent): Remarks {
  return { ...(label && { label }), ...(note !== undefined && { note }) }
}

function processSightingOf(event: AgentEvent): ProcessSighting {
  const state =
    event.kind === 'ended' ? 'gone' : event.kind === 'stuck' ? 'suspended' : ('alive' as const)
  return { at: event.at, state, detail: detailOf(event) }
}

function detailOf(event: AgentEvent): string {
  return event.detail ?? event.kind
}
