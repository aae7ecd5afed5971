import { basename } from 'node:path'
import type { PaneRef } from '../../core/pane.ts'
import type { AgentEvent } from '../../core/session/event.ts'
import type { StatusSource } from '../../harness/adapter/adapter.ts'
import { isGone } from '../../process/process-state.ts'
import { isLeftBehind, type Reading } from './status-reading.ts'

/** A file that cannot be read may be half written, so it is read again before that counts. */
const HALF_WRITTEN_MS = 1_000

/** One status file, and what was read from it. */
export type Followed = {
  path: string
  source: StatusSource
  /** Identifies this content. */
  stamp: string
  /** The last reading that counted. */
  reading: Reading | undefined
  /** The time of the last event from it. */
  lastEventAt: number
  /** Its process is gone, so it is not read again unless somebody writes to it. */
  isLeftBehind: boolean
  /** Since when it cannot be parsed; it may be half written at first. */
  brokenSince: number | undefined
  isMisunderstood: boolean
  pane: PaneRef | undefined
  timer: NodeJS.Timeout | undefined
}

export function newFollowed(path: string, source: StatusSource): Followed {
  return {
    path,
    source,
    stamp: '',
    reading: undefined,
    lastEventAt: 0,
    isLeftBehind: false,
    brokenSince: undefined,
    isMisunderstood: false,
    pane: undefined,
    timer: undefined,
  }
}

export function brokenMsLeft({ brokenSince = 0 }: Followed): number {
  return brokenSince + HALF_WRITTEN_MS - Date.now()
}

/** If its process is gone, nobody publishes the file. */
export function isOwnerGone({ source, path }: Followed, owner: number | undefined): boolean {
  return isGone(owner ?? source.pidOf(basename(path)))
}

/** What runs in the background is in no pane, whoever started it. */
export function placeOf({ job }: AgentEvent, { pane }: Followed): Pick<AgentEvent, 'pane'> {
  return pane && job === undefined ? { pane } : {}
}

/** The session that became the job, and the pane in which its process shows the job now. */
export function jobOriginIn(
  all: Iterable<Followed>,
  job: string,
): { session: string; pane: PaneRef | undefined } | undefined {
  for (const { reading, pane } of all) {
    if (reading?.showsJob === job && !isLeftBehind(reading))
      return { session: reading.session, pane }
  }
  return undefined
}
