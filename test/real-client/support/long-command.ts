import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Needs a permission, and then runs until `endCommand`. */
export const LONG_COMMAND = 'touch begun; until [ -e over ]; do sleep 0.1; done'

export function hasBegun({ cwd }: { cwd: string }): boolean {
  return existsSync(join(cwd, 'begun'))
}

export function endCommand({ cwd }: { cwd: string }): void {
  writeFileSync(join(cwd, 'over'), '')
}
