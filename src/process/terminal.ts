import { openFileOf, recentStat } from './linux.ts'

/** The process group in the foreground of the terminal that the process is on, as of a moment ago. */
export function foregroundOf(pid: number): number | undefined {
  const foreground = recentStat(pid)?.foreground ?? 0
  return foreground > 1 ? foreground : undefined
}

/** Whether the process reads from a terminal; one that cannot be looked at counts as one that does. */
export function isOnTerminal(pid: number): boolean {
  return /^\/dev\/(?:pts\/|tty|console)/.test(openFileOf(pid, 0) ?? '/dev/tty')
}
