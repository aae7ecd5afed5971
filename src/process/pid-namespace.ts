import { ancestry, descendantsOf } from './ancestry.ts'
import { namespacePidsOf } from './linux.ts'

/** By which pid a process in a PID namespace of its own (a container, `unshare`) knows itself; undefined in ours. */
export function innerPidOf(pid: number): number | undefined {
  const pids = namespacePidsOf(pid)
  return pids.length > 1 ? pids.at(-1) : undefined
}

/**
 * The pid that we know a process by which reported its own, and runs in the pane with this process. Where that is
 * not certain, it is the reported one.
 */
export function outerPidOf(reported: number, panePid: number | undefined): number {
  if (panePid === undefined || ancestry(reported).includes(panePid)) return reported
  const called = descendantsOf(panePid).filter((pid) => innerPidOf(pid) === reported)
  return called.length === 1 ? (called[0] ?? reported) : reported
}
