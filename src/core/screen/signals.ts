import type { Screen } from './screen.ts'

/**
 * The kind of work that a screen shows. It only sets the pace of the monitor, so a wrong guess makes a look come
 * too early or too late, but never makes a verdict wrong.
 */
export type Signal = (typeof SIGNALS)[number]

/** Of two on the same line the earlier one counts. `quiet` is a screen with none of the others. */
export const SIGNALS = [
  'question',
  'dispatched',
  'subagent',
  'tests',
  'build',
  'edits',
  'reading',
  'quiet',
] as const

/** Lines in which programs say what they do. Any one of `patterns` is enough; they have no flags. */
export type SignalRule = { signal: Signal; of: string; patterns: readonly RegExp[] }

/** The latest output is at the bottom, so the lowest line that says anything decides. */
export function signalOf(screen: Pick<Screen, 'lines'>, rules: readonly SignalRule[]): Signal {
  const latest = screen.lines.filter((line) => line.trim() !== '').slice(-MOST_LINES)
  for (const line of latest.reverse()) {
    const text = line.slice(0, MOST_CHARS)
    if (!anyOf(rules).test(text)) continue
    const shown = rules.filter(({ patterns }) => patterns.some((pattern) => pattern.test(text)))
    const signal = SIGNALS.find((one) => shown.some((rule) => rule.signal === one))
    if (signal) return signal
  }
  return 'quiet'
}

const ANY = new WeakMap<readonly SignalRule[], RegExp>()

/** Most lines match nothing, and one pattern finds that out sooner than forty. */
function anyOf(rules: readonly SignalRule[]): RegExp {
  const known = ANY.get(rules)
  if (known) return known
  const sources = rules.flatMap(({ patterns }) => patterns.map(({ source }) => `(?:${source})`))
  const any = new RegExp(sources.join('|') || '(?!)')
  ANY.set(rules, any)
  return any
}

const MOST_LINES = 40
const MOST_CHARS = 400
