import { basename } from 'node:path'
import type { PaneRef } from '../../core/pane.ts'
import type { StatusReading, StatusSource } from '../../harness/adapter/adapter.ts'
import { isGone } from '../../process/process-state.ts'

/** A file that cannot be read may be half written: it is looked at again before that counts. */
const HALF_WRITTEN_MS = 1_000

/** One status file, and what was made of it. */
export type Followed = {
  path: string
  source: StatusSource
  /** What tells this content from the next. */
  stamp: string
  /** The last one that counted. */
  reading: Extract<StatusReading, { ok: true }> | undefined
  /** The time under which that one was told. */
  toldAt: number
  /** Its process is gone: unless it is written to again, there is nothing in it to look for. */
  isLeftBehind: boolean
  /** Since when it cannot be understood; it may be half written at first. */
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
    toldAt: 0,
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

/** Whatever is in it, nobody publishes it any more. */
export function isOwnerGone({ source, path }: Followed, owner: number | undefined): boolean {
  return isGone(owner ?? source.pidOf(basename(path)))
}
