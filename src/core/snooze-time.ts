import { displayLine, truncate } from './text.ts'

/** How long an item stays away: for a while, or until a time of the wall clock, in epoch ms. */
export type SnoozeTime = { cooldownMs: number } | { until: number }

export const SNOOZE_EXAMPLES =
  '45s, 30m, 2h, 1h30m, 1d, 14:30, 9am, noon, tomorrow, tomorrow 8:15, monday'

export const LONGEST_SNOOZE_MS = 31 * 86_400_000

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 }
const DURATION = /^(?:(\d+)d)? ?(?:(\d+)h)? ?(?:(\d+)m)? ?(?:(\d+)s)?$/
const CLOCK = /^(\d{1,2})(?::(\d\d))?\s*(am|pm)?$/
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MORNING = { hours: 9, minutes: 0 }
const NOON = { hours: 12, minutes: 0 }
/** Whoever says midnight means the end of that day. */
const MIDNIGHT = { hours: 24, minutes: 0 }
/** Whoever is up before this hour means the morning of the same date. */
const NIGHT_ENDS = 5

/** A time, or why a time cannot be meant, in a sentence. */
export type SnoozeReading = { time: SnoozeTime } | { why: string }

/** What the operator typed, or undefined if it is no time at all; `now` in their own time zone. */
export function readSnooze(typed: string, now: Date): SnoozeReading | undefined {
  const text = plainTime(typed)
  const cooldownMs = durationMs(text)
  if (cooldownMs === undefined) return untilTime(text, now)
  if (cooldownMs === 0) return { why: `${shown(typed)} is over at once.` }
  if (cooldownMs > LONGEST_SNOOZE_MS) return { why: `${shown(typed)} is more than 31 days away.` }
  return { time: { cooldownMs } }
}

/** For any other words. */
export function unreadableTime(typed: string): string {
  return `${shown(typed)} cannot be read as a time.`
}

function untilTime(text: string, now: Date): SnoozeReading | undefined {
  const [day, others] = dayFirst(text.split(' '), now)
  const time = clockTime(others.join(' '))
  if (day === undefined) return time && { time: { until: nextTime(now, time) } }
  if (!time && others.length > 0) return undefined
  const until = dateAt(now, day.ahead, time ?? MORNING).getTime()
  if (until > now.getTime()) return { time: { until } }
  if (day.word === 'today') return { why: `${shown(text)} is over.` }
  // At night, tomorrow is the same date: unless that hour has passed.
  return { time: { until: dateAt(now, day.ahead + 1, time ?? MORNING).getTime() } }
}

type Day = { word: string; ahead: number }

/** `9am monday` is `monday 9am`. */
function dayFirst(words: string[], now: Date): [day: Day | undefined, others: string[]] {
  for (const at of [0, words.length - 1]) {
    const word = words[at] ?? ''
    const ahead = daysUntil(word, now)
    if (ahead !== undefined) return [{ word, ahead }, words.toSpliced(at, 1)]
  }
  return [undefined, words]
}

function shown(typed: string): string {
  return `"${truncate(displayLine(typed), 40)}"`
}

function plainTime(typed: string): string {
  return typed.trim().toLowerCase().replaceAll(/\s+/g, ' ')
}

function durationMs(text: string): number | undefined {
  const [whole, d, h, m, s] = DURATION.exec(text) ?? []
  if (!whole) return undefined
  const parts = { d, h, m, s }
  return Object.entries(UNIT_MS).reduce(
    (sum, [unit, ms]) => sum + Number(parts[unit as keyof typeof parts] ?? 0) * ms,
    0,
  )
}

type ClockTime = { hours: number; minutes: number }

function clockTime(text: string): ClockTime | undefined {
  if (text === 'morning') return MORNING
  if (text === 'noon') return NOON
  if (text === 'midnight') return MIDNIGHT
  const [, hour, minute, half] = CLOCK.exec(text) ?? []
  // A bare number could be minutes as well.
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined
  const isHalfDay = half !== undefined
  const given = Number(hour)
  if (isHalfDay && (given < 1 || given > 12)) return undefined
  const hours = isHalfDay ? (given % 12) + (half === 'pm' ? 12 : 0) : given
  const minutes = Number(minute ?? 0)
  return hours < 24 && minutes < 60 ? { hours, minutes } : undefined
}

/** How many days ahead a word such as `tomorrow` or `fri` is; undefined for any other word. */
function daysUntil(word: string, now: Date): number | undefined {
  if (word === 'today') return 0
  if (word === 'tomorrow') return now.getHours() < NIGHT_ENDS ? 0 : 1
  const day = word.length < 3 ? -1 : DAYS.findIndex((name) => name.startsWith(word))
  return day < 0 ? undefined : ((day - now.getDay() + 6) % 7) + 1
}

function nextTime(now: Date, time: ClockTime): number {
  const today = dateAt(now, 0, time).getTime()
  return today > now.getTime() ? today : dateAt(now, 1, time).getTime()
}

function dateAt(now: Date, days: number, { hours, minutes }: ClockTime): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours, minutes)
}
