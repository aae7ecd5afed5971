import type { TriageFacts } from '../../core/monitor/diagnosis.ts'
import { cpuOf } from '../../process/activity.ts'
import { descendantsOf } from '../../process/ancestry.ts'
import { nameOf } from '../../process/command.ts'
import { processState } from '../../process/process-state.ts'
import { foregroundOf } from '../../process/terminal.ts'
import type { PaneSighting } from '../panes/pane-inventory.ts'
import type { FoundProgram } from '../programs/found-program.ts'

/** The CPU time of a program and its descendants at the last measurement. */
export type CpuTimes = { at: number; usedMs: ReadonlyMap<number, number> }

export type Triage = { facts: TriageFacts; times: CpuTimes }

/** Finds the cause of a screen that stands still. CPU is counted from `before` on. */
export function triageOf(
  { pid, pidStart, foundAt, pane }: FoundProgram,
  { before, sighting, now }: { before: CpuTimes | undefined; sighting: PaneSighting; now: number },
): Triage {
  const usedMs = new Map<number, number>()
  const since = (one: number, cpuMs: number) => {
    usedMs.set(one, cpuMs)
    // A new process has used all of its time since then.
    return Math.max(0, cpuMs - (before?.usedMs.get(one) ?? 0))
  }
  const state = processState(pid, { start: pidStart, knownAt: foundAt })
  const own = state === 'gone' ? undefined : cpuOf(pid)
  const ownMs = own && since(pid, own.cpuMs)
  const children = descendantsOf(pid).flatMap((child) => {
    const seen = cpuOf(child)
    if (!seen) return []
    const name = nameOf(child) ?? '?'
    return [{ pid: child, name, state: seen.state, cpuMs: since(child, seen.cpuMs) }]
  })
  const panePid = pane.pid
  const facts: TriageFacts = {
    sessionThere: sighting === 'present' ? true : sighting === 'gone' ? false : undefined,
    processAlive: state === 'gone' ? false : state === 'unobservable' ? undefined : true,
    processState: own?.state,
    children: before && children,
    cpuMsSinceLastLook: before && ownMs,
    elapsedMs: before ? now - before.at : 0,
    shellInForeground: panePid !== undefined && foregroundOf(panePid) === panePid,
  }
  return { facts, times: { at: now, usedMs } }
}
