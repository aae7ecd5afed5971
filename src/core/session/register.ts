import type { Ask } from './event.ts'

/** The later of two; for equal times always the same one, whichever came first. */
export function newer<T extends { at: number }>(known: T | undefined, next: T): T {
  if (known === undefined || next.at > known.at) return next
  if (next.at < known.at) return known
  return JSON.stringify(next) > JSON.stringify(known) ? next : known
}

/**
 * The same for ends of turns. A harness may report one twice: first what it asks, and a moment later that it is
 * idle, which must not remove the ask.
 */
export function laterStop<T extends { at: number; ask: Ask | undefined }>(
  known: T | undefined,
  next: T,
  momentMs: number,
): T {
  const later = newer(known, next)
  const earlier = later === next ? known : next
  const isTheSameEnd = earlier !== undefined && later.at - earlier.at <= momentMs
  return isTheSameEnd && earlier.ask && !later.ask ? earlier : later
}
