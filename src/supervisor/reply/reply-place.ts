import type { Pane } from '../../core/pane.ts'
import type { Cursor } from '../../core/screen/screen.ts'
import type { Session } from '../../core/session/session.ts'
import type { ReplySight } from '../../core/supervisor/reply/obstacle.ts'
import { adapterFor } from '../../harness/registry.ts'
import { harnessIn } from '../../harness/running-harness.ts'
import { groupIdOf } from '../../process/group.ts'
import { processState } from '../../process/process-state.ts'
import { foregroundOf } from '../../process/terminal.ts'
import type { AdmissionClock } from '../../service/clock.ts'
import type { ServerLinks } from '../../tmux/server-link/server-links.ts'
import { operatorActivity } from '../../tmux/write/operator-activity.ts'
import { seenComposer } from '../triggers/seen-composer.ts'

export type ReplyPlaceParts = {
  links: Pick<ServerLinks, 'at' | 'ask' | 'screenOf'>
  clock: Pick<AdmissionClock, 'now' | 'fromWall'>
  /** How long the pane must have been free of typing. */
  quietMs: number
}

/** What was seen there, when we began to look, and when somebody last pressed a key. */
export type SeenPlace = {
  sight: ReplySight
  cursor?: Cursor | undefined
  lookedAt: number
  operatorActiveAt?: number | undefined
}

/** The session's own pane, by its full identity; undefined if it is not there. Throws if tmux does not answer. */
export async function replyPane(
  { pane }: Session,
  { links }: ReplyPlaceParts,
): Promise<Pane | undefined> {
  if (!pane) return undefined
  const listing = await links.at(pane.socket).list()
  const listed = listing.ok ? listing.panes.get(pane.id) : undefined
  if (!listing.ok || !listed || listed.dead) return undefined
  const { serverPid: server } = listing
  const isOther = (known: number | undefined, now: number) => known !== undefined && known !== now
  if (isOther(pane.server, server) || isOther(pane.pid, listed.pid)) return undefined
  return { socket: pane.socket, id: pane.id, server, pid: listed.pid }
}

/** Looks once. `client` is the one whose popup the reply was written in: its keys do not reach the pane. */
export async function seenPlace(
  pane: Pane,
  session: Session,
  client: string | undefined,
  { links, clock, quietMs }: ReplyPlaceParts,
): Promise<SeenPlace> {
  const lookedAt = clock.now()
  if (!isInFront(pane, session)) return { sight: { kind: 'other-program' }, lookedAt }
  try {
    const [seen, [activity]] = await Promise.all([
      seenComposer(pane, session.harness, links),
      operatorActivity(pane.socket, [pane], links.ask, client),
    ])
    const operatorActiveAt = activity === undefined ? undefined : clock.fromWall(activity)
    const isTypedIn = operatorActiveAt !== undefined && clock.now() - operatorActiveAt < quietMs
    const sight: ReplySight = seen.isInMode
      ? { kind: 'scrolled' }
      : isTypedIn
        ? { kind: 'typed-in' }
        : { kind: 'composer', composer: seen.composer }
    return { sight, cursor: seen.screen?.cursor, lookedAt, operatorActiveAt }
  } catch {
    return { sight: { kind: 'unseen' }, lookedAt }
  }
}

/**
 * Whether the keys of this pane go to the session: its own process is in the foreground there, or a terminal of the
 * harness that shows what another process of it runs.
 */
function isInFront(pane: Pane, { harness, pid, pidStart, lastAt }: Session): boolean {
  if (pid === undefined) return false
  if (processState(pid, { start: pidStart, knownAt: lastAt }) !== 'alive') return false
  const front = foregroundOf(pane.pid)
  if (front === undefined) return false
  if (groupIdOf(pid) === front) return true
  const isShown = adapterFor(harness)?.sharedDaemon !== undefined
  return isShown && harnessIn(front)?.adapter.harness === harness
}
