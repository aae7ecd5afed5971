import { stillTitle } from '../screen/likeness.ts'
import type { Screen } from '../screen/screen.ts'
import type { Sight } from '../screen/screen-match.ts'
import type { Diagnosis } from './diagnosis.ts'
import { intervalMs, type MonitorPace, nextPacing, type Pacing } from './interval.ts'
import { noStall, type Stall } from './stall.ts'

/** What the monitor remembers about one pane between two looks. Times are epoch ms. */
export type Watched = {
  attention: Attention
  /** Whether there are rules for its screen. Without them, movement is all that the screen shows. */
  isHarness: boolean
  lookedAt: number | undefined
  /** What the last look showed. */
  screen: Screen | undefined
  sight: Sight | undefined
  /** Whether we have seen it working, or after work. */
  hasWorked: boolean
  /** How many looks in a row showed the same sight. */
  sightLooks: number
  pacing: Pacing
  /** When the interval by signal ends: only looks that far apart count towards a stall. */
  dueAt: number
  nextLookAt: number
  /** Looks without news since something happened; undefined: the fresh pace is over. */
  freshLooks: number | undefined
  stall: Stall
  /** Whether anything has moved since the last look that counted. */
  hasMoved: boolean
  diagnosis: Diagnosis | undefined
  /** Looks in a row that found it stalled. */
  stallLooks: number
  /** The last report, which is not repeated. */
  reported: string | undefined
  dispatchedAt: number | undefined
}

/** `fresh`: its screen is the only source, so we must see a wait there within a moment. */
export type Attention = 'fresh' | 'steady'

/** Reasons to look before a look is due. */
export type Occasion =
  /** The harness reported something, so we report again what the screen shows. */
  | { kind: 'hook' }
  | { kind: 'title'; title: string }
  /** tmux saw the pane start or stop printing. */
  | { kind: 'output' }
  /** Somebody gave it a prompt. */
  | { kind: 'dispatched' }

/** The first look is due as soon as possible. */
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
      const anew = { stall: noStall, diagnosis: undefined, stallLooks: 0 }
      return { ...watched, ...anew, dispatchedAt: at, pacing, dueAt, nextLookAt: dueAt }
    }
    default:
      return occasion satisfies never
  }
}

/** Now, unless that is too soon after the last look. */
function lookedAtSoon(watched: Watched, now: number, { leastMs }: MonitorPace): Watched {
  const soonest = watched.lookedAt === undefined ? now : Math.max(now, watched.lookedAt + leastMs)
  return { ...watched, freshLooks: 0, nextLookAt: Math.min(watched.nextLookAt, soonest) }
}

/** A spinner in a title turns all the time. */
function isNewTitle({ screen }: Watched, title: string): boolean {
  return screen === undefined || stillTitle(screen.title) !== stillTitle(title)
}
