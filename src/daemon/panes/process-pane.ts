import { isAbsolute, join } from 'node:path'
import type { PaneRef } from '../../core/pane.ts'
import type { StatusSource } from '../../harness/adapter/adapter.ts'
import { ancestry } from '../../process/ancestry.ts'
import { directoryOf, environmentOf } from '../../process/environment.ts'
import { claimedPane } from '../../tmux/socket.ts'
import type { PaneInventory } from './pane-inventory.ts'

/**
 * The pane of a process: one whose own process is among its ancestors, else the one that its environment names.
 * Undefined if neither is visible; it is never guessed.
 */
export function paneOfProcess(pid: number, inventory: PaneInventory): PaneRef | undefined {
  return (
    inventory.paneWithProcess(ancestry(pid)) ??
    claimedPane(environmentOf(pid, ['TMUX', 'TMUX_PANE']))
  )
}

/** Where this process, which is a harness, publishes its status. */
export function statusDirectoryOf(pid: number, source: StatusSource): string | undefined {
  const directory = source.directory(environmentOf(pid, source.variables))
  if (directory === undefined || isAbsolute(directory)) return directory
  const cwd = directoryOf(pid)
  return cwd && join(cwd, directory)
}
