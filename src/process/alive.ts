import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A zombie is as good as gone: its parent is just late to notice. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return !existsSync('/proc/self/stat')
  }
}

/**
 * Whether anything of a process group still runs: what its leader started may outlive it, as a hook
 * does that goes on in the background.
 */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  if (!existsSync('/proc/self/stat')) return true
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.some((pid) => groupOf(Number(pid)) === group && isAlive(Number(pid)))
}

function groupOf(pid: number): number | undefined {
  return statField(pid, 2)
}

/** When the process started, in the kernel's ticks; undefined when that cannot be seen. */
export function startOf(pid: number): number | undefined {
  return statField(pid, 19)
}

/** By its place after the command name, which may hold spaces and parentheses itself. */
function statField(pid: number, index: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[index])
  } catch {
    return undefined
  }
}
