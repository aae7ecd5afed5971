import type { PaneRef } from '../../core/pane.ts'
import { isTerminalOf } from '../../process/terminal.ts'
import { lookForNesting } from '../../tmux/attached-clients.ts'
import type { RunCommands } from '../../tmux/exec.ts'
import type { OperatorClient } from '../../tmux/navigate.ts'
import { type Onlookers, onlookersAt } from '../../tmux/onlookers.ts'
import { viewTag } from '../../tmux/view-window.ts'

/** Something that a terminal may show: in its pane, or in a window that we opened for it. */
type Shown = { pane: PaneRef | null; harness: string; session: string }

/** Asks every server who looks where. A server that does not answer shows nothing, and hides nothing either. */
export async function lookForOnlookers(
  sockets: readonly string[],
  ask: RunCommands,
): Promise<(shown: Shown) => boolean> {
  const wall = Date.now()
  const found = new Map<string, Onlookers>()
  await Promise.all(
    sockets.map(async (socket) => {
      const seen = await onlookersAt(socket, wall, ask)
      if (seen) found.set(socket, seen)
    }),
  )
  return ({ pane, harness, session }) => {
    if (pane) return found.get(pane.socket)?.panes.has(pane.id) === true
    const tag = viewTag(harness, session)
    return [...found.values()].some(({ views }) => views.has(tag))
  }
}

/** The terminal in which the operator last pressed a key; never one inside a pane. */
export async function operatorTerminal(
  sockets: readonly string[],
): Promise<OperatorClient | undefined> {
  const { clients } = await lookForNesting(sockets)
  const own = clients.filter(
    ({ runsIn, pid, name }) => !runsIn && (pid === undefined || isTerminalOf(pid, name)),
  )
  const [latest] = own.toSorted((a, b) => b.activity - a.activity)
  return latest && { socket: latest.socket, name: latest.name }
}
