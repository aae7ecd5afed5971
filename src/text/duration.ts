const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `42s`, `7m`, `1h04m`, `23h`, `3d`: at most five columns until a thousand days. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < MINUTE) return `${seconds}s`
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`
  if (seconds < 10 * HOUR) {
    const minutes = Math.floor((seconds % HOUR) / MINUTE)
    return `${Math.floor(seconds / HOUR)}h${String(minutes).padStart(2, '0')}m`
  }
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)}h`
  return `${Math.floor(seconds / DAY)}d`
}

/** What is left until `at`, never `0s` while anything is left. */
export function remainingText(at: number, now: number): string {
  return durationText(Math.ceil((at - now) / 1_000) * 1_000)
}
