import { join } from 'node:path'
import type { PaneRef } from '../../core/pane.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import { argvOf, nameOf } from '../../process/command.ts'
import { groupOf } from '../../process/group.ts'
import { innerPidOf } from '../../process/pid-namespace.ts'
import { startOf } from '../../process/process-state.ts'
import { isShell } from '../../process/shell.ts'
import { statusDirectoryOf } from '../panes/process-pane.ts'

/** A program in the foreground of a pane that is a harness, or that should be watched. */
export type FoundProgram = {
  pane: PaneRef
  pid: number
  pidStart: number | undefined
  /** Undefined: not a harness that we know. */
  adapter: Adapter | undefined
  /** What it calls itself, in plain characters. */
  name: string
  /** It runs no session: it shows one that runs in the background, or a list of them. */
  view: { job?: string } | undefined
  statusFile: string | undefined
  /** Its pid inside its own PID namespace; undefined in ours. */
  innerPid: number | undefined
  /** Epoch ms. */
  foundAt: number
}

/** A process and what it is. */
export type ProcessMatch = Pick<FoundProgram, 'pid' | 'adapter' | 'name'>

export function newFoundProgram(pane: PaneRef, { pid, adapter, name }: ProcessMatch): FoundProgram {
  const directory = adapter?.status && statusDirectoryOf(pid, adapter.status)
  const innerPid = adapter?.status && innerPidOf(pid)
  return {
    pane,
    pid,
    pidStart: startOf(pid),
    adapter,
    name,
    view: adapter?.background?.viewOf?.(argvOf(pid)),
    statusFile:
      directory && adapter?.status && join(directory, adapter.status.fileFor(innerPid ?? pid)),
    innerPid,
    foundAt: Date.now(),
  }
}

/** Any program but a shell at its prompt: the first of the group, which leads the others. */
export function programIn(group: number, panePid: number): ProcessMatch | undefined {
  const [pid] = groupOf(group, panePid)
  const name = pid === undefined ? undefined : nameOf(pid)
  if (pid === undefined || name === undefined || isShell(name, argvOf(pid))) return undefined
  return { pid, adapter: undefined, name: plain(name) }
}

/** The first of the group that has one of these names. */
export function commandIn(group: number, commands: ReadonlySet<string>): ProcessMatch | undefined {
  for (const pid of groupOf(group)) {
    const name = nameOf(pid)
    if (name !== undefined && commands.has(name))
      return { pid, adapter: undefined, name: plain(name) }
  }
  return undefined
}

/** It becomes part of a session's id, and a name can be anything. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._+-]/g, '_') || 'program'
}
