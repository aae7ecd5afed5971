import { stillTitle } from '../screen/likeness.ts'
import type { Screen } from '../screen/screen.ts'
import type { Sight } from '../screen/screen-match.ts'
import type { Diagnosis } from './diagnosis.ts'
import { intervalMs, type MonitorPace, nextPacing, type Pacing } from './interval.ts'
import { noStall, type Stall } from './stall.ts'

/** What the monitor remembers of one pane between two looks. Times are epoch ms. */
export type Watched = {
  attention: Attention
  /** Whether there are rules for its screen. Without them a screen that moves is all there is to see. */
  isHarness: boolean
  lookedAt: number | undefined
  /** What the last look showed. */
  screen: Screen | undefined
  sight: Sight | undefined
  /** Whether it was seen at work, or after work. */
  hasWorked: boolean
  /** For how many looks in a row the sight has been the same. */
  sightLooks: number
  pacing: Pacing
  /** When the interval by signal is over: only looks that far apart count towards a stall. */
  dueAt: number
  nextLookAt: number
  /** Looks without anything new since something happened; undefined: the fresh pace is over. */
  freshLooks: number | undefined
  stall: Stall
  /** Whether anything has moved since the last look that counted. */
  hasMoved: boolean
  diagnosis: Diagnosis | undefined
  /** Looks in a row after which it was found to stall. */
  stallLooks: number
  /** The last report, which is made only once. */
  reported: string | undefined
  dispatchedAt: number | undefined
}

/** `fresh`: its screen is the only source, so a wait has to be seen there within a moment. */
export type Attention = 'fresh' | 'steady'

/** What makes a look happen before it is due. */
export type Occasion =
  /** The harness reported something: what the screen shows is reported again. */
  | { kind: 'hook' }
  | { kind: 'title'; title: string }
  /** tmux saw the pane begin to print, or stop. */
  | { kind: 'output' }
  /** A prompt was given to it. */
  | { kind: 'dispatched' }

/** It is looked at as soon as possible. */
export function newWatched(about: Pick<Watched, 'attention' | 'isHarness'>, now: number): Watched {
  return {
    ...about,
    lookedAt: undefined,
    screen: undefined,
    sight: undefined,
    hasWorked: false,
    sightLooks: 0,
    pacing: nextPacing(undefined, 'quiet', undefined),
    dueAt: now,
    nextLookAt: now,
    freshLooks: 0,
    stall: noStall,
    hasMoved: false,
    diagnosis: undefined,
    stallLooks: 0,
    reported: undefined,
    dispatchedAt: undefined,
  }
}

/** `random` is from 0 up to 1. */
export function afterOccasion(
  watched: Watched,
  occasion: Occasion,
  { now, pace, random }: { now: number; pace: MonitorPace; random: number },
): Watched {
  switch (occasion.kind) {
    case 'hook':
      return { ...lookedAtSoon(watched, now, pace), reported: undefined }
    case 'title':
      return isNewTitle(watched, occasion.title) ? lookedAtSoon(watched, now, pace) : watched
    case 'output':
      return lookedAtSoon(watched, now, pace)
    case 'dispatched': {
      const pacing = nextPacing(undefined, 'dispatched', undefined)
      const at = Math.max(now, watched.lookedAt ?? now)
      const dueAt = at + intervalMs(pace, pacing, false, random)
      return { ...watched, dispatchedAt: at, pacing, dueAt, nextLookAt: dueAt, stall: noStall }
    }
    default:
      return occasion satisfies never
  }
}

/** Now, but not sooner after the last look than any two looks may be. */
function lookedAtSoon(watched: Watched, now: number, { leastMs }: MonitorPace): Watched {
  const soonest = watched.lookedAt === undefined ? now : Math.max(now, watched.lookedAt + leastMs)
  return { ...watched, freshLooks: 0, nextLookAt: Math.min(watched.nextLookAt, soonest) }
}

/** A spinner in a title turns all the time. */
function isNewTitle({ screen }: Watched, title: string): boolean {
  return screen === undefined || stillTitle(screen.title) !== stillTitle(title)
}
