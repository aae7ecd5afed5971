import { readFileSync } from 'node:fs'
import { ancestry, descendantsOf } from './process-table.ts'

/** By which pid a process in a PID namespace of its own (a container, `unshare`) knows itself; undefined in ours. */
export function innerPidOf(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const pids = /^NSpid:\s+(.+)$/m.exec(status)?.[1]?.trim().split(/\s+/) ?? []
    return pids.length > 1 ? Number(pids.at(-1)) : undefined
  } catch {
    return undefined
  }
}

/**
 * The pid that we know a process by which told its own, and runs in the pane with this process. Where that is not
 * certain, it is the one that was told.
 */
export function outerPidOf(told: number, panePid: number | undefined): number {
  if (panePid === undefined || ancestry(told).includes(panePid)) return told
  const called = descendantsOf(panePid).filter((pid) => innerPidOf(pid) === told)
  return called.length === 1 ? (called[0] ?? told) : told
}
