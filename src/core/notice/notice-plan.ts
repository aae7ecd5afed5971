import type { WaitLabel } from '../session/wait-label.ts'
import type { NoticeChannel, NoticeLevel } from './channel.ts'
import { type Mute, type Muteable, muteOf } from './mute.ts'
import { type QuietHours, quietMinutesLeft } from './quiet-hours.ts'

/**
 * Decides which waits to announce now, on which channels, and when to look again. Each wait is announced once per
 * level and channel. What is held back (the operator looks at it, it is muted, it is night) is not lost: it is
 * announced as soon as nothing holds it any more, if it still waits then.
 */

/** One item of the queue. Times are the admission clock's. */
export type Wait = Muteable & {
  /** Names the episode, and stays the same for as long as it lasts. */
  id: string
  label: WaitLabel
  since: number
  readyAt: number
}

/** What the operator knows of a wait already. `left`: channels that have failed to say it so far. */
export type Announced = {
  id: string
  level: NoticeLevel
  at: number
  left: readonly NoticeChannel[]
}

export type NoticeRules = {
  channels: readonly NoticeChannel[]
  afterMs: number
  /** What becomes due within this time is one notice. */
  togetherMs: number
  again: { afterMs: number; channels: readonly NoticeChannel[] } | undefined
  labels: readonly WaitLabel[]
  quietHours: QuietHours | undefined
}

export type Situation = {
  rules: NoticeRules
  /** Of the admission clock, and of the wall clock. */
  now: number
  wall: number
  /** Minute of the local day, with its fraction. */
  minute: number
  waits: readonly Wait[]
  announced: ReadonlyMap<string, Announced>
  mutes: readonly Mute[]
  /** Whether the operator looks at it. To find out costs a process: undefined until something is due. */
  isLookedAt: ((wait: Wait) => boolean) | undefined
  /** Channels that take nothing before this time: they have failed, or are busy (infinity). */
  pausedUntil: ReadonlyMap<NoticeChannel, number>
}

export type Hold = 'cooldown' | 'time' | 'mute' | 'quiet' | 'look' | 'channel' | 'together'

/** What happens to one wait, and why. `until` is the earliest change that we know of. */
export type Fate =
  | { kind: 'ignored' }
  | { kind: 'announced'; level: NoticeLevel; at: number }
  | { kind: 'held'; by: Hold; level: NoticeLevel; until: number | undefined }
  | { kind: 'due'; level: NoticeLevel; channels: readonly NoticeChannel[] }

export type Send = { channel: NoticeChannel; level: NoticeLevel; ids: string[] }

export type NoticePlan = {
  fates: ReadonlyMap<string, Fate>
  sends: Send[]
  /** What is known once these are sent. */
  announced: Announced[]
  /** When to look again if nothing changes; undefined: never. */
  wakeAt: number | undefined
}

/** Nothing reports that the operator looks away. */
const LOOK_AGAIN_MS = 3_000

export function planNotices(situation: Situation): NoticePlan {
  const { now, waits, rules } = situation
  const steps = waits.map((wait) => ({ wait, step: nextStep(wait, situation) }))
  const judged = steps.map((each) => ({ ...each, fate: fateOf(each, situation) }))
  const opensAt = Math.min(
    ...judged.flatMap(({ fate, step }) =>
      fate.kind === 'due' && step ? step.dueAt + rules.togetherMs : [],
    ),
  )
  const settled = judged.map((each) => {
    if (each.fate.kind !== 'due' || opensAt <= now) return each
    const { level } = each.fate
    return { ...each, fate: { kind: 'held', by: 'together', level, until: opensAt } as const }
  })
  const due = settled.flatMap(({ wait, step, fate }) =>
    fate.kind === 'due' && step ? [{ id: wait.id, step, channels: fate.channels }] : [],
  )
  return {
    fates: new Map(settled.map(({ wait, fate }) => [wait.id, fate])),
    sends: sendsOf(due),
    announced: due.map(({ id, step, channels }) => ({
      id,
      level: step.level,
      at: step.announcedAt ?? now,
      left: step.channels.filter((channel) => !channels.includes(channel)),
    })),
    wakeAt: earliest(
      settled.flatMap(({ step, fate }) => [
        ...(fate.kind === 'held' && fate.until !== undefined ? [fate.until] : []),
        ...(step?.thenAt === undefined ? [] : [step.thenAt]),
      ]),
    ),
  }
}

/** The next thing to say about a wait. `thenAt`: when there will be another, however this one goes. */
type Step = {
  level: NoticeLevel
  dueAt: number
  channels: readonly NoticeChannel[]
  announcedAt?: number
  thenAt?: number
}

function nextStep(wait: Wait, { announced, rules, now }: Situation): Step | undefined {
  const known = announced.get(wait.id)
  const { channels, again, afterMs } = rules
  if (!known) return { level: 'first', dueAt: wait.since + afterMs, channels }
  // A channel may have been taken out of the settings since.
  const wanted = [...channels, ...(again?.channels ?? [])]
  const left = known.left.filter((channel) => wanted.includes(channel))
  const second: Step | undefined =
    again && known.level === 'first'
      ? {
          level: 'again',
          dueAt: known.at + again.afterMs,
          channels: [...new Set([...again.channels, ...left])],
        }
      : undefined
  if (left.length === 0 || (second && second.dueAt <= now)) return second
  return {
    ...{ level: known.level, dueAt: known.at, channels: left, announcedAt: known.at },
    ...(second && { thenAt: second.dueAt }),
  }
}

function fateOf({ wait, step }: { wait: Wait; step: Step | undefined }, s: Situation): Fate {
  const { now, wall, rules } = s
  if (!rules.labels.includes(wait.label)) return { kind: 'ignored' }
  if (!step) {
    const known = s.announced.get(wait.id)
    return { kind: 'announced', level: known?.level ?? 'first', at: known?.at ?? now }
  }
  const { level } = step
  const held = (by: Hold, until?: number): Fate => ({ kind: 'held', by, level, until })
  if (wait.readyAt > now) return held('cooldown', wait.readyAt)
  if (step.dueAt > now) return held('time', step.dueAt)
  const mute = muteOf(wait, s.mutes, wall)
  if (mute) return held('mute', mute.until === null ? undefined : now + mute.until - wall)
  const quiet = rules.quietHours ? quietMinutesLeft(rules.quietHours, s.minute) : 0
  if (quiet > 0) return held('quiet', now + Math.ceil(quiet * 60_000))
  const channels = step.channels.filter((channel) => (s.pausedUntil.get(channel) ?? 0) <= now)
  if (channels.length === 0) return held('channel', earliest(pauses(step, s)))
  if (s.isLookedAt?.(wait)) return held('look', now + LOOK_AGAIN_MS)
  return { kind: 'due', level, channels }
}

/** A busy channel reports when it is done. */
function pauses({ channels }: Step, { pausedUntil }: Situation): number[] {
  return channels.map((channel) => pausedUntil.get(channel) ?? 0).filter(Number.isFinite)
}

type Due = { id: string; step: Step; channels: readonly NoticeChannel[] }

/** One for each level and channel. */
function sendsOf(due: readonly Due[]): Send[] {
  const sends: Send[] = []
  for (const { id, step, channels } of due) {
    for (const channel of channels) {
      const same = sends.find((send) => send.channel === channel && send.level === step.level)
      if (same) same.ids.push(id)
      else sends.push({ channel, level: step.level, ids: [id] })
    }
  }
  return sends
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times)
}
