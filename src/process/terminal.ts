import { openFileOf, recentStat } from './linux.ts'

/** The foreground process group of the process's terminal, as of a moment ago. */
export function foregroundOf(pid: number): number | undefined {
  const foreground = recentStat(pid)?.foreground ?? 0
  return foreground > 1 ? foreground : undefined
}

/** Whether the process reads from a terminal; true if it cannot be looked at. */
export function isOnTerminal(pid: number): boolean {
  return /^\/dev\/(?:pts\/|tty|console)/.test(openFileOf(pid, 0) ?? '/dev/tty')
}
