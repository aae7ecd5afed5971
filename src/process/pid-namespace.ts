import { ancestry, descendantsOf } from './ancestry.ts'
import { namespacePidsOf } from './linux.ts'

/** The pid by which a process in its own PID namespace (a container, `unshare`) knows itself; undefined in ours. */
export function innerPidOf(pid: number): number | undefined {
  const pids = namespacePidsOf(pid)
  return pids.length > 1 ? pids.at(-1) : undefined
}

/**
 * Our pid for a process that reported its own and runs in the pane with this process. If that is uncertain, the
 * reported one.
 */
export function outerPidOf(reported: number, panePid: number | undefined): number {
  if (panePid === undefined || ancestry(reported).includes(panePid)) return reported
  const called = descendantsOf(panePid).filter((pid) => innerPidOf(pid) === reported)
  return called.length === 1 ? (called[0] ?? reported) : reported
}
