import type { PaneRef } from '../core/event.ts'
import type { Adapter } from '../harness/adapter.ts'
import { bytesWrittenBy } from './processes.ts'

/** For so long, and while it shows a dialog, it is looked at whenever it has written something. */
const CLOSE_WATCH_MS = 10_000

/** A harness in the foreground of a pane. */
export type FoundProgram = {
  pane: PaneRef
  pid: number
  pidStart: number | undefined
  adapter: Adapter
  statusFile: string | undefined
  foundAt: number
  lookedAt: number
  /** What the last look at its screen showed, and what was told of it. */
  shown: string
  told: string
  isAsking: boolean
  /** What it had written when that was last looked at, and whether it was as much the time before. */
  written: number | undefined
  isSettled: boolean
}

export function newFoundProgram(
  program: Pick<FoundProgram, 'pane' | 'pid' | 'pidStart' | 'adapter' | 'statusFile'>,
): FoundProgram {
  return {
    ...program,
    foundAt: Date.now(),
    lookedAt: 0,
    shown: '',
    told: '',
    isAsking: false,
    written: undefined,
    isSettled: false,
  }
}

/** Whether it may come up with something at any moment, or have got an answer. */
export function isWatched({ isAsking, foundAt }: FoundProgram, now: number): boolean {
  return isAsking || now - foundAt < CLOSE_WATCH_MS
}

/**
 * Whether it has written anything that may not have been on its screen at the last look: tmux shows it
 * a little later, so there is one more look after the last change. Undefined when that cannot be seen.
 */
export function stirs(program: FoundProgram): boolean | undefined {
  const written = bytesWrittenBy(program.pid)
  if (written === undefined) return undefined
  const isSame = written === program.written
  const isNew = !isSame || !program.isSettled
  program.written = written
  program.isSettled = isSame
  return isNew
}
