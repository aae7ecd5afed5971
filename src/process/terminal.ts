import { statSync } from 'node:fs'
import { openFileOf, openInodeOf, recentStat } from './linux.ts'

/** The foreground process group of the process's terminal, as of a moment ago. */
export function foregroundOf(pid: number): number | undefined {
  const foreground = recentStat(pid)?.foreground ?? 0
  return foreground > 1 ? foreground : undefined
}

/** Whether the process reads from a terminal; true if it cannot be looked at. */
export function isOnTerminal(pid: number): boolean {
  return /^\/dev\/(?:pts\/|tty|console)/.test(openFileOf(pid, 0) ?? '/dev/tty')
}

/**
 * Whether the process reads from this terminal. In a container the same name means another one. True if it cannot be
 * looked at.
 */
export function isTerminalOf(pid: number, tty: string): boolean {
  const own = openInodeOf(pid, 0)
  if (!own) return true
  const named = statSync(tty, { throwIfNoEntry: false })
  return named?.dev === own.dev && named.ino === own.ino
}
