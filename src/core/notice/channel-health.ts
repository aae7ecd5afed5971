/** What the last try on a channel showed. `nobody`: no terminal was attached. Times are the admission clock's. */
export type ChannelHealth =
  | { kind: 'ready' }
  /** `why` and `tries`: what the tries before this one showed, until it has ended. */
  | { kind: 'busy'; tries: number; why?: string }
  | { kind: 'nobody'; retryAt: number }
  | { kind: 'failing'; tries: number; retryAt: number; why: string }

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
/** To look for a terminal costs a process, and whoever attaches again sees the status line anyway. */
const ALONE_MS = 60_000

export function healthAfter(
  result: { kind: 'sent' } | { kind: 'nobody' } | { kind: 'failed'; why: string },
  triesBefore: number,
  now: number,
): ChannelHealth {
  if (result.kind === 'sent') return { kind: 'ready' }
  if (result.kind === 'nobody') return { kind: 'nobody', retryAt: now + ALONE_MS }
  const tries = triesBefore + 1
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(triesBefore, 20), LONGEST_PAUSE_MS)
  const retryAt = now + pauseMs
  return { kind: 'failing', tries, retryAt, why: result.why }
}

export function busyAfter(health: ChannelHealth): ChannelHealth {
  const tries = 'tries' in health ? health.tries : 0
  return { kind: 'busy', tries, ...('why' in health && { why: health.why }) }
}

export function pausedUntil(health: ChannelHealth): number {
  if (health.kind === 'ready') return 0
  return health.kind === 'busy' ? Number.POSITIVE_INFINITY : health.retryAt
}
