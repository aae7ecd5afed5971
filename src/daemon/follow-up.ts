import type { News } from './herd/announcements.ts'
import type { Herd } from './herd/herd.ts'
import { narrateAll } from './herd/narrator.ts'
import type { DaemonSettings } from './home/settings.ts'
import type { Monitor } from './monitor/monitor.ts'
import type { KnownServers } from './panes/known-servers.ts'
import type { PaneInventory, PaneSighting } from './panes/pane-inventory.ts'
import type { Projector } from './projection/projector.ts'
import type { StatusFollower } from './status/status-follower.ts'
import type { TranscriptFollower } from './transcript/transcript-follower.ts'

type FollowUpParts = {
  settings: DaemonSettings
  herd: Herd
  inventory: PaneInventory
  servers: KnownServers
  monitor: Monitor
  transcripts: TranscriptFollower
  statuses: StatusFollower
  projector: Projector
  /** Whether the daemon answers already. */
  isOpen(): boolean
}

/** What the last look says of a pane that came after it; `gone` when its whole server did. */
const MAY_BE_NEW = new Set<PaneSighting>(['unasked', 'missing', 'gone'])

/** Everything that a change of a session sets going: the log, the followers, the monitor, the projection. */
export function followUp(parts: FollowUpParts): void {
  parts.herd.onChange((news) => notice(parts, news))
  parts.herd.answerChange((news) => readOn(parts, news))
}

function notice(parts: FollowUpParts, news: News): void {
  const { settings, inventory, servers, monitor, transcripts } = parts
  narrateAll(news, settings)
  for (const session of news.updated) {
    transcripts.follow(session)
    monitor.heard(session)
    if (!session.pane || session.verdict.state === 'ended') continue
    if (MAY_BE_NEW.has(inventory.sighting(session.pane))) void servers.lookAt(session.pane.socket)
  }
}

/** What harnesses have published or written meanwhile is known before the queue is shown. */
function readOn(parts: FollowUpParts, { updated, transitions, affectsQueue }: News): void {
  const { statuses, transcripts, projector } = parts
  for (const session of updated) statuses.follow(session)
  // Before it listens nothing of what it found is on disk, and the start shows all of it at its end.
  if (!parts.isOpen()) return
  // The first session of a harness or a project makes the directories that it writes to.
  if (transitions.length > 0) statuses.sweepUnwatched()
  for (const { key } of updated) transcripts.catchUp(key)
  if (affectsQueue) projector.projectAll()
}
