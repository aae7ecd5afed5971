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
