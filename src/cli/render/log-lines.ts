import { displayLine, truncate } from '../../core/text.ts'
import type { Paint, Tone } from '../../text/paint.ts'

/** A line of the daemon's log; `fields` is undefined for plain text, such as the output of a crash. */
export type LogLine = { text: string; fields: Readonly<Record<string, unknown>> | undefined }

const LEVELS = new Map<unknown, [name: string, tone: Tone | undefined]>([
  [20, ['debug', 'quiet']],
  [30, ['info', undefined]],
  [40, ['warn', 'waiting']],
  [50, ['error', 'bad']],
  [60, ['fatal', 'bad']],
])
const SHOWN_OTHERWISE = new Set(['level', 'time', 'pid', 'msg'])
const LONGEST_VALUE = 300

export function parseLogLine(text: string): LogLine {
  try {
    const fields: unknown = JSON.parse(text)
    if (fields !== null && typeof fields === 'object') return { text, fields: { ...fields } }
  } catch {
    // Plain text.
  }
  return { text, fields: undefined }
}

/** For people: time, level, message, and the other fields by name. Today's lines have no date. */
export function logLineText({ text, fields }: LogLine, now: Date, paint: Paint): string {
  if (!fields) return displayLine(text)
  const [level, tone] = LEVELS.get(fields['level']) ?? ['', undefined]
  const rest = Object.entries(fields)
    .filter(([name, value]) => !SHOWN_OTHERWISE.has(name) && value !== null)
    .map(([name, value]) => `${displayLine(name)}=${valueText(value)}`)
  const padded = level.padEnd(5)
  return [
    paint('quiet', timeText(fields['time'], now)),
    tone ? paint(tone, padded) : padded,
    displayLine(String(fields['msg'] ?? '')),
    ...rest,
  ].join(' ')
}

function valueText(value: unknown): string {
  if (typeof value !== 'string') return truncate(displayLine(JSON.stringify(value)), LONGEST_VALUE)
  const line = truncate(displayLine(value), LONGEST_VALUE)
  return /[\s"]/.test(line) ? JSON.stringify(line) : line
}

function timeText(time: unknown, now: Date): string {
  const at = new Date(typeof time === 'number' ? time : Number.NaN)
  if (Number.isNaN(at.getTime())) return '--:--:--'
  const clock = at.toTimeString().slice(0, 8)
  if (at.toDateString() === now.toDateString()) return clock
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, '0'))
  return `${at.getFullYear()}-${month}-${day} ${clock}`
}
