import { existsSync, readFileSync } from 'node:fs'

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

/** When the process started, in the kernel's ticks; undefined when that cannot be seen. */
export function startOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The command name may hold spaces and parentheses: fields are counted from its last `)`.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return undefined
  }
}
