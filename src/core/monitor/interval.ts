import type { Likeness } from '../screen/likeness.ts'
import type { Signal } from '../screen/signals.ts'

/**
 * How often the monitor looks. The intervals by signal are for ongoing work and for stalls. The fresh pace is
 * for a program whose screen is the only source, and for what just happened: while its screen moves we look
 * every second or two, so that we see a wait as soon as the output stops. Once nothing moves, each pause is
 * twice the last, until it reaches the interval by signal.
 */
export type MonitorPace = {
  intervalsMs: Record<Signal | 'stalled', PaceRange>
  /** The first pause of the fresh pace. */
  freshMs: PaceRange
  /** Two looks at one pane are never closer than this. */
  leastMs: number
}

export type PaceRange = readonly [leastMs: number, mostMs: number]

/** Where a pane's interval lies in the range of its signal, from 0 to 1. Jitter is added to it. */
export type Pacing = { signal: Signal; position: number }

export const DEFAULT_PACE: MonitorPace = {
  intervalsMs: {
    dispatched: [10_000, 15_000],
    edits: [30_000, 45_000],
    tests: [60_000, 120_000],
    build: [120_000, 180_000],
    subagent: [90_000, 120_000],
    reading: [45_000, 60_000],
    question: [30_000, 30_000],
    quiet: [45_000, 60_000],
    stalled: [15_000, 20_000],
  },
  freshMs: [1_000, 2_000],
  leastMs: 500,
}

const MIDDLE = 0.5
const SHORTEN = 0.5
const LENGTHEN = 0.125
const JITTER = 0.2

/** Another signal starts in the middle of its own range. */
export function nextPacing(
  pacing: Pacing | undefined,
  signal: Signal,
  likeness: Likeness | undefined,
): Pacing {
  const position = pacing?.signal === signal ? pacing.position : MIDDLE
  return { signal, position: within(0, position + adjustment(likeness), 1) }
}

/** `random` is from 0 up to 1. The result is always within the range, which may be a single value. */
export function intervalMs(
  { intervalsMs, leastMs }: MonitorPace,
  { signal, position }: Pacing,
  isStalled: boolean,
  random: number,
): number {
  const range = intervalsMs[isStalled ? 'stalled' : signal]
  const where = isStalled ? random : position + (random - MIDDLE) * JITTER
  return Math.max(leastMs, between(range, within(0, where, 1)))
}

/** `doublings`: how many looks in a row have shown nothing new. */
export function freshMs({ freshMs, leastMs }: MonitorPace, doublings: number, random: number) {
  return Math.max(leastMs, Math.round(between(freshMs, random) * 2 ** doublings))
}

function adjustment(likeness: Likeness | undefined): number {
  switch (likeness) {
    case 'scrolled-far':
      return -SHORTEN
    case 'spinning':
      return LENGTHEN
    case 'changed':
    case 'identical':
    case undefined:
      return 0
    default:
      return likeness satisfies never
  }
}

function between([least, most]: PaceRange, position: number): number {
  return Math.round(least + (most - least) * position)
}

function within(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
