import { descendantsOf } from './ancestry.ts'
import { openFilesOf } from './linux.ts'

/** A file that a process has open. */
export type OpenFile = { path: string; pid: number }

/** The files that a process and its descendants have open, each once. A process that we cannot look into has none. */
export function openFilesUnder(root: number, isWanted: (path: string) => boolean): OpenFile[] {
  const found = new Map<string, OpenFile>()
  for (const pid of [root, ...descendantsOf(root)]) {
    for (const path of openFilesOf(pid)) {
      if (path?.startsWith('/') && isWanted(path) && !found.has(path))
        found.set(path, { path, pid })
    }
  }
  return [...found.values()]
}
