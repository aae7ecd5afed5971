import type { Herd } from '../herd/herd.ts'

/** Resolves when the herd's version is no longer `version`, or after `timeoutMs`, or on abort. */
export function waitForVersion(
  herd: Herd,
  version: number,
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
      if (herd.version !== version) finish()
    })
    signal.addEventListener('abort', finish)
  })
}
