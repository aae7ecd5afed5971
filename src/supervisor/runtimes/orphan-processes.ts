import type { Pane } from '../../core/pane.ts'
import { environmentOf } from '../../process/environment.ts'
import { claimedPane } from '../../tmux/socket.ts'

/**
 * Processes that outlive their pane. Until such a process has ended it may still write into its session, so a
 * second one must not start. If it does not end by itself we end it, since nobody could ever see it again.
 */
export class OrphanProcesses {
  readonly #patienceMs: number
  readonly #since = new Map<string, number>()

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** For a pane that is gone, or that has another process in it. */
  isAlive(runtimeId: string, pane: Pane, now: number): boolean {
    if (!isProcessOf(pane)) {
      this.#since.delete(runtimeId)
      return false
    }
    const since = this.#since.get(runtimeId) ?? now
    this.#since.set(runtimeId, since)
    if (now - since >= this.#patienceMs) end(pane.pid)
    return true
  }

  forget(runtimeId: string): void {
    this.#since.delete(runtimeId)
  }
}

/** Its environment shows this: another process with a reused pid has a different one. */
export function isProcessOf({ server, id, pid }: Pane): boolean {
  const claimed = claimedPane(environmentOf(pid, ['TMUX', 'TMUX_PANE']))
  return claimed?.id === id && claimed.server === server
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}
