import {
  readSnooze,
  SNOOZE_EXAMPLES,
  type SnoozeTime,
  unreadableTime,
} from '../../core/snooze-time.ts'
import type { Entry } from './entry.ts'
import type { Key } from './keys.ts'
import { editedLine } from './line-edit.ts'

/** The operator chooses for how long an item goes away: one of the choices, unless they typed a time. */
export type Snoozing = { entry: Entry; choice: number; typed: string }

export const SNOOZE_CHOICES = ['5m', '30m', '2h', 'tomorrow'] as const

const MOST_CHARS = 30

export type SnoozeStep =
  | { kind: 'choosing'; snoozing: Snoozing }
  | { kind: 'chosen'; entry: Entry; time: SnoozeTime }
  | { kind: 'unreadable'; why: string }
  | { kind: 'left' }

export function beginSnooze(entry: Entry): Snoozing {
  return { entry, choice: 0, typed: '' }
}

/** `z` and the arrows go through the choices, anything else is typed. */
export function pressSnoozeKey(snoozing: Snoozing, key: Key, now: number): SnoozeStep {
  const isNext = snoozing.typed === '' && key.kind === 'text' && key.text === 'z'
  const typed = editedLine(snoozing.typed, key, MOST_CHARS)
  if (typed !== undefined && !isNext) return choosing({ ...snoozing, typed })
  switch (key.kind === 'named' ? key.name : 'down') {
    case 'escape':
      return { kind: 'left' }
    case 'enter':
      return chosen(snoozing, now)
    case 'down':
    // Tab
    case 'ctrl-i':
    case 'ctrl-n':
      return moved(snoozing, 1)
    case 'up':
    case 'ctrl-p':
      return moved(snoozing, -1)
    default:
      return choosing(snoozing)
  }
}

function chosen({ entry, choice, typed: text }: Snoozing, now: number): SnoozeStep {
  const typed = text.trim() || (SNOOZE_CHOICES[choice] ?? '')
  const read = readSnooze(typed, new Date(now)) ?? { why: unreadableTime(typed) }
  if ('time' in read) return { kind: 'chosen', entry, time: read.time }
  return { kind: 'unreadable', why: `${read.why} Such as ${SNOOZE_EXAMPLES}.` }
}

function moved(snoozing: Snoozing, by: number): SnoozeStep {
  const count = SNOOZE_CHOICES.length
  return choosing({ ...snoozing, typed: '', choice: (snoozing.choice + by + count) % count })
}

function choosing(snoozing: Snoozing): SnoozeStep {
  return { kind: 'choosing', snoozing }
}
