import { DEFAULT_RULES, type RateRules } from '../defaults.ts'

/** When triggers were claimed lately, of the same thread and of the same agent. */
export type RecentTriggers = { ofThread: readonly number[]; ofAgent: readonly number[] }

/** Until when a trigger has to wait for there being few enough; undefined where there are. */
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

/** When the window holds less than `most`: once the one that is `most` before the end is out of it. */
function freeAt(times: readonly number[], now: number, most: number, windowMs: number): number {
  // What lies in the future counts as now: the clock was set back, and nobody waits for longer than the window.
  const recent = times.map((at) => Math.min(at, now)).filter((at) => now - at < windowMs)
  const oldest = recent.toSorted((a, b) => a - b).at(-most)
  return oldest === undefined ? now : oldest + windowMs
}
