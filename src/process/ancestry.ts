import { childListOf, statNow, threadsOf } from './linux.ts'

export { childListOf }

const MOST_ANCESTORS = 64
const MOST_DESCENDANTS = 64

/** The chain of parents from `pid` upwards, itself first. Empty if it is not visible. */
export function ancestry(pid: number): number[] {
  const chain: number[] = []
  for (let current = pid; current > 1 && chain.length < MOST_ANCESTORS; ) {
    const stat = statNow(current)
    if (stat === undefined) return chain
    chain.push(current)
    current = stat.parent
  }
  return chain
}

/** A bounded number of its descendants, nearest first, including those started by its other threads. */
export function descendantsOf(pid: number): number[] {
  const found = [pid]
  for (let at = 0; at < found.length && found.length <= MOST_DESCENDANTS; at++) {
    for (const thread of threadsOf(found[at] ?? 0))
      found.push(...childrenOf(found[at] ?? 0, thread))
  }
  return found.slice(1, MOST_DESCENDANTS + 1)
}

/** The children of its main thread, or of another one. */
export function childrenOf(pid: number, thread: number | string = pid): number[] {
  return childrenIn(childListOf(pid, thread))
}

export function childrenIn(list: string): number[] {
  return list.split(' ').filter(Boolean).map(Number)
}
