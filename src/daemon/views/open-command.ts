import { basename } from 'node:path'
import type { Session } from '../../core/session/session.ts'
import type { Adapter } from '../../harness/adapter/adapter.ts'
import { adapterFor } from '../../harness/registry.ts'
import { argvOf, programFileOf } from '../../process/command.ts'

/** The command that shows a session which runs in the background; undefined for any other. */
export function openCommandOf(
  { harness, job, pid, transcript }: Session,
  home: string | undefined,
): string[] | undefined {
  const adapter = adapterFor(harness)
  if (job === undefined || !adapter?.background) return undefined
  const program = pid === undefined ? undefined : ownFileOf(pid, adapter)
  const argv = pid === undefined || program === undefined ? [] : argvOf(pid)
  return adapter.background.openCommand({ job, program, argv, transcript, home })
}

/** A pid that somebody reported may be any program's, and a script's file is its interpreter. */
function ownFileOf(pid: number, { isProcess, isProgram }: Adapter): string | undefined {
  const file = programFileOf(pid)
  return file && (isProgram ?? isProcess)?.({ name: basename(file), argv: argvOf(pid) })
    ? file
    : undefined
}
