import type { QueueItem, StatusView, Warning } from '../../contract/responses.ts'
import { isReady } from '../../core/session/queue.ts'
import { labelOf, WAIT_LABELS, type WaitLabel } from '../../core/session/wait-label.ts'
import { version } from '../../core/version.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import type { Herd } from '../herd/herd.ts'
import type { PaneInventory } from '../panes/pane-inventory.ts'

const startedAt = Date.now()

/** The status of the daemon, the queue and the tmux servers. */
export function statusOf(
  herd: Herd,
  inventory: PaneInventory,
  links: ServerLinks,
  tcp: StatusView['tcp'],
  warnings: readonly Warning[],
  head: QueueItem | undefined,
): StatusView {
  const queue = herd.queue()
  const now = herd.clock.now()
  return {
    daemon: { running: true, pid: process.pid, version, startedAt },
    stuck: queue.length,
    ready: queue.filter((session) => isReady(session, now)).length,
    dismissed: herd.dismissed().length,
    ...(head && { head }),
    working: herd.working(),
    labels: countBy(queue.map(({ verdict }) => labelOf(verdict))),
    warnings: warnings.map(({ text }) => text),
    warningKinds: warnings.map(({ kind }) => kind),
    tcp,
    servers: inventory.sockets().map((socket) => ({
      socket,
      reachable: inventory.isReachable(socket),
      panes: inventory.paneCount(socket),
      control: links.at(socket).control,
    })),
  }
}

/** In documented order, without labels that no session has. */
function countBy(labels: readonly WaitLabel[]): Partial<Record<WaitLabel, number>> {
  const counts = WAIT_LABELS.map((label) => [label, labels.filter((one) => one === label).length])
  return Object.fromEntries(counts.filter(([, count]) => count !== 0))
}
