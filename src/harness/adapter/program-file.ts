import { accessSync, constants, statSync } from 'node:fs'

/** Whether there is a program at this path that we may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
