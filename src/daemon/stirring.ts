import { bytesWrittenBy } from './processes.ts'

/** What a process had written when that was last looked at, and whether it was as much the time before. */
export type Writing = { written: number | undefined; isSettled: boolean }

export function newWriting(): Writing {
  return { written: undefined, isSettled: false }
}

/**
 * Whether the process has written anything that may not have been on its screen at the last look: tmux
 * shows it a little later, so it stirs once more after the last change. Undefined when that cannot be seen.
 */
export function stirs(pid: number, writing: Writing): boolean | undefined {
  const written = bytesWrittenBy(pid)
  if (written === undefined) return undefined
  const isSame = written === writing.written
  const isNew = !isSame || !writing.isSettled
  writing.written = written
  writing.isSettled = isSame
  return isNew
}
