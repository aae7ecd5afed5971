import type { Herd } from '../herd/herd.ts'

const MOST_SECONDS = 30

/** How long a request may be held, from its query. */
export function waitSeconds(query: string | undefined): number {
  return Math.max(0, Math.min(Number(query ?? 0) || 0, MOST_SECONDS))
}

/** Resolves when a change makes `isSo` true, after `timeoutMs`, or on abort. */
export function untilChange(
  herd: Pick<Herd, 'onChange'>,
  isSo: () => boolean,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      stopListening()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, timeoutMs)
    const stopListening = herd.onChange(() => {
      if (isSo()) finish()
    })
    signal.addEventListener('abort', finish)
  })
}
