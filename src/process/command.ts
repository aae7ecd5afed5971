import { basename } from 'node:path'
import { allPids, nameOf, programFileOf, readCommandLine, recentStat } from './linux.ts'

export { nameOf, programFileOf }

/** Its name a moment ago: another name means another program, under the same pid. */
export function recentNameOf(pid: number): string | undefined {
  return recentStat(pid)?.name
}

/** Its arguments; empty if they are not visible, and cut off if they are very long. */
export function argvOf(pid: number): string[] {
  return (readCommandLine(pid) ?? '').split('\0').slice(0, -1)
}

/** By its first argument: Node and others give their threads names of their own. */
export function programNameOf(pid: number): string | undefined {
  const [program = ''] = (readCommandLine(pid) ?? '').split('\0')
  return basename(program) || nameOf(pid)?.trim() || undefined
}

/** Whether any process was started with these words near the beginning of its arguments. */
export function isRunningWith(words: string): boolean {
  return allPids().some((pid) => readCommandLine(pid)?.includes(words))
}
