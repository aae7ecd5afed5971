import { argvOf, nameOf } from '../process/command.ts'
import { groupOf } from '../process/group.ts'
import type { Adapter } from './adapter/adapter.ts'
import { ADAPTERS } from './registry.ts'

/** The harness among the foreground processes, perhaps below the shell that ran it. */
export function harnessIn(group: number): { pid: number; adapter: Adapter } | undefined {
  for (const pid of groupOf(group)) {
    const name = nameOf(pid)
    if (name === undefined) continue
    const process = { name, argv: argvOf(pid) }
    const adapter = ADAPTERS.find((one) => one.isProcess?.(process))
    if (adapter) return { pid, adapter }
  }
  return undefined
}
