import { DEFAULT_RULES, type RateRules } from '../defaults.ts'

/** When triggers of the same thread and of the same agent were recently claimed. */
export type RecentTriggers = { ofThread: readonly number[]; ofAgent: readonly number[] }

/** How long a trigger has to wait until there are few enough; undefined if there already are. */
export function rateLimitedUntil(
  { ofThread, ofAgent }: RecentTriggers,
  now: number,
  { windowMs, perThread, perAgent }: RateRules = DEFAULT_RULES.rate,
): number | undefined {
  const until = Math.max(
    freeAt(ofThread, now, perThread, windowMs),
    freeAt(ofAgent, now, perAgent, windowMs),
  )
  return until > now ? until : undefined
}

/** When the window holds fewer than `most`: once the one that is `most` from the end has left it. */
function freeAt(times: readonly number[], now: number, most: number, windowMs: number): number {
  // A time in the future counts as now: the clock was set back, and nobody waits longer than the window.
  const recent = times.map((at) => Math.min(at, now)).filter((at) => now - at < windowMs)
  const oldest = recent.toSorted((a, b) => a - b).at(-most)
  return oldest === undefined ? now : oldest + windowMs
}
