import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { TrailBossError } from '../../core/errors.ts'
import type { Removal, Site } from './wiring.ts'

/** Runs the change of a text; an error in it says which file it is about. `title` is who reads that file. */
export function inFile<T>(path: string, title: string, change: () => T): T {
  try {
    return change()
  } catch (error) {
    if (!(error instanceof TrailBossError)) throw error
    throw new TrailBossError(error.code, `${path}, ${error.message}`, {
      hint: error.hint ?? `${title} does not read it either. Correct it by hand.`,
      cause: error,
    })
  }
}

/** What an uninstall makes of a file, given its text and the one from before; nothing when all of it stays. */
export function reverted(
  site: Site,
  path: string,
  title: string,
  revert: (text: string, before: string | undefined) => string | undefined,
): Removal[] {
  const text = site.read(path)
  if (text === undefined) return []
  const after = inFile(path, title, () => revert(text, site.before(path)))
  return after === text ? [] : [{ path, after }]
}

/** It has its directory, or could be started. */
export function isFound(directory: string, program: string, { env }: Site): boolean {
  if (existsSync(directory)) return true
  const dirs = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return dirs.some((dir) => existsSync(join(dir, program)))
}
