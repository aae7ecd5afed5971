import { basename } from 'node:path'
import { nameOf, readCommandLine, recentStat } from './linux.ts'

export { nameOf }

/** What it called itself a moment ago: another name is another program, under the same pid. */
export function recentNameOf(pid: number): string | undefined {
  return recentStat(pid)?.name
}

/** What it was started with; empty when that cannot be seen, and cut off where it is very long. */
export function argvOf(pid: number): string[] {
  return (readCommandLine(pid) ?? '').split('\0').slice(0, -1)
}

/** By what it was started as: Node and others give their threads names of their own. */
export function programNameOf(pid: number): string | undefined {
  const [program = ''] = (readCommandLine(pid) ?? '').split('\0')
  return basename(program) || nameOf(pid)?.trim() || undefined
}
