import { childrenOf } from './ancestry.ts'
import { allPids, recentStat, statNow } from './linux.ts'
import { canSeeProcesses, isAlive, startOf } from './process-state.ts'

const MOST_IN_GROUP = 16

/** The process group that it is in. */
export function groupIdOf(pid: number): number | undefined {
  return recentStat(pid)?.group
}

/**
 * A process group from its leader down: the leader, its children in the same group, theirs. The first of a
 * pipeline may be gone while the others run: then we find them as children of `shell`.
 */
export function* groupOf(leader: number, shell?: number): Generator<number> {
  const isLeaderless = shell !== undefined && shell !== leader && startOf(leader) === undefined
  const waiting = isLeaderless ? childrenOf(shell) : [leader]
  for (let seen = 0; seen < MOST_IN_GROUP; seen++) {
    const pid = waiting.shift()
    if (pid === undefined) return
    if (statNow(pid)?.group !== leader) continue
    yield pid
    waiting.push(...childrenOf(pid))
  }
}

/**
 * Whether anything in a process group still runs: what the leader started may outlive it, such as a hook that
 * continues in the background.
 */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  if (!canSeeProcesses()) return true
  return allPids().some((pid) => statNow(pid)?.group === group && isAlive(pid))
}
