const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `42s`, `7m`, `1h04m`, `23h`, `3d`: at most five columns below a thousand days. */
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

/** How long ago; `-` if unknown. */
export function ageText(since: number | null, now: number): string {
  return since === null ? '-' : durationText(now - since)
}

/** The time left until `at`, never `0s` while any is left. */
export function remainingText(at: number, now: number): string {
  return durationText(Math.ceil((at - now) / 1_000) * 1_000)
}

/** The same with tenths of a second below ten seconds: how long something took. */
export function elapsedText(ms: number): string {
  return ms < 10_000 ? `${(Math.max(0, ms) / 1_000).toFixed(1)}s` : durationText(ms)
}

/** For a sentence: a moment, 42 seconds, 1 minute, 3 hours, 2 days. */
export function spelledDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 1) return 'a moment'
  const [count, unit] =
    seconds < MINUTE
      ? [seconds, 'second']
      : seconds < HOUR
        ? [Math.floor(seconds / MINUTE), 'minute']
        : seconds < DAY
          ? [Math.floor(seconds / HOUR), 'hour']
          : [Math.floor(seconds / DAY), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
