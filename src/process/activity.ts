import { childListOf, cpuOf, transferOf } from './linux.ts'

export { cpuOf }

/** What a process had done at the last look, and whether that was unchanged since the look before. */
export type Activity = {
  written: number | undefined
  trace: string | undefined
  isSettled: boolean
}

export function newActivity(): Activity {
  return { written: undefined, trace: undefined, isSettled: false }
}

/**
 * Whether the process has done anything that its screen may not have shown at the last look: tmux shows it a
 * little later, so it counts as active once more after the last change. Undefined if that is not visible. A
 * process that asks something gets a closer look: it may read the answer, and let a child do the rest.
 */
export function isActive(
  pid: number,
  activity: Activity,
  { isAsking = false } = {},
): boolean | undefined {
  const transfer = transferOf(pid)
  if (transfer === undefined) return undefined
  const { read, written } = transfer
  const trace = isAsking ? `${written} ${read} ${childListOf(pid)}` : `${written}`
  const isSame = trace === activity.trace
  const isNew = !isSame || !activity.isSettled
  activity.written = written
  activity.trace = trace
  activity.isSettled = isSame
  return isNew
}
