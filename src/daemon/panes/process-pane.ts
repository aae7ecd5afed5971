import { isAbsolute, join } from 'node:path'
import type { PaneRef } from '../../core/pane.ts'
import type { StatusSource } from '../../harness/adapter/adapter.ts'
import { ancestry } from '../../process/ancestry.ts'
import { directoryOf, environmentOf } from '../../process/environment.ts'
import { canonicalSocket, parseTmuxVariable } from '../../tmux/socket.ts'
import type { PaneInventory } from './pane-inventory.ts'

/**
 * The pane that a process is in: one whose own process is among its ancestors, else the one that its
 * environment names. Undefined when neither can be seen; it is never guessed.
 */
export function paneOfProcess(pid: number, inventory: PaneInventory): PaneRef | undefined {
  return (
    inventory.paneWithProcess(ancestry(pid)) ??
    claimedPane(environmentOf(pid, ['TMUX', 'TMUX_PANE']))
  )
}

/** Where the harness that this process is publishes its status. */
export function statusDirectoryOf(pid: number, source: StatusSource): string | undefined {
  const directory = source.directory(environmentOf(pid, source.variables))
  if (directory === undefined || isAbsolute(directory)) return directory
  const cwd = directoryOf(pid)
  return cwd && join(cwd, directory)
}

/** Both halves or nothing: a pane without its server is not guessed. */
export function claimedPane(env: Record<string, string | undefined>): PaneRef | undefined {
  const { TMUX: tmux, TMUX_PANE: pane } = env as { TMUX?: string; TMUX_PANE?: string }
  const server = tmux === undefined ? undefined : parseTmuxVariable(tmux)
  if (!server || pane === undefined || !/^%\d{1,9}$/.test(pane)) return undefined
  return { socket: canonicalSocket(server.socket), id: pane, server: server.server }
}
