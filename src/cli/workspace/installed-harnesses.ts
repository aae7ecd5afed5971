import type { ManagedAdapter } from '../../harness/adapter/adapter.ts'
import { defaultProgram, findProgram } from '../../harness/adapter/program-file.ts'
import { managedAdapters } from '../../harness/registry.ts'

export type HarnessFound = {
  adapter: ManagedAdapter
  /** Where its program is; undefined if it is not installed. */
  program: string | undefined
}

/** Every harness that Trail Boss can run, and whether its program is in `PATH`. */
export function findHarnesses(env: NodeJS.ProcessEnv): HarnessFound[] {
  return managedAdapters().map((adapter) => {
    const place = { path: env['PATH'], cwd: '/' }
    return { adapter, program: findProgram(defaultProgram(adapter), place) }
  })
}
