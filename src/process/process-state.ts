import { epochOf, readStat, recentStat, releaseUnasked } from './linux.ts'

export { releaseUnasked }

export type ProcessState = 'alive' | 'suspended' | 'gone' | 'unobservable'

/** What distinguishes a process from a later one with the same pid. */
export type KnownProcess = {
  /** When it started, in ticks since boot; undefined if we did not see that. */
  start: number | undefined
  /** When we first knew it, epoch ms: used if `start` is unknown. */
  knownAt: number
}

/** A pid whose process began this long after we first knew it belongs to another process. */
const REUSE_MARGIN_MS = 5_000
const WHOEVER: KnownProcess = { start: undefined, knownAt: Number.POSITIVE_INFINITY }

/** The state of process `pid`, if it is still the one we know. A zombie is gone: its parent is just late to notice. */
export function processState(pid: number, known: KnownProcess): ProcessState {
  const stat = readStat(pid)
  if (stat === 'unobservable') return isGone(pid) ? 'gone' : 'alive'
  if (stat === 'gone') return 'gone'
  const isAnother =
    known.start === undefined
      ? epochOf(stat.start) > known.knownAt + REUSE_MARGIN_MS
      : stat.start !== known.start
  if (isAnother || stat.state === 'Z' || stat.state === 'X') return 'gone'
  return stat.state === 'T' || stat.state === 't' ? 'suspended' : 'alive'
}

/** Whether any process has the pid, and is no zombie. */
export function isAlive(pid: number): boolean {
  return processState(pid, WHOEVER) !== 'gone'
}

/** A tenth of the cost of `processState`; takes a zombie, or whoever has the pid now, for alive. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** When the process started, in ticks since boot, which do not change when a clock is set. */
export function startOf(pid: number): number | undefined {
  return recentStat(pid)?.start
}

/** The same as epoch ms, accurate to about a second. */
export function startedAtOf(pid: number): number | undefined {
  const start = startOf(pid)
  return start === undefined ? undefined : epochOf(start)
}

/** Whether this system shows other processes at all. */
export function canSeeProcesses(): boolean {
  return startOf(process.pid) !== undefined
}
