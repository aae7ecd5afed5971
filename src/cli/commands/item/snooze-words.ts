import { TrailBossError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-word.ts'
import {
  readSnooze,
  SNOOZE_EXAMPLES,
  type SnoozeReading,
  type SnoozeTime,
  unreadableTime,
} from '../../../core/snooze-time.ts'
import { emptyName } from '../queue/watch-target.ts'

export type SnoozeWords = { time: SnoozeTime; target: string | undefined }

/** A time may be two words, and whoever puts the target first means the same. */
export function snoozeWords(words: string[], now: Date): SnoozeWords {
  if (words.some((word) => word.trim() === '')) throw emptyName()
  const readings = [
    { text: words.join(' '), target: undefined },
    { text: words.slice(0, -1).join(' '), target: words.at(-1) },
    { text: words.slice(1).join(' '), target: words[0] },
  ]
  for (const { text, target } of readings) {
    const read = readSnooze(text, now)
    if (read) return { time: timeIn(read), target }
  }
  const [time, target] = unquotedTarget(words, now) ?? []
  if (time && target) {
    const command = ['trailboss', 'snooze', ...[time, target].map(shellWord)]
    throw new TrailBossError('BAD_USAGE', 'A target with blanks must be quoted.', {
      hint: `Write: ${command.join(' ')}`,
    })
  }
  const [first] = words
  throw noTime(first === undefined ? 'Say for how long.' : unreadableTime(first))
}

function timeIn(read: SnoozeReading): SnoozeTime {
  if ('time' in read) return read.time
  throw noTime(read.why)
}

function noTime(message: string): TrailBossError {
  return new TrailBossError('BAD_USAGE', message, { hint: `Such as ${SNOOZE_EXAMPLES}.` })
}

/** The words of the time, which are three at most, and those of a target that the shell took apart. */
function unquotedTarget(words: string[], now: Date): [time: string, target: string] | undefined {
  const splits = [3, 2, 1]
    .filter((count) => words.length - count > 1)
    .flatMap((count) => [
      [words.slice(0, count), words.slice(count)],
      [words.slice(-count), words.slice(0, -count)],
    ])
  for (const parts of splits) {
    const [time = '', target = ''] = parts.map((part) => part.join(' '))
    const read = readSnooze(time, now)
    if (read && timeIn(read)) return [time, target]
  }
  return undefined
}
