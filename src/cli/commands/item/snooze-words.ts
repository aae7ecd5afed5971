import { TrailBossError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-word.ts'
import {
  isTimeOfToday,
  SNOOZE_EXAMPLES,
  type SnoozeTime,
  snoozeObstacle,
  snoozeTime,
} from '../../../core/snooze-time.ts'

export type SnoozeWords = { time: SnoozeTime; target: string | undefined }

/** A time may be two words, and whoever puts the target first means the same. */
export function snoozeWords(words: string[], now: Date): SnoozeWords {
  const readings = [
    { text: words.join(' '), target: undefined },
    { text: words.slice(0, -1).join(' '), target: words.at(-1) },
    { text: words.slice(1).join(' '), target: words[0] },
  ]
  for (const { text, target } of readings) {
    const time = snoozeTime(text, now)
    if (time) return { time, target }
    if (isTimeOfToday(text)) throw noTime(snoozeObstacle(text))
  }
  const unquoted = unquotedTarget(words, now)
  if (unquoted) {
    const command = ['trailboss', 'snooze', ...unquoted.map((part) => shellWord(part.join(' ')))]
    throw new TrailBossError('BAD_USAGE', 'A target with blanks must be quoted.', {
      hint: `Write: ${command.join(' ')}`,
    })
  }
  const [first] = words
  throw noTime(first === undefined ? 'Say for how long.' : snoozeObstacle(first))
}

function noTime(message: string): TrailBossError {
  return new TrailBossError('BAD_USAGE', message, { hint: `Such as ${SNOOZE_EXAMPLES}.` })
}

/** The words of the time, which are three at most, and those of a target that the shell took apart. */
function unquotedTarget(
  words: string[],
  now: Date,
): [time: string[], target: string[]] | undefined {
  const splits = [3, 2, 1]
    .filter((count) => words.length - count > 1)
    .flatMap((count): [string[], string[]][] => [
      [words.slice(0, count), words.slice(count)],
      [words.slice(-count), words.slice(0, -count)],
    ])
  return splits.find(([time]) => snoozeTime(time.join(' '), now) !== undefined)
}
