import { type Stretch, stretchesOf, type Truth } from './truth-rule.ts'

/** Session-seconds by true state and by whether the session was listed. */
export type Confusion = Record<Truth, { listed: number; unlisted: number }>

/** One life: its true states, and when it was listed. */
export type Track = { name: string; truth: Stretch<Truth>[]; listed: Stretch<boolean>[] }

/** A period in which the queue contradicted the truth. */
export type Lie = { name: string; from: number; to: number; truth: Truth }

export function confusionOf(tracks: Track[]): Confusion {
  const table: Confusion = {
    stuck: { listed: 0, unlisted: 0 },
    working: { listed: 0, unlisted: 0 },
    fresh: { listed: 0, unlisted: 0 },
    gone: { listed: 0, unlisted: 0 },
  }
  for (const { truth, listed } of tracks) {
    for (const { from, to, state } of truth) {
      const seconds =
        overlaps(listed, from, to).reduce((sum, part) => sum + length(part), 0) / 1_000
      table[state].listed += seconds
      table[state].unlisted += (to - from) / 1_000 - seconds
    }
  }
  return table
}

/**
 * Relative to the time in which the sessions lived. A session that is gone and still listed counts; being gone
 * does not.
 */
export function wrongShare(table: Confusion): number {
  return wrongSeconds(table) / livedSeconds(table)
}

export function wrongSeconds({ stuck, working, fresh, gone }: Confusion): number {
  return stuck.unlisted + working.listed + fresh.listed + gone.listed
}

export function livedSeconds({ stuck, working, fresh }: Confusion): number {
  const rows = [stuck, working, fresh]
  return rows.reduce((sum, { listed, unlisted }) => sum + listed + unlisted, 0)
}

/** Longest first. */
export function liesOf(tracks: Track[]): Lie[] {
  return tracks
    .flatMap(({ name, truth, listed }) =>
      truth.flatMap(({ from, to, state }) => {
        const wasListed = overlaps(listed, from, to)
        const parts = state === 'stuck' ? gapsIn(wasListed, from, to) : wasListed
        return parts.map((part) => ({ name, truth: state, from: part.from, to: part.to }))
      }),
    )
    .toSorted((a, b) => length(b) - length(a))
}

/** When it was first listed, or not listed, at or after `at`; undefined unless that was before `until`. */
export function firstAt(
  listed: Stretch<boolean>[],
  isListed: boolean,
  at: number,
  until: number,
): number | undefined {
  const open = listed.find(({ from, to }) => from <= at && at < to)
  if ((open !== undefined) === isListed) return at
  const next = isListed ? listed.find(({ from }) => from > at)?.from : open?.to
  return next !== undefined && next < until ? next : undefined
}

/** Turns samples of who is listed into the periods in which one session is. */
export function listedStretches(
  sights: { at: number; isListed: boolean }[],
  until: number,
): Stretch<boolean>[] {
  const changes = sights.map(({ at, isListed }) => ({ at, state: isListed }))
  return stretchesOf(changes, until).filter(({ state }) => state)
}

function overlaps(stretches: Stretch<boolean>[], from: number, to: number): Span[] {
  return stretches.flatMap((stretch) => {
    const part = { from: Math.max(from, stretch.from), to: Math.min(to, stretch.to) }
    return part.to > part.from ? [part] : []
  })
}

function gapsIn(spans: Span[], from: number, to: number): Span[] {
  const edges = [from, ...spans.flatMap((span) => [span.from, span.to]), to]
  const gaps: Span[] = []
  for (let index = 0; index < edges.length; index += 2) {
    const gap = { from: edges[index]!, to: edges[index + 1]! }
    if (gap.to > gap.from) gaps.push(gap)
  }
  return gaps
}

type Span = { from: number; to: number }

export function length({ from, to }: Span): number {
  return to - from
}
