import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { TrailBossError } from '../../core/errors.ts'
import type { Removal, Site } from './wiring.ts'

/** Runs a change of a text; an error names the file. `title` is the program that reads it. */
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

/** The result of an uninstall, given a file's text and the original one; empty if all of it stays. */
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

/** Its directory exists, or it could be started. */
export function isFound(directory: string, program: string, { env }: Site): boolean {
  if (existsSync(directory)) return true
  const dirs = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return dirs.some((dir) => existsSync(join(dir, program)))
}
