import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { TrailBossError } from '../../core/errors.ts'
import type { ManagedHarness } from './managed.ts'

/** Where programs are looked for: a `PATH`, and the directory that a relative path starts in. */
export type ProgramPlace = { path: string | undefined; cwd: string }

/** The program that starts the harness, where the configuration names none. */
export function defaultProgram({ managed }: { managed: ManagedHarness }): string {
  return managed.launch({ args: [] }).argv[0] ?? ''
}

/** Undefined where there is no such program. */
export function findProgram(name: string, { path = '', cwd }: ProgramPlace): string | undefined {
  const candidates = name.includes('/')
    ? [isAbsolute(name) ? name : join(cwd, name)]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((directory) => join(directory, name))
  return candidates.find(isProgram)
}

/** The program that the command begins with, else the harness's own. Throws `HARNESS_MISSING`. */
export function requireProgram(
  harness: { title: string; managed: ManagedHarness },
  command: readonly string[] | undefined,
  place: ProgramPlace,
): string {
  const name = command?.[0] ?? defaultProgram(harness)
  const found = findProgram(name, place)
  if (found !== undefined) return found
  throw new TrailBossError(
    'HARNESS_MISSING',
    `${harness.title} is not installed: there is no ${name}.`,
    { hint: 'Install it, or name its program in "command" of the role.' },
  )
}

/** Whether there is a program at this path that we may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
